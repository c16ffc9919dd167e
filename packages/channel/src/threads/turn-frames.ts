import type { Frame, Sessions } from '@cool-ai/beach-core'
import type { FramePosition } from '@cool-ai/beach-core/ports'
import { withLinks, type LinkOf } from '../messages/artifact-links.ts'
import { until } from '../live/until.ts'
import type { ThreadSession } from './threads.ts'

/** A turn that a client follows. */
export interface FollowTurn {
  readonly sessions: Sessions
  readonly place: ThreadSession
  readonly from: FramePosition | undefined
  /** The message that the turn answers, the turn itself, or the next one that starts. */
  readonly of: { readonly messageId: string } | { readonly turnId: string } | 'next'
  readonly signal: AbortSignal
  /** True for a client that goes on with a turn that waited for a decision. */
  readonly wasSuspended?: boolean | undefined
  readonly linkOf?: LinkOf | undefined
}

/** How following a turn has ended: the turn is over, it waits for a person or its client, or the agent stops. */
export type TurnEnd = 'settled' | 'rests' | 'cutOff'

/** The frames of one turn, from where the client's knowledge ends until the turn is over or an answer is needed. */
export async function* turnFrames(follow: FollowTurn): AsyncGenerator<Frame, TurnEnd, undefined> {
  const { sessions, place, signal } = follow
  const progress = new TurnProgress(follow)
  // What has happened is read to its end first: a turn that rested then may have gone on.
  yield* framesOf(
    sessions.history(place.session, place.viewer, follow.from),
    progress,
    follow,
    () => progress.isSettled,
  )
  if (progress.isSettled) return 'settled'
  if (await progress.rests()) return 'rests'
  const end = until(signal)
  const frames = sessions.follow(place.session, place.viewer, progress.cursor ?? follow.from, end.signal)
  let isOver = false
  try {
    const isDone = async (frame: Frame) =>
      (isOver = progress.isSettled || (frame.kind === 'turn' && (await progress.rests())))
    yield* framesOf(frames, progress, follow, isDone)
  } finally {
    end.now()
  }
  if (!isOver) return 'cutOff'
  return progress.isSettled ? 'settled' : 'rests'
}

async function* framesOf(
  source: AsyncIterable<Frame>,
  progress: TurnProgress,
  { linkOf }: FollowTurn,
  isDone: (frame: Frame) => boolean | Promise<boolean>,
): AsyncGenerator<Frame, void, undefined> {
  const read = source[Symbol.asyncIterator]()
  const frames = linkOf ? withLinks(read, linkOf) : read
  try {
    for (let next = await frames.next(); next.done !== true; next = await frames.next()) {
      if (progress.apply(next.value)) yield next.value
      if (await isDone(next.value)) return
    }
  } finally {
    // Not awaited: it waits for a frame that is being waited for.
    frames.return?.().catch(() => {})
  }
}

/** How far a followed turn is. */
class TurnProgress {
  cursor: string | undefined
  isSettled = false
  readonly #follow: FollowTurn
  readonly #calls = new Set<string>()
  #turnId: string | undefined
  #waitsForClient = false
  #isSuspended: boolean

  constructor(follow: FollowTurn) {
    this.#follow = follow
    const { of, wasSuspended = false } = follow
    this.#isSuspended = wasSuspended
    this.#turnId = of !== 'next' && 'turnId' in of ? of.turnId : undefined
  }

  /** True for a frame of the turn. */
  apply(frame: Frame): boolean {
    if (frame.cursor !== undefined) this.cursor = frame.cursor
    if (frame.kind === 'turn' && this.#turnId === undefined && this.#answers(frame.messageIds))
      this.#turnId = frame.turnId
    if (this.#turnId === undefined || frame.turnId !== this.#turnId) return false
    if (frame.kind === 'part') return frame.role === 'agent'
    if (frame.kind === 'turn') {
      this.#isSuspended = frame.turnState === 'suspended'
      this.#waitsForClient = frame.waitsForClient === true
    }
    if (frame.kind === 'call' && frame.client === this.#follow.place.viewer.id) this.#calls.add(frame.callId)
    if (frame.kind === 'result') this.#calls.delete(frame.callId)
    if (frame.kind === 'settled') this.isSettled = true
    return true
  }

  /** True when nothing more comes before a person has decided, or the client has run what it was called for. */
  async rests(): Promise<boolean> {
    if (this.#waitsForClient && this.#calls.size > 0) return true
    const { sessions, place } = this.#follow
    if (!this.#isSuspended && this.#turnId !== undefined) return false
    const { turn } = await sessions.view(place.session, place.principal)
    if (turn === undefined || turn.pendingApprovals.length === 0 || turn.turnState !== 'suspended') return false
    // A message that came behind a request is answered once that is decided.
    return this.#turnId === undefined || turn.turnId === this.#turnId
  }

  /** Frames name messages where a turn starts. */
  #answers(messageIds: readonly string[] | undefined): boolean {
    const { of } = this.#follow
    if (messageIds === undefined) return false
    return of === 'next' || ('messageId' in of && messageIds.includes(of.messageId))
  }
}
