import type { Injection, Message, Part } from '@cool-ai/beach-core'
import {
  sliceState,
  type EventDraft,
  type LoggedEvent,
  type SessionEvent,
  type SessionLog,
  type SessionState,
} from '@cool-ai/beach-core/log'
import type { DecisionMade, PastTurn } from '@cool-ai/beach-core/ports'
import { jsonCopy, yieldToEventLoop } from '@cool-ai/beach-core/runtime'
import { responsePart } from '../approvals/approvals.ts'
import { injectionOf, turnInjections } from '../manifests/injections.ts'
import { injectionId, turnSlice, type OpenTurn, type RecentTurn } from './turn-slice.ts'

/** What an open turn needs of the log: the slice holds only structure, the content is read when the turn runs. */
export interface TurnMaterial {
  readonly messages: readonly Message[]
  /** Results of manifests, and the first of them that the turn began with. */
  readonly injections: readonly Injection[]
  readonly began: readonly Injection[]
  /** The parts of the turn so far, and its decisions. */
  readonly parts: readonly Part[]
  readonly answers: ReadonlyMap<number, unknown>
  readonly toolValues: ReadonlyMap<string, unknown>
  readonly toolNotes: ReadonlyMap<string, unknown>
  readonly decisions: ReadonlyMap<string, DecisionMade>
}

/** Reads the content of an open turn, at least up to a seq. Actors get a copy: they may change it. */
export async function readTurn(
  log: SessionLog,
  session: string,
  turn: OpenTurn,
  upTo = Infinity,
): Promise<TurnMaterial> {
  const wanted = new Set(turn.messages.map((entry) => entry.messageId))
  const messages: Message[] = []
  const parts: Part[] = []
  const answers = new Map<number, unknown>()
  const toolValues = new Map<string, unknown>()
  const toolNotes = new Map<string, unknown>()
  const decisions = new Map<string, DecisionMade>()
  const events = await log.readUpTo(session, (turn.messages[0]?.seq ?? 1) - 1, upTo)
  const hasInjections = turn.injections.length > 0 || turn.messages.some(({ depth }) => depth > 0)
  const injected = hasInjections ? turnInjections(events, turn.turnId) : []
  for (const { event } of events) {
    if (event.type === 'messageReceived') {
      const { messageId, payload } = event
      if (wanted.has(messageId) && payload) {
        messages.push({ messageId, from: payload.from, parts: jsonCopy(payload.parts) })
      }
      continue
    }
    if (!('turnId' in event) || event.turnId !== turn.turnId) continue
    if (event.type === 'partReceived' && event.payload) parts.push(event.payload.part)
    else if (event.type === 'stepCommitted') answers.set(event.step, jsonCopy(event.payload?.answer))
    else if (event.type === 'toolFinished') toolValues.set(event.callId, jsonCopy(event.payload?.value))
    else if (event.type === 'actorNoted') {
      const callId = notingCall(event)
      if (callId !== undefined) toolNotes.set(callId, jsonCopy(event.payload?.value))
    } else if (event.type === 'approvalDecided') {
      const { reason, args, decidedBy: by, via } = event.payload ?? {}
      decisions.set(event.approvalId, { decision: event.decision, reason, args, by, via })
      parts.push(responsePart(event))
    }
  }
  const began = injected.filter((event) => wanted.has(injectionId(event))).map(injectionOf)
  return { messages, injections: injected.map(injectionOf), began, parts, answers, toolValues, toolNotes, decisions }
}

const pageSize = 500
// Turns are short compared with what may follow them: little of that is read in vain.
const pageCharacters = 200_000

/**
 * The events from a seq on up to the end of a turn, or of the log when the turn is still open. With `upTo`, the turn is
 * known to have ended by then.
 */
export async function readTurnEvents(
  log: SessionLog,
  session: string,
  turnId: string,
  since: number,
  upTo = Infinity,
): Promise<LoggedEvent[]> {
  const events: LoggedEvent[] = []
  for (let after = since - 1; ;) {
    const page = await log.readUpTo(session, after, upTo, pageSize, pageCharacters)
    const end = page.findIndex(({ event }) => event.type === 'turnSettled' && event.turnId === turnId)
    events.push(...(end === -1 ? page : page.slice(0, end + 1)))
    const last = page.at(-1)
    if (end !== -1 || last === undefined || last.seq >= upTo) return events
    after = last.seq
    await yieldToEventLoop()
  }
}

/** Where the last turns before the open one are in the log, and what they have seen. */
export function pastPlaces(state: SessionState, max: number): readonly RecentTurn[] {
  const { recent, turn: open } = sliceState(turnSlice, state)
  return max <= 0 ? [] : recent.filter((turn) => turn.turnId !== open?.turnId).slice(-max)
}

/** The last turns before the open one, read from the log; only as much of it is read as they take up. */
export async function pastTurns(
  log: SessionLog,
  session: string,
  state: SessionState,
  max: number,
): Promise<PastTurn[]> {
  const places = pastPlaces(state, max)
  const [first] = places
  if (first === undefined) return []
  const received = new Map<string, Message>()
  const turns = new Map<string, { messages: Message[]; parts: Part[] }>()
  const events = await log.read(session, first.seq - 1)
  for (const { event } of events) {
    if (event.type === 'messageReceived' && event.payload !== undefined) {
      const { messageId, payload } = event
      // Content that is too old to be kept was erased from it.
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

const toolNotePrefix = 'tool:'

/** What a tool notes for its next run, as an entry of the log that no listener is shown. */
export function noteDraft(turnId: string, callId: string, value: unknown): EventDraft {
  return { type: 'actorNoted', turnId, kind: `${toolNotePrefix}${callId}`, payload: { value } }
}

/** The call that noted this; undefined for a note of the actor itself. */
function notingCall({ kind }: Extract<SessionEvent, { type: 'actorNoted' }>): string | undefined {
  return kind.startsWith(toolNotePrefix) ? kind.slice(toolNotePrefix.length) : undefined
}
