import { BeachError, type Frame } from '@cool-ai/beach-core'
import type { AskCall, AskContext } from './ask-tool.ts'
import { partProgress } from './call-progress.ts'
import type { Conversation } from './conversations.ts'
import { turnOutcome, type TurnOutcome, type Waiting } from './turn-outcome.ts'

/** Where a call's turn begins. */
export type CallStart = Omit<Waiting, 'signal' | 'onPart'>

/** Waits for a call's turn, for as long as the answer is wanted, and tells of what is said on the way. */
export async function outcomeOf(
  conversation: Conversation,
  place: CallStart,
  { context }: AskCall,
  world: AskContext,
): Promise<TurnOutcome> {
  const { runtime, maxCallMs, partTypes } = world
  const sessions = world.sessions()
  const { signal: caller } = context.mcpReq
  const ending = world.ending()
  const end = new AbortController()
  // Cheaper than a composite signal, and with reasons that cost nothing.
  const stop = () => end.abort(stopping(conversation.conversationId))
  const cancel = () => end.abort(cancelled)
  ending.addEventListener('abort', stop, { once: true })
  caller.addEventListener('abort', cancel, { once: true })
  if (ending.aborted) stop()
  if (caller.aborted) cancel()
  const cancelTimer = runtime.clock.timer(maxCallMs, () => end.abort(tooLong(conversation.conversationId)))
  const onPart = partProgress(context, partTypes)
  let turnId: string | undefined
  const begins = (frame: Frame) => {
    const isIt = place.begins(frame)
    if (isIt) turnId = frame.turnId
    return isIt
  }
  try {
    const waiting = { ...place, begins, signal: end.signal, ...(onPart && { onPart }) }
    return await turnOutcome(conversation, waiting, { sessions, runtime })
  } catch (error) {
    // The caller has gone; when it is the agent that stops, the turn goes on in its next process.
    if (caller.aborted && !ending.aborted && turnId !== undefined) {
      await sessions.cancel(conversation.session, turnId, conversation.principal)
    }
    throw error
  } finally {
    cancelTimer()
    ending.removeEventListener('abort', stop)
    caller.removeEventListener('abort', cancel)
  }
}

const cancelled = new BeachError('CANCELLED', 'The call was cancelled before there was an answer.')

function stopping(conversationId: string): BeachError {
  const message = `The agent is stopping. The conversation "${conversationId}" goes on when it is back.`
  return new BeachError('CANCELLED', message)
}

function tooLong(conversationId: string): BeachError {
  const message = `The agent still works on this. Read the conversation "${conversationId}" as a resource later.`
  return new BeachError('TIMEOUT', message)
}
