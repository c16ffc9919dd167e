import type { Decision, Injection, Message, Part } from '@cool-ai/beach-core'
import type { SessionLog } from '@cool-ai/beach-core/log'
import { jsonCopy } from '@cool-ai/beach-core/runtime'
import { responsePart } from '../approvals/approvals.ts'
import { injectionOf, turnInjections } from '../manifests/injections.ts'
import { notingCall } from './tool-notes.ts'
import { injectionId, type OpenTurn } from './turn-slice.ts'

/** What an open turn needs of the log: the slice holds only structure, the content is read when the turn runs. */
export interface TurnMaterial {
  readonly messages: readonly Message[]
  /** What manifests have brought, and the first of it that the turn began with. */
  readonly injections: readonly Injection[]
  readonly began: readonly Injection[]
  /** What the turn has said so far, and the decisions it was given. */
  readonly parts: readonly Part[]
  readonly answers: ReadonlyMap<number, unknown>
  readonly toolValues: ReadonlyMap<string, unknown>
  readonly toolNotes: ReadonlyMap<string, unknown>
  readonly decisions: ReadonlyMap<string, Decision>
}

/** Reads the content of an open turn, at least up to a seq. What actors are given is a copy: they may change it. */
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
  const decisions = new Map<string, Decision>()
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
      decisions.set(event.approvalId, { decision: event.decision, reason: event.payload?.reason })
      parts.push(responsePart(event))
    }
  }
  const began = injected.filter((event) => wanted.has(injectionId(event))).map(injectionOf)
  return { messages, injections: injected.map(injectionOf), began, parts, answers, toolValues, toolNotes, decisions }
}
