import type { Part } from '@cool-ai/beach-core'
import type { SessionEvent } from '@cool-ai/beach-core/log'
import { defined } from '@cool-ai/beach-core/runtime'
import type { EvaluationPart, EvaluationStep } from '../format/evaluation.ts'

/** What one participant did in a session, and the events until the next one did something. */
export interface SessionStep {
  readonly step: EvaluationStep
  readonly events: SessionEvent[]
}

/** A pause that is worth to be kept: shorter ones are people who read and write. */
const pauseMs = 60_000

type Of<Type extends SessionEvent['type']> = Extract<SessionEvent, { type: Type }>

/** The steps of a session: its messages, the decisions of people, and the time that passed in between. */
export function sessionSteps(events: readonly SessionEvent[], owner: string | undefined): SessionStep[] {
  const steps: SessionStep[] = []
  const tools = new Map<string, string>()
  let last: number | undefined
  for (const event of events) {
    if (event.type === 'partReceived') noteTool(tools, event)
    const step = stepOf(event, tools, owner)
    if (step !== undefined) {
      const pause = last === undefined ? 0 : event.at - last
      if (pause >= pauseMs) steps.push({ step: { advance: pauseText(pause) }, events: [] })
      steps.push({ step, events: [] })
    }
    // The time at which a user comes back is not that of what the agent did meanwhile.
    if (step !== undefined || event.type === 'turnSettled' || event.type === 'approvalRequested') last = event.at
    steps.at(-1)?.events.push(event)
  }
  return steps
}

function stepOf(event: SessionEvent, tools: ReadonlyMap<string, string>, owner: string | undefined) {
  if (event.type === 'messageReceived') return messageStep(event)
  return event.type === 'approvalDecided' ? decisionStep(event, tools.get(event.approvalId), owner) : undefined
}

function messageStep({ payload }: Of<'messageReceived'>): EvaluationStep | undefined {
  // What was erased cannot be said again.
  if (payload === undefined || payload.parts.length === 0) return undefined
  const [first] = payload.parts
  const isPlain = payload.parts.length === 1 && first?.metadata.partType === 'message' && first.data === undefined
  if (isPlain && first.text !== undefined && first.text !== '') return { say: first.text }
  return { send: payload.parts.map(sentPart) }
}

function sentPart({ text, data, metadata: { partType, ...metadata } }: Part): EvaluationPart {
  return defined({ partType, text, data, metadata: Object.keys(metadata).length > 0 ? metadata : undefined })
}

/** What a person has decided; expiry, policies and allowances come again by themselves. */
function decisionStep(
  { decision, payload, allowance }: Of<'approvalDecided'>,
  tool: string | undefined,
  owner: string | undefined,
): EvaluationStep | undefined {
  const { decidedBy = '', reason, args } = payload ?? {}
  const [kind = '', id] = decidedBy.split('~')
  if (allowance !== undefined || !isKind(kind) || id === undefined) return undefined
  const by = decidedBy === owner ? undefined : { kind, id: decodeURIComponent(id) }
  return decision === 'granted'
    ? { approve: defined({ tool, reason, args, by }) }
    : { deny: defined({ tool, reason, by }) }
}

function isKind(text: string): text is 'user' | 'operator' | 'peer' | 'anonymous' {
  return ['user', 'operator', 'peer', 'anonymous'].includes(text)
}

function noteTool(tools: Map<string, string>, { partType, payload }: Of<'partReceived'>): void {
  if (partType !== 'approval-request') return
  const { approvalId, toolName } = Object(payload?.part.data) as { approvalId?: unknown; toolName?: unknown }
  if (typeof approvalId === 'string' && typeof toolName === 'string') tools.set(approvalId, toolName)
}

function pauseText(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  return minutes % 1_440 === 0 ? `${minutes / 1_440} days` : `${minutes} minutes`
}
