import type { Message, Part } from '@cool-ai/beach-core'
import { sliceState, type SessionLog, type SessionState } from '@cool-ai/beach-core/log'
import type { PastTurn } from '@cool-ai/beach-core/ports'
import { injectionOf, turnInjections } from '../manifests/injections.ts'
import { turnSlice } from './turn-slice.ts'

/** The last turns before the open one, read from the log; only as much of it is read as they take up. */
export async function pastTurns(
  log: SessionLog,
  session: string,
  state: SessionState,
  max: number,
): Promise<PastTurn[]> {
  const { recent, turn: open } = sliceState(turnSlice, state)
  const places = recent.filter((turn) => turn.turnId !== open?.turnId).slice(-max)
  const [first] = places
  if (first === undefined || max <= 0) return []
  const received = new Map<string, Message>()
  const turns = new Map<string, { messages: Message[]; parts: Part[] }>()
  const events = await log.read(session, first.seq - 1)
  for (const { event } of events) {
    if (event.type === 'messageReceived' && event.payload !== undefined) {
      const { messageId, payload } = event
      // What is too old to be kept was taken out of it.
      if (payload.parts.length === 0) continue
      received.set(messageId, { messageId, from: payload.from, parts: payload.parts })
    } else if (event.type === 'turnStarted') {
      const messages = event.messageIds.flatMap((id) => received.get(id) ?? [])
      turns.set(event.turnId, { messages, parts: [] })
    } else if (event.type === 'partReceived' && event.payload !== undefined) {
      turns.get(event.turnId)?.parts.push(event.payload.part)
    }
  }
  return places.map(({ turnId }) => {
    const injections = turnInjections(events, turnId).map((event) => injectionOf(event))
    return { turnId, injections, ...(turns.get(turnId) ?? { messages: [], parts: [] }) }
  })
}
