import type { Runtime } from '@cool-ai/beach-core'
import { commitLimits, encodeCommit, type SessionEvent } from '@cool-ai/beach-core/log'
import { MemoryStore } from '../stores/memory/memory-store.ts'

/** The log of a replay: what the turns write waits until it is their time in the record. */
export class ReplayStore extends MemoryStore {
  readonly events: SessionEvent[] = []
  readonly #session: string
  readonly #admit: (events: readonly SessionEvent[], expected: number) => Promise<void>

  /** `admit` waits until these events may be appended after that many, or throws. */
  constructor(
    options: { readonly session: string; readonly runtime: Runtime },
    admit: (events: readonly SessionEvent[], expected: number) => Promise<void>,
  ) {
    super({ runtime: options.runtime })
    this.#session = options.session
    this.#admit = admit
  }

  override async append(_: string, expected: number, events: readonly unknown[], wakeAt?: number): Promise<number> {
    const said = events as readonly SessionEvent[]
    await this.#admit(said, expected)
    return this.#add(expected, said, wakeAt)
  }

  /** Appends what came from outside, as it was recorded. */
  async copy(events: readonly SessionEvent[]): Promise<void> {
    for (const some of chunks(events)) {
      await this.#add(this.events.length, some)
    }
  }

  /** The list grows in the same moment as the log. */
  #add(expected: number, events: readonly SessionEvent[], wakeAt?: number): Promise<number> {
    if (expected === this.events.length) {
      encodeCommit(events)
      this.events.push(...events)
    }
    return super.append(this.#session, expected, events, wakeAt)
  }
}

/** As many events at once as one append may have. */
function* chunks(events: readonly SessionEvent[]): Generator<SessionEvent[]> {
  let some: SessionEvent[] = []
  let characters = 0
  for (const event of events) {
    const { length } = JSON.stringify(event)
    if (some.length > 0 && (some.length >= commitLimits.events || characters + length > commitLimits.characters)) {
      yield some
      some = []
      characters = 0
    }
    some.push(event)
    characters += length
  }
  if (some.length > 0) yield some
}
