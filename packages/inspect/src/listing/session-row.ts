import type { Part } from '@cool-ai/beach-core'
import type { LoggedEvent, SessionEvent } from '@cool-ai/beach-core/log'
import { defined } from '@cool-ai/beach-core/runtime'

/** How many events are between two marks: a page of events is found without reading those before it. */
export const eventsPerMark = 500
/** How many turns are between two marks of turns. */
export const turnsPerMark = 20

/** What the list of sessions shows of one: a projection of its log, which says how far it was read. */
export interface SessionRow {
  readonly sessionId: string
  readonly tenant: string
  readonly openedAt: number
  readonly lastAt: number
  /** The last event that was read. */
  readonly seq: number
  readonly events: number
  /** The seqs of the first event of each page of events. */
  readonly marks: readonly number[]
  /** For each page of turns, the seq from which on all of its first turn is found. */
  readonly turnMarks: readonly number[]
  /** The seq of the first message that waits for a turn. */
  readonly waitingFrom?: number | undefined
  readonly turns: number
  readonly messages: number
  readonly errors: number
  readonly tokens: number
  readonly cost: number
  /** `idle`, `waiting`, `running`, or the state of the last turn. */
  readonly state: string
  readonly owner?: { readonly kind: string; readonly id: string } | undefined
  /** The transports of its originators. */
  readonly channels: readonly string[]
  /** The first words of a message. */
  readonly title: string
  readonly pendingApprovals: readonly string[]
  readonly deadLetters: number
}

const maxTitle = 140
const maxChannels = 12

/** A session's row after its first event; undefined when that opens no session. */
export function openedRow(sessionId: string, { seq, event }: LoggedEvent): SessionRow | undefined {
  if (event.type !== 'sessionOpened') return undefined
  const { tenant, at, payload } = event
  return {
    sessionId,
    tenant,
    openedAt: at,
    lastAt: at,
    seq,
    events: 1,
    marks: [seq],
    turnMarks: [],
    turns: 0,
    messages: 0,
    errors: 0,
    tokens: 0,
    cost: 0,
    state: 'idle',
    owner: payload && { kind: payload.owner.kind, id: payload.owner.id },
    channels: [],
    title: '',
    pendingApprovals: [],
    deadLetters: 0,
  }
}

/** The row after one more event. */
export function foldRow(row: SessionRow, { seq, event }: LoggedEvent): SessionRow {
  const marks = row.events % eventsPerMark === 0 ? [...row.marks, seq] : row.marks
  const counted = { ...row, seq, lastAt: Math.max(row.lastAt, event.at), events: row.events + 1, marks }
  return { ...counted, ...changeOf(counted, event, seq) }
}

function changeOf(row: SessionRow, event: SessionEvent, seq: number): Partial<SessionRow> {
  switch (event.type) {
    case 'messageReceived': {
      const { from, parts = [] } = event.payload ?? {}
      return {
        messages: row.messages + 1,
        waitingFrom: row.waitingFrom ?? seq,
        state: row.state === 'running' ? row.state : 'waiting',
        channels: withChannel(row.channels, from?.transport),
        title: row.title || titleOf(parts),
      }
    }
    case 'originatorJoined':
      return { channels: withChannel(row.channels, event.payload?.originator.transport) }
    case 'turnStarted': {
      const isMarked = row.turns % turnsPerMark === 0
      return {
        turns: row.turns + 1,
        state: 'running',
        waitingFrom: undefined,
        turnMarks: isMarked ? [...row.turnMarks, row.waitingFrom ?? seq] : row.turnMarks,
      }
    }
    case 'turnResumed':
      return { state: 'running' }
    case 'turnStateChanged':
      return { state: event.turnState === 'suspended' ? 'suspended' : 'running' }
    case 'turnSettled': {
      const isError = event.turnState === 'error' || event.finalizedBy === 'error'
      return {
        state:
          row.waitingFrom !== undefined ? 'waiting' : event.finalizedBy === 'cancelled' ? 'cancelled' : event.turnState,
        errors: row.errors + (isError ? 1 : 0),
        pendingApprovals: [],
      }
    }
    case 'approvalRequested':
      return { pendingApprovals: [...row.pendingApprovals, event.approvalId].slice(-20) }
    case 'approvalDecided':
    case 'approvalVoided':
      return { pendingApprovals: row.pendingApprovals.filter((id) => id !== event.approvalId) }
    case 'deliveryFailed':
      return event.nextAt === undefined ? { deadLetters: row.deadLetters + 1 } : {}
    case 'deliveryRetried':
      return { deadLetters: Math.max(0, row.deadLetters - 1) }
    case 'actorNoted':
      return event.kind === 'usage' ? usageChange(row, event.payload?.value) : {}
    case 'dataErased':
      return event.scope === 'session' ? { state: 'erased', owner: undefined, title: '', channels: [] } : {}
    default:
      return {}
  }
}

function usageChange(row: SessionRow, value: unknown): Partial<SessionRow> {
  const { inputTokens, outputTokens, cost } = Object(value) as Record<string, unknown>
  return { tokens: row.tokens + numberOf(inputTokens) + numberOf(outputTokens), cost: row.cost + numberOf(cost) }
}

/** A number of a note, which any actor may have written. */
export function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}

function withChannel(channels: readonly string[], transport: string | undefined): readonly string[] {
  if (transport === undefined || channels.includes(transport) || channels.length >= maxChannels) return channels
  return [...channels, transport]
}

function titleOf(parts: readonly Part[]): string {
  const text = parts.flatMap((part) => part.text ?? []).join(' ')
  const words = text.slice(0, 1_000).replaceAll(/\s+/g, ' ').trim()
  return words.length > maxTitle ? `${words.slice(0, maxTitle - 1)}…` : words
}

/** The row as the list shows it. */
export function summaryOf({ seq: _, marks: __, turnMarks: ___, waitingFrom: ____, ...row }: SessionRow) {
  return defined(row)
}
