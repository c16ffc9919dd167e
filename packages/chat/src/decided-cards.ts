import { decidedText } from '@cool-ai/beach-channel/people'
import { BeachError, type Originator, type Principal, type Runtime, type Sessions } from '@cool-ai/beach-core'
import type { CardIndex, SentCard } from './card-index.ts'
import type { Platform } from './platform.ts'
import { decidedCard } from './postables.ts'

interface DecidedCardsOptions {
  readonly index: CardIndex
  readonly platforms: ReadonlyMap<string, Platform>
  readonly sessions: Sessions
  readonly runtime: Runtime
  readonly tenant: string
}

/** Takes the buttons off all copies of a request once it is decided, wherever that was, or is not asked any more. */
export class DecidedCards {
  readonly #options: DecidedCardsOptions
  readonly #followed = new Set<string>()
  /** Requests that are decided here just now: who pressed is told by that. */
  readonly #pressed = new Set<string>()
  #signal: AbortSignal | undefined

  constructor(options: DecidedCardsOptions) {
    this.#options = options
  }

  /** Goes on with what earlier processes have asked. */
  async start(signal: AbortSignal): Promise<void> {
    this.#signal = signal
    for (const session of await this.#options.index.sessions()) this.watch(session)
  }

  /** Follows a session until none of its requests is open. */
  watch(session: string): void {
    const signal = this.#signal
    if (signal === undefined || signal.aborted || this.#followed.has(session)) return
    this.#followed.add(session)
    void this.#follow(session, signal)
      .catch((error: unknown) => {
        if (signal.aborted) return
        this.#options.runtime.logger.log('warn', 'the cards of a session are not updated any more', { session, error })
      })
      .finally(() => this.#followed.delete(session))
  }

  /** Decides by a press; the copies then say who it was. */
  async whilePressed<Result>(approvalId: string, run: () => Promise<Result>): Promise<Result> {
    this.#pressed.add(approvalId)
    try {
      return await run()
    } finally {
      this.#pressed.delete(approvalId)
    }
  }

  /** Updates all copies; throws when a platform could not be reached, so that it is tried again. */
  async close(session: string, approvalId: string, outcome: string, signal: AbortSignal): Promise<void> {
    const open = await this.#options.index.open(session)
    const copies = open.filter(({ card }) => card.ask?.approvalId === approvalId)
    const failed = await Promise.all(
      copies.map(async ({ key, card }) => {
        if (!(await this.#update(card, outcome, signal))) return true
        await this.#options.index.close(key)
        return false
      }),
    )
    if (failed.includes(true)) throw new BeachError('UNREACHABLE', 'A decided request could not be updated.')
  }

  /** False when it is to be tried again. */
  async #update(sent: SentCard, outcome: string, signal: AbortSignal) {
    const platform = this.#options.platforms.get(sent.adapter)
    if (platform === undefined) return true
    const card = decidedCard(platform.adapter.name, sent.ask?.title ?? '', outcome)
    const edited = await platform.edit(sent, card, signal)
    return 'done' in edited || edited.failure.status === 'refused'
  }

  async #follow(session: string, signal: AbortSignal): Promise<void> {
    const { sessions, tenant, index } = this.#options
    const principal: Principal = { kind: 'operator', id: 'chat', tenant }
    const reader: Originator = { id: 'chat-cards', transport: 'sse', deliveryClass: 'streaming', principal }
    for await (const frame of sessions.follow(session, reader, undefined, signal)) {
      if (frame.kind !== 'decision' || this.#pressed.has(frame.approvalId)) continue
      await this.close(session, frame.approvalId, decidedText(frame), signal)
      if ((await index.open(session)).length === 0) return
    }
  }
}
