import type { Clock } from '@cool-ai/beach-core'
import type { SessionLog, SessionState } from '@cool-ai/beach-core/log'
import { LruMap, yieldToEventLoop } from '@cool-ai/beach-core/runtime'

const pageSize = 500
const checkpointEvery = 2_000
const maxCheckpoints = 100
const maxCharacters = 500_000
// Another process may erase content: states that were folded before are not kept for longer.
const keptMs = 60_000

interface Checkpoint {
  readonly seq: number
  /** JSON, because folding may go on in the tables of a state. */
  readonly text: string
}

/**
 * The fold of a log up to any event. Some of the states on the way are kept, so that an operator who steps through a long
 * log does not fold all of it at each step.
 */
export class FoldAt {
  readonly #log: SessionLog
  readonly #clock: Clock
  readonly #kept = new LruMap<{ readonly since: number; readonly checkpoints: readonly Checkpoint[] }>(10)

  constructor(log: SessionLog, clock: Clock) {
    this.#log = log
    this.#clock = clock
  }

  /** The state right before and right after the event of a seq; undefined when the log has no such event. */
  async around(session: string, seq: number): Promise<{ before: SessionState; after: SessionState } | undefined> {
    const [event] = await this.#log.read(session, seq - 1, 1)
    if (event?.seq !== seq) return undefined
    const before = await this.#upTo(session, seq - 1)
    // A copy: folding the event must not change what is shown as the state before it.
    const text = JSON.stringify(before)
    this.#keep(session, { seq: seq - 1, text })
    return { before: JSON.parse(text) as SessionState, after: this.#log.folded(before, [event]) }
  }

  /** Forgets the states of a session whose content was erased. */
  forget(session: string): void {
    this.#kept.delete(session)
  }

  async #upTo(session: string, seq: number): Promise<SessionState> {
    const from = this.#checkpoints(session).findLast((checkpoint) => checkpoint.seq <= seq)
    let state = from === undefined ? this.#log.folded() : (JSON.parse(from.text) as SessionState)
    let sinceCheckpoint = 0
    for (let at = from?.seq ?? 0; ;) {
      const page = await this.#log.read(session, at, pageSize)
      const events = page.filter((event) => event.seq <= seq)
      state = this.#log.folded(state, events)
      at = page.at(-1)?.seq ?? at
      if (page.length < pageSize || at >= seq) return state
      sinceCheckpoint += events.length
      if (sinceCheckpoint >= checkpointEvery) {
        this.#keep(session, { seq: at, text: JSON.stringify(state) })
        sinceCheckpoint = 0
      }
      await yieldToEventLoop()
    }
  }

  #keep(session: string, checkpoint: Checkpoint): void {
    if (checkpoint.text.length > maxCharacters) return
    const others = this.#checkpoints(session).filter(({ seq }) => seq !== checkpoint.seq)
    const all = [...others, checkpoint].toSorted((one, other) => one.seq - other.seq)
    // When there are too many, every second one goes.
    const checkpoints = all.length > maxCheckpoints ? all.filter((_, index) => index % 2 === 0) : all
    this.#kept.set(session, { since: this.#kept.get(session)?.since ?? this.#clock.now(), checkpoints })
  }

  #checkpoints(session: string): readonly Checkpoint[] {
    const kept = this.#kept.get(session)
    if (kept !== undefined && Math.abs(this.#clock.now() - kept.since) > keptMs) this.#kept.delete(session)
    return this.#kept.get(session)?.checkpoints ?? []
  }
}
