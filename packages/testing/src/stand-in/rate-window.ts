/** How much a service takes of one place in a time; nothing is limited before `limit` is set. */
export class RateWindow {
  limit: { readonly count: number; readonly perMs: number } | undefined
  /** How often it had to refuse. */
  refused = 0
  readonly #now: () => number
  #toRefuse: number[] = []
  readonly #taken = new Map<string, number[]>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** Refuses the next ones, whatever was taken before: each is to wait so many seconds. */
  refuseNext(...seconds: readonly number[]): void {
    this.#toRefuse.push(...seconds)
  }

  /** The seconds to wait; undefined when it is taken now. */
  wait(place: string): number | undefined {
    const { limit } = this
    const asked = this.#toRefuse.shift()
    if (asked !== undefined) {
      this.refused += 1
      return asked
    }
    if (limit === undefined) return undefined
    const now = this.#now()
    const recent = (this.#taken.get(place) ?? []).filter((at) => at > now - limit.perMs)
    const [first] = recent
    if (recent.length >= limit.count && first !== undefined) {
      this.refused += 1
      return (first + limit.perMs - now) / 1_000
    }
    this.#taken.set(place, [...recent, now])
    return undefined
  }
}
