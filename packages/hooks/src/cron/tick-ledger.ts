import { createHash } from 'node:crypto'
import type { Store } from '@cool-ai/beach-core'
import * as z from 'zod'

/** The decision on a tick. The first process to write it decides for all. */
type TickDecision = z.infer<typeof decisionSchema>

/** How far a job has come. */
export interface Progress {
  /** Everything up to here is finished. */
  readonly tick: number
  readonly session?: string | undefined
  /** How many ticks were left out since that. */
  readonly skipped: number
}

const decisionSchema = z.union([
  z.object({ run: z.string() }),
  z.object({ skip: z.enum(['missed', 'overlap', 'failed']) }),
])
const progressSchema = z.object({ session: z.string().exactOptional(), skipped: z.number() })
const pageSize = 1_000

/**
 * What the processes of an agent share about a job. A tick is decided before anything happens for it, and finished only
 * when its message is in the log: a process that finds it decided and not finished continues it.
 */
export class TickLedger {
  readonly #store: Store
  readonly #jobPrefix: string
  readonly #prefix: string

  constructor(store: Store, place: { readonly tenant: string; readonly job: string; readonly schedule: string }) {
    const schedule = createHash('sha256').update(place.schedule).digest('hex').slice(0, 12)
    this.#store = store
    this.#jobPrefix = `cron:${encodeURIComponent(place.tenant)}:${encodeURIComponent(place.job)}:`
    this.#prefix = `${this.#jobPrefix}${schedule}:`
  }

  /** How far the job has come; one that is new begins now. */
  async progress(now: number): Promise<Progress> {
    return (
      (await this.#latest()) ?? {
        tick: Number(await this.#store.bind(`${this.#prefix}since`, String(now))),
        skipped: 0,
      }
    )
  }

  async begun(): Promise<number[]> {
    const rows = await this.#store.list(`${this.#prefix}tick:`, undefined, pageSize)
    return rows.filter(({ value }) => 'run' in decisionOf(value)).map(({ key }) => tickOf(key))
  }

  async decide(tick: number, decision: TickDecision): Promise<TickDecision> {
    return decisionOf(await this.#store.bind(`${this.#prefix}tick:${padded(tick)}`, JSON.stringify(decision)))
  }

  /**
   * Everything up to a tick is finished. This is written before older entries are deleted, so that no process takes the
   * tick for a new one.
   */
  async finish({ tick, ...progress }: Progress): Promise<void> {
    await this.#store.bind(`${this.#prefix}done:${padded(tick)}`, JSON.stringify(progress))
    await this.tidy(tick)
  }

  async tidy(tick: number): Promise<void> {
    const [ticks, done] = await Promise.all([this.#rows('tick:'), this.#rows('done:')])
    const old = [...ticks.filter((row) => row.tick <= tick), ...done.filter((row) => row.tick < tick)]
    for (const { key } of old) await this.#store.unbind(key)
  }

  /** Goes on from an earlier time: the clock was wrong when the job came that far. */
  async restart(progress: Progress): Promise<void> {
    const { tick, ...rest } = progress
    await this.#store.bind(`${this.#prefix}done:${padded(tick)}`, JSON.stringify(rest))
    const later = [...(await this.#rows('tick:')), ...(await this.#rows('done:'))].filter((row) => row.tick > tick)
    for (const { key } of later) await this.#store.unbind(key)
  }

  /** Deletes the records of the job for other patterns: by a new pattern nothing was missed. */
  async dropOthers(): Promise<void> {
    const rows = await this.#store.list(this.#jobPrefix, undefined, pageSize)
    for (const { key } of rows) if (!key.startsWith(this.#prefix)) await this.#store.unbind(key)
  }

  async #latest(): Promise<Progress | undefined> {
    const last = (await this.#rows('done:')).at(-1)
    return last && { tick: last.tick, ...progressSchema.parse(JSON.parse(last.value)) }
  }

  async #rows(kind: 'tick:' | 'done:') {
    const rows = await this.#store.list(`${this.#prefix}${kind}`, undefined, pageSize)
    return rows.map(({ key, value }) => ({ key, value, tick: tickOf(key) }))
  }
}

function decisionOf(text: string): TickDecision {
  return decisionSchema.parse(JSON.parse(text))
}

/** As text that sorts by time. */
function padded(tick: number): string {
  return String(tick).padStart(15, '0')
}

function tickOf(key: string): number {
  return Number(key.slice(key.lastIndexOf(':') + 1))
}
