import type { Message, SessionLog } from '@cool-ai/beach-core'
import type { OpenTurn } from './turn-slice.ts'

/** What an open turn needs of the log: the slice holds only structure, the content is read when the turn runs. */
export interface TurnMaterial {
  readonly messages: readonly Message[]
  readonly answers: ReadonlyMap<number, unknown>
  readonly toolValues: ReadonlyMap<string, unknown>
}

/** Reads the messages, the answers and the tool results of an open turn. */
export async function readTurn(log: SessionLog, session: string, turn: OpenTurn): Promise<TurnMaterial> {
  const wanted = new Set(turn.messages.map((entry) => entry.messageId))
  const messages: Message[] = []
  const answers = new Map<number, unknown>()
  const toolValues = new Map<string, unknown>()
  for (const { event } of await log.read(session, (turn.messages[0]?.seq ?? 1) - 1)) {
    if (event.type === 'messageReceived' && wanted.has(event.messageId) && event.payload !== undefined) {
      messages.push({ messageId: event.messageId, from: event.payload.from, parts: event.payload.parts })
    } else if (event.type === 'stepCommitted' && event.turnId === turn.turnId) {
      answers.set(event.step, event.payload?.answer)
    } else if (event.type === 'toolFinished' && event.turnId === turn.turnId) {
      toolValues.set(event.callId, event.payload?.value)
    }
  }
  return { messages, answers, toolValues }
}
