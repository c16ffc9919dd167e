import { turnFrames, type ThreadSession, type TurnEnd } from '@cool-ai/beach-channel/threads'
import type { Frame, Sessions } from '@cool-ai/beach-core'
import { positionOf, type AnswerRef } from './answer-ref.ts'
import { Rest } from './rest.ts'

/** An answer to be read, and who reads it. */
export interface FollowAnswer {
  readonly sessions: Sessions
  readonly place: ThreadSession
  readonly answer: AnswerRef
  /** Ends the waiting for what is not there yet. */
  readonly signal: AbortSignal
  readonly linkOf?: ((artifactId: string) => Promise<string | undefined>) | undefined
}

/** The frames of an answer, up to where it ended when it was first read. */
export async function* answerFrames(follow: FollowAnswer): AsyncGenerator<Frame, TurnEnd, undefined> {
  const { answer, place } = follow
  const rest = new Rest(place.viewer.id)
  const frames = turnFrames({
    ...follow,
    from: positionOf(answer),
    of: answer.of,
    // A turn that waited for a person may wait for another one.
    wasSuspended: 'turnId' in answer.of,
  })
  for (;;) {
    const { done, value } = await frames.next()
    if (done === true) return value
    yield value
    if (!rest.apply(value)) continue
    await frames.return('rests')
    return 'rests'
  }
}

/** What an answer that is over ended with. */
export interface AnswerRest {
  readonly end: TurnEnd
  /** The seq of its last event. */
  readonly upTo: number
  readonly turnId: string | undefined
  readonly calls: ReadonlySet<string>
  readonly approvals: ReadonlySet<string>
}

/** Reads an answer from the log, as far as it has come, for where it rests. */
export async function restOf(follow: Omit<FollowAnswer, 'signal'>): Promise<AnswerRest> {
  const rest = new Rest(follow.place.viewer.id)
  const frames = answerFrames({ ...follow, signal: AbortSignal.abort() })
  let upTo = follow.answer.from
  let turnId: string | undefined
  for (;;) {
    const { done, value } = await frames.next()
    if (done === true) return { end: value, upTo, turnId, calls: rest.calls, approvals: rest.approvals }
    turnId ??= value.turnId
    if (value.cursor !== undefined) upTo = Number(value.cursor)
    rest.apply(value)
  }
}
