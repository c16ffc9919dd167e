import type { ThreadSession } from '@cool-ai/beach-channel/threads'
import type { Clock } from '@cool-ai/beach-core'
import type { ThreadReader } from './thread-reader.ts'
import type { Thread } from './thread.ts'

/** Which turn of a thread a client has followed. */
export type TurnOf = (thread: Thread) => string | undefined

/** The turn that a client has left, if it still runs. One that waits for a person waits on: the next run shows it. */
export async function turnToStop(reader: ThreadReader, place: ThreadSession, turnOf: TurnOf, clock: Clock) {
  const thread = await reader.read(place)
  const turnId = thread && turnOf(thread)
  if (turnId === undefined || thread?.openTurn?.turnId !== turnId || thread.rests(clock.now())) return undefined
  return turnId
}

/** The open turn, if it answers one of these messages. */
export function turnAnswering({ openTurn }: Thread, messageIds: ReadonlySet<string>): string | undefined {
  return openTurn?.messageIds.some((id) => messageIds.has(id)) === true ? openTurn.turnId : undefined
}
