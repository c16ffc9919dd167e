import type { Clock } from '@cool-ai/beach-core'

/** Sessions that are read together, a while after the first of them was added. */
export class SessionBatch {
  readonly #clock: Clock
  readonly #ms: number
  readonly #due: () => void
  readonly #sessions = new Set<string>()
  #cancel: (() => void) | undefined

  constructor(clock: Clock, ms: number, due: () => void) {
    this.#clock = clock
    this.#ms = ms
    this.#due = due
  }

  add(session: string): void {
    this.#sessions.add(session)
    this.#cancel ??= this.#clock.timer(this.#ms, () => {
      this.#cancel = undefined
      this.#due()
    })
  }

  remove(...sessions: readonly string[]): void {
    for (const session of sessions) this.#sessions.delete(session)
    if (this.#sessions.size > 0) return
    this.#cancel?.()
    this.#cancel = undefined
  }

  /** Takes the sessions out, the first ones if there are more. */
  take(max = Infinity): string[] {
    const taken = [...this.#sessions].slice(0, max)
    this.remove(...taken)
    return taken
  }
}
