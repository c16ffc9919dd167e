import type { Part } from '@cool-ai/beach-core'
import type { SessionEvent } from '@cool-ai/beach-core/log'
import { defined } from '@cool-ai/beach-core/runtime'

/** A tool call as the log has it. */
export interface RecordedCall {
  readonly name: string
  readonly args: unknown
  readonly outcome?: string | undefined
  readonly result?: unknown
}

/** A request for an approval. */
export interface RecordedRequest {
  readonly approvalId: string
  readonly tool: string
  readonly args: unknown
}

interface RecordedPart {
  readonly partType: string
  readonly text?: string | undefined
  readonly data?: unknown
}

/** What the agent did in answer to one step of a conversation, or to all of them. */
export interface TurnRecord {
  /** The state of the last turn; empty when there was none. */
  readonly state: string
  /** What it said, a paragraph for each part. */
  readonly text: string
  readonly parts: readonly RecordedPart[]
  readonly tools: readonly RecordedCall[]
  /** The requests that are open in the end. */
  readonly approvals: readonly RecordedRequest[]
  readonly coordinates: Readonly<Record<string, string>>
  readonly tokens: number
  readonly cost: number
  readonly steps: number
  /** By the agent's clock. */
  readonly latencyMs: number
}

const answers: ReadonlySet<string> = new Set(['response', 'clarify', 'error'])

/** Folds a stretch of a log into what the agent did in it. */
export function recordOf(
  events: readonly SessionEvent[],
  { coordinates, latencyMs }: Pick<TurnRecord, 'coordinates' | 'latencyMs'>,
): TurnRecord {
  let state = ''
  const parts: RecordedPart[] = []
  const calls = new Map<string, RecordedCall>()
  const open = new Map<string, RecordedRequest>()
  const used = { tokens: 0, cost: 0, steps: 0 }
  for (const event of events) {
    switch (event.type) {
      case 'turnStateChanged':
      case 'turnSettled':
        state = event.turnState
        break
      case 'partReceived':
        parts.push(partOf(event.partType, event.payload?.part))
        if (event.partType === 'approval-request') noteRequest(open, event.payload?.part)
        break
      case 'approvalDecided':
      case 'approvalVoided':
        open.delete(event.approvalId)
        break
      case 'toolStarted':
        calls.set(event.callId, { name: event.name, args: event.payload?.args })
        break
      case 'toolFinished': {
        const call = calls.get(event.callId)
        if (call !== undefined)
          calls.set(event.callId, { ...call, outcome: event.outcome, result: event.payload?.value })
        break
      }
      case 'manifestOpened':
        for (const { slot, work } of event.slots) {
          // The call of a tool that runs in parallel to the turn has begun it, and is there already.
          const isCalled = [...calls.values()].some(({ name, outcome }) => name === work && outcome === undefined)
          if (isCalled) continue
          calls.set(`${event.manifestId}.${slot}`, { name: work, args: event.payload?.args[slot] })
        }
        break
      case 'sliceEvent':
      case 'slotSaid':
        noteSaid(parts, event.payload?.part)
        break
      case 'slotFilled': {
        noteSaid(parts, event.payload?.part)
        const call = calls.get(`${event.manifestId}.${event.slot}`)
        const result = event.payload?.part?.data ?? event.payload?.reason
        if (call !== undefined)
          calls.set(`${event.manifestId}.${event.slot}`, { ...call, outcome: event.outcome, result })
        break
      }
      case 'stepCommitted':
        used.steps++
        break
      case 'actorNoted':
        if (event.kind === 'usage') addUsage(used, event.payload?.value)
        break
      default:
    }
  }
  const text = parts.flatMap(({ partType, text: said }) => (answers.has(partType) && said !== undefined ? [said] : []))
  return {
    state,
    text: text.join('\n\n'),
    parts,
    tools: [...calls.values()],
    approvals: [...open.values()],
    coordinates,
    ...used,
    latencyMs,
  }
}

/** What slices show, and what work in parallel to the turn says and brings. */
function noteSaid(parts: RecordedPart[], part: Part | undefined): void {
  if (part !== undefined) parts.push(partOf(part.metadata.partType, part))
}

function partOf(partType: string, part: Part | undefined): RecordedPart {
  return defined({ partType, text: part?.text, data: part?.data })
}

function noteRequest(open: Map<string, RecordedRequest>, part: Part | undefined): void {
  const { approvalId, toolName, args } = Object(part?.data) as Record<string, unknown>
  if (typeof approvalId === 'string') open.set(approvalId, { approvalId, tool: String(toolName), args })
}

function addUsage(used: { tokens: number; cost: number }, value: unknown): void {
  const { inputTokens, outputTokens, cost } = Object(value) as Record<string, unknown>
  used.tokens += number(inputTokens) + number(outputTokens)
  used.cost += number(cost)
}

function number(value: unknown): number {
  return typeof value === 'number' ? value : 0
}
