import { textEvents, until } from '@cool-ai/beach-channel/live'
import type { Answering } from './answering.ts'
import type { Desk, Visit } from '../desk.ts'
import type { Asked, AskedRequests } from '../requests/asked.ts'
import { openAiError } from '../openai-error.ts'

/** A request whose answer is told, by which it is known when it comes again. */
export interface Telling {
  readonly desk: Desk
  readonly visit: Visit
  readonly answering: Answering
  /** Absent for one that only asks again. */
  readonly asked?: { readonly requests: AskedRequests; readonly body: unknown; readonly asked: Asked } | undefined
}

/** The lines of a stream; `isOver` is called with the last ones, after which a closed connection means nothing. */
export type LinesOf = (signal: AbortSignal, isOver: () => void) => AsyncGenerator<string, void, undefined>

/** Tells an answer as server-sent events, and sees to what becomes of its turn when the client leaves. */
export function toldAsEvents(telling: Telling, linesOf: LinesOf): Response {
  const { desk, visit, answering } = telling
  const { runtime, signal } = desk.options
  const end = until(visit.request.signal, signal)
  const followed = answering.follow(() => answered(telling))
  let isOver = false
  const texts = linesOf(end.signal, () => {
    isOver = true
  })
  const onError = (error: unknown) => {
    isOver = true
    runtime.logger.log('error', 'an answer to an OpenAI client failed', { error })
    return JSON.stringify({ type: 'error', error: openAiError(error) })
  }
  const onEnd = (isLeft: boolean) => {
    visit.leave()
    end.now()
    const hasLeft = isLeft && !isOver
    if (hasLeft) left(telling)
    else answered(telling)
    followed(hasLeft)
  }
  return textEvents(visit.request, texts, { heartbeats: desk.heartbeats, onError, onEnd })
}

/** Reads an answer to its end for a client that waits for all of it. */
export async function readWhole(telling: Telling): Promise<void> {
  try {
    await telling.answering.whole(telling.visit, () => answered(telling))
    answered(telling)
  } catch (error) {
    left(telling)
    throw error
  }
}

function left({ visit, answering, asked }: Telling): void {
  asked?.requests.left(visit, asked.body, asked.asked, answering.plan.place.session)
}

function answered({ visit, asked }: Telling): void {
  asked?.requests.answered(visit, asked.body)
}
