import { turnFrames, type FollowTurn } from '@cool-ai/beach-channel/threads'
import type { PostResult } from '@cool-ai/beach-core/ports'
import type { Principal, Runtime, Sessions } from '@cool-ai/beach-core'
import type { OpenPlace } from './chat-sender.ts'
import type { Drafts, TakenDraft } from './drafts.ts'
import { LiveAnswer } from './live-answer.ts'
import { originatorAt } from './places.ts'
import { limitsOf } from './platform-limits.ts'

interface LiveAnswersOptions {
  readonly sessions: Sessions
  readonly runtime: Runtime
  readonly drafts: Drafts
  readonly editEveryMs: number | undefined
}

/** A message that was taken in, and where its answer grows. */
export interface Answering {
  readonly place: OpenPlace
  readonly session: string
  /** To whom the session belongs. */
  readonly owner: Principal
  readonly posted: PostResult
}

/** Shows answers while they are written: by a status, and by a message that is edited as the text grows. */
export class LiveAnswers {
  readonly #options: LiveAnswersOptions
  readonly #writer: string
  readonly #open = new Set<LiveAnswer>()
  #signal: AbortSignal | undefined

  constructor(options: LiveAnswersOptions) {
    this.#options = options
    this.#writer = options.runtime.id('writer')
  }

  start(signal: AbortSignal): void {
    this.#signal = signal
  }

  /** Follows the turn of a message until it is over or waits for a person. */
  begin({ place, session, owner, posted }: Answering): void {
    const { sessions, runtime, drafts, editEveryMs } = this.#options
    const signal = this.#signal
    if (signal === undefined || signal.aborted) return
    const everyMs = editEveryMs ?? limitsOf(place.platform.adapter.name).editMs
    const answer = new LiveAnswer({ place, runtime, drafts, everyMs, writer: this.#writer, signal })
    const to = originatorAt(place, owner)
    const viewer = { ...to, deliveryClass: 'streaming' as const }
    const of = { messageId: posted.messageId }
    const thread = { session, principal: owner, to, viewer }
    this.#open.add(answer)
    void this.#follow(answer, { sessions, place: thread, from: { from: posted.seq }, of, signal })
  }

  /** Ends what is written here for a turn, and gives the message that its finished answer replaces. */
  async take(place: OpenPlace, turnId: string): Promise<TakenDraft> {
    const at = { place: place.key, turnId }
    const own = [...this.#open].filter((answer) => answer.isFor(at))
    await Promise.all(own.map((answer) => answer.stop()))
    return this.#options.drafts.close(at)
  }

  /** Something of the turn is sent before its answer is finished: what was shown until now stays above it. */
  async leaveBehind(place: OpenPlace, turnId: string): Promise<void> {
    const at = { place: place.key, turnId }
    const own = [...this.#open].filter((answer) => answer.isFor(at))
    await Promise.all(own.map((answer) => answer.stop()))
    if (own.some(({ isShown }) => isShown)) await this.#options.drafts.leaveBehind(at)
  }

  /** Ends all of it; resolves when nothing is being written any more. */
  async drain(): Promise<void> {
    await Promise.all([...this.#open].map((answer) => answer.stop()))
  }

  async #follow(answer: LiveAnswer, follow: FollowTurn): Promise<void> {
    try {
      for await (const frame of turnFrames(follow)) answer.apply(frame)
    } catch (error) {
      if (!follow.signal.aborted) {
        const { session } = follow.place
        this.#options.runtime.logger.log('warn', 'an answer is not shown while it is written', { session, error })
      }
    } finally {
      await answer.stop().catch(() => {})
      this.#open.delete(answer)
    }
  }
}
