import type { Slice, TurnState } from '@cool-ai/beach-core'
import { sliceState, type OriginatorJoined, type SessionEvent, type SessionState } from '@cool-ai/beach-core/log'
import { mergedOrigins, originsOfMessage, principalKey } from '@cool-ai/beach-core/ports'
import { defined, endOf, traceIdOf, type Wait } from '@cool-ai/beach-core/runtime'

/** A message in the mailbox, or a result that came after its turn: its content is in the log, at `seq`. */
export interface MailboxEntry {
  readonly messageId: string
  readonly seq: number
  /** The originators that get the answer to it. */
  readonly originators: readonly string[]
  /** How many turns in a row began with results only. */
  readonly depth: number
  /** For a result, the actor that asked for it. */
  readonly actor?: string
  /** The trace context that it came in. */
  readonly trace?: string
  /** Its foreign origins, where it has any. */
  readonly origins?: readonly string[]
}

interface StepEntry {
  readonly step: number
  readonly hash: string
  readonly turnState: TurnState
}

export interface ToolEntry {
  readonly callId: string
  readonly hash: string
  readonly name: string
  readonly idempotent: boolean
  readonly startedAt: number
  readonly outcome?: 'ok' | 'failed' | 'unknown'
  /** The originator whose client runs it, until when, and by what its result is known. */
  readonly client?: string
  readonly expiresAt?: number
  readonly resultHash?: string
}

export interface ApprovalEntry {
  readonly approvalId: string
  readonly requestedAt: number
  readonly expiresAt?: number
  readonly hash?: string
  readonly level?: 'admin'
  readonly decision?: 'granted' | 'denied'
  /** By which the decision is known when it comes again. */
  readonly dedupeKey?: string
  /** True when the call has changed since. */
  readonly isVoid?: true
  /** Other approvers who were asked because no decision came. */
  readonly alsoAsked?: readonly AskedApprover[]
}

interface AskedApprover {
  readonly originatorId: string
  /** The key of its principal; absent when the data was erased. */
  readonly principal?: string
}

/** What must be known of an approval when its turn has settled. */
type ClosedApproval = Pick<ApprovalEntry, 'approvalId' | 'decision' | 'dedupeKey' | 'alsoAsked'>

/** The turn that has not settled yet. */
export interface OpenTurn {
  readonly turnId: string
  /** The actor that has the turn; it changes when the turn is passed on. */
  readonly actor: string
  readonly turnState: TurnState
  /** What it began with. */
  readonly messages: readonly MailboxEntry[]
  /** The originators that its answer is for, besides those that get everything. */
  readonly originators: readonly string[]
  readonly depth: number
  /** Results that have come while it is open. */
  readonly injections: readonly MailboxEntry[]
  readonly manifests: readonly { readonly manifestId: string; readonly hash: string }[]
  /** How often it has failed, and when it is to be tried again. */
  readonly failures: number
  readonly retryAt?: number
  /** When that was planned. */
  readonly retryFrom?: number
  /** Set when its actor has released it: how many results it had seen by then. */
  readonly released?: number
  /** Resumes since the turn last made progress. */
  readonly attempt: number
  readonly steps: readonly StepEntry[]
  readonly tools: readonly ToolEntry[]
  readonly approvals: readonly ApprovalEntry[]
  readonly cancelled: boolean
  /** True when a decision, or the result of a client, has come that no run has seen yet. */
  readonly decided: boolean
  /** True while its actor has let go of it until clients have run what they were called for. */
  readonly waitsForClient?: true
  /** The foreign origins of all that it has seen, as far as that is on record; absent without any. */
  readonly origins?: readonly string[]
  /** How often the turn was passed on, and where in `steps` the present actor begins. */
  readonly handoffs: number
  readonly firstStep: number
}

/** A recent turn, and how it ended. */
export interface RecentTurn {
  readonly turnId: string
  readonly seq: number
  readonly turnState?: TurnState
  /** True when its question needs no answer any more. */
  readonly isWithdrawn?: true
  /** The foreign origins of what it had seen; absent without any. */
  readonly origins?: readonly string[]
}

/** The mailbox, the open turn, and what must be known of earlier ones. */
export interface TurnSliceState {
  readonly mailbox: readonly MailboxEntry[]
  readonly turn?: OpenTurn
  /** The last turns, oldest first, each with the place of its first message. */
  readonly recent: readonly RecentTurn[]
  /** Approvals of settled turns, latest last. */
  readonly closedApprovals: readonly ClosedApproval[]
  /** How many turns the session has had. */
  readonly turns: number
}

const maxRecent = 50
const maxClosedApprovals = 200

/** One turn at a time: messages wait in the mailbox until a turn takes them. */
export const turnSlice: Slice<TurnSliceState> = {
  ns: 'turns',
  version: 13,
  initial: { mailbox: [], recent: [], closedApprovals: [], turns: 0 },
  fold(state, event, seq) {
    switch (event.type) {
      case 'messageReceived': {
        const { messageId, originatorId, trace } = event
        // Logs of before lack the origins: they follow from the content.
        const { from, parts } = event.payload ?? {}
        const origins = event.origins ?? (from && originsOfMessage(from, parts ?? []))
        const entry = { messageId, seq, originators: [originatorId], depth: 0, ...(trace !== undefined && { trace }) }
        return { ...state, mailbox: [...state.mailbox, withOrigins(entry, origins)] }
      }
      case 'slotFilled':
      case 'manifestSettled':
        return injected(state, event, seq)
      case 'turnStarted':
        return started(state, event, seq)
      case 'turnSettled':
        return state.turn?.turnId === event.turnId ? settled(state, state.turn, event.turnState) : state
      case 'dataErased':
        // There is nothing left that a turn could answer.
        return event.scope === 'session' ? { ...state, mailbox: [] } : state
      case 'questionWithdrawn':
        return {
          ...state,
          recent: state.recent.map((turn) => (turn.turnId === event.turnId ? { ...turn, isWithdrawn: true } : turn)),
        }
      case 'originatorJoined':
        return state.turn === undefined ? state : { ...state, turn: withAskedApprover(state.turn, event) }
      case 'turnResumed':
      case 'stepCommitted':
      case 'turnStateChanged':
      case 'toolStarted':
      case 'toolFinished':
      case 'approvalRequested':
      case 'approvalDecided':
      case 'approvalVoided':
      case 'turnRetryScheduled':
      case 'manifestOpened':
      case 'cancelRequested':
        return state.turn?.turnId === event.turnId ? { ...state, turn: progressed(state.turn, event) } : state
      default:
        return state
    }
  },
  nextWakeAt: ({ turn, mailbox }, _, now) => {
    if (turn === undefined) return mailbox.length > 0 ? 0 : undefined
    if (!isWaiting(turn)) return 0
    const retry = retryOf(turn)
    return retry === undefined ? nextExpiry(turn) : endOf(retry, now)
  },
}

/** True while the turn can only go on when an approver decides, a client answers, either takes too long, a result comes, or it is time to try again. */
export function isWaiting(turn: OpenTurn): boolean {
  if (turn.cancelled) return false
  if (turn.retryAt !== undefined) return true
  if (turn.released !== undefined) return turn.injections.length <= turn.released
  if (turn.waitsForClient === true) return !turn.decided && pendingCalls(turn).length > 0
  return turn.turnState === 'suspended' && !turn.decided && pendingApprovals(turn).length > 0
}

/** The trace context that a turn continues: that of the first message which came with one. */
export function traceOf({ messages }: Pick<OpenTurn, 'messages'>): string | undefined {
  return messages.find(({ trace }) => trace !== undefined)?.trace
}

/** The trace id of the session's open turn. */
export function openTurnTrace(state: SessionState): string | undefined {
  const { turn } = sliceState(turnSlice, state)
  return turn && traceIdOf(turn.turnId, traceOf(turn))
}

/** True for a turn in the middle of which its host has left it; others wait, or go on because of what they waited for. */
export function isInterrupted(turn: OpenTurn): boolean {
  const { turnState, retryAt, released, waitsForClient, decided } = turn
  return turnState !== 'suspended' && (retryAt ?? released) === undefined && waitsForClient !== true && !decided
}

/** How long a turn that failed waits to be tried again. */
export function retryOf({ retryAt, retryFrom = -Infinity }: OpenTurn): Wait | undefined {
  return retryAt === undefined ? undefined : { since: retryFrom, until: retryAt }
}

export function pendingApprovals(turn: OpenTurn): ApprovalEntry[] {
  return turn.approvals.filter((approval) => approval.decision === undefined && approval.isVoid !== true)
}

/** The calls that clients have not answered yet. */
export function pendingCalls(turn: OpenTurn): ToolEntry[] {
  return turn.tools.filter((tool) => tool.client !== undefined && tool.outcome === undefined)
}

/** The id of an injection, in the mailbox and in the turn that takes it. */
export function injectionId(event: Extract<SessionEvent, { type: 'slotFilled' | 'manifestSettled' }>): string {
  return event.type === 'slotFilled' ? `${event.manifestId}.${event.slot}` : event.manifestId
}

/** A result goes to the turn that opened its manifest or, when that is over, into the mailbox. */
function injected(
  state: TurnSliceState,
  event: Extract<SessionEvent, { type: 'slotFilled' | 'manifestSettled' }>,
  seq: number,
): TurnSliceState {
  const { originators, depth, actor, trace } = event
  const origins = event.type === 'slotFilled' ? event.origins : undefined
  const entry: MailboxEntry = withOrigins(
    defined({ messageId: injectionId(event), seq, originators, depth, actor, trace }),
    origins,
  )
  if (state.turn?.turnId === event.turnId) {
    const turn = withOrigins(state.turn, origins)
    return { ...state, turn: { ...turn, attempt: 0, injections: [...turn.injections, entry] } }
  }
  // Work that a cancelled turn had started is no longer needed.
  if (event.type === 'manifestSettled' && event.finalizedBy === 'cancelled') return state
  return { ...state, mailbox: [...state.mailbox, entry] }
}

function nextExpiry(turn: OpenTurn): number | undefined {
  const times = [...pendingApprovals(turn), ...pendingCalls(turn)].flatMap(({ expiresAt }) => expiresAt ?? [])
  return times.length === 0 ? undefined : Math.min(...times)
}

function started(
  state: TurnSliceState,
  event: Extract<SessionEvent, { type: 'turnStarted' }>,
  seq: number,
): TurnSliceState {
  const taken = new Set(event.messageIds)
  const messages = state.mailbox.filter((entry) => taken.has(entry.messageId))
  return {
    ...state,
    mailbox: state.mailbox.filter((entry) => !taken.has(entry.messageId)),
    recent: [...state.recent, { turnId: event.turnId, seq: messages[0]?.seq ?? seq }].slice(-maxRecent),
    turns: state.turns + 1,
    turn: withOrigins(
      {
        turnId: event.turnId,
        actor: event.actor,
        turnState: 'awaiting',
        messages,
        originators: [...new Set(messages.flatMap((entry) => entry.originators))],
        // A message ends a series of turns that began with results only.
        depth: messages.length === 0 ? 0 : Math.min(...messages.map((entry) => entry.depth)),
        injections: [],
        manifests: [],
        failures: 0,
        attempt: 0,
        steps: [],
        tools: [],
        approvals: [],
        cancelled: false,
        decided: false,
        handoffs: 0,
        firstStep: 0,
      },
      ...messages.map((entry) => entry.origins),
    ),
  }
}

/** The same with further foreign origins. */
function withOrigins<Has extends object>(
  before: Has & { readonly origins?: readonly string[] },
  ...more: readonly (readonly string[] | undefined)[]
): Has & { readonly origins?: readonly string[] } {
  if (more.every((list) => list === undefined || list.length === 0)) return before
  return { ...before, origins: mergedOrigins(before.origins, ...more) }
}

function settled(
  before: TurnSliceState,
  { turnId, approvals, origins }: OpenTurn,
  turnState: TurnState,
): TurnSliceState {
  const { turn: _, ...state } = before
  const closed = [...state.closedApprovals, ...approvals.map(closedApproval)]
  const recent = state.recent.map((turn) =>
    turn.turnId === turnId ? withOrigins({ ...turn, turnState }, origins) : turn,
  )
  return { ...state, recent, closedApprovals: closed.slice(-maxClosedApprovals) }
}

function closedApproval({ approvalId, decision, dedupeKey, alsoAsked }: ApprovalEntry): ClosedApproval {
  return defined({ approvalId, decision, dedupeKey, alsoAsked })
}

type TurnEvent = Extract<
  SessionEvent,
  {
    type:
      | 'turnResumed'
      | 'stepCommitted'
      | 'turnStateChanged'
      | 'toolStarted'
      | 'toolFinished'
      | 'approvalRequested'
      | 'approvalDecided'
      | 'approvalVoided'
      | 'turnRetryScheduled'
      | 'manifestOpened'
      | 'cancelRequested'
  }
>

function progressed(turn: OpenTurn, event: TurnEvent): OpenTurn {
  switch (event.type) {
    case 'turnResumed': {
      const { retryAt: _, retryFrom: __, released: ___, waitsForClient: ____, ...rest } = turn
      // Decisions made so far are seen by the run that begins now; later ones need another run.
      return { ...rest, attempt: event.attempt, turnState: 'awaiting', decided: false }
    }
    case 'turnRetryScheduled':
      return { ...turn, attempt: 0, failures: event.failures, retryAt: event.retryAt, retryFrom: event.at }
    case 'manifestOpened': {
      const { manifestId, hash } = event
      return { ...turn, attempt: 0, manifests: [...turn.manifests, { manifestId, hash }] }
    }
    case 'stepCommitted': {
      const step = { step: event.step, hash: event.hash, turnState: turn.turnState }
      return withOrigins({ ...turn, attempt: 0, steps: [...turn.steps, step] }, event.origins)
    }
    case 'turnStateChanged': {
      const { turnState, step, passTo, released, waitsForClient } = event
      const steps = turn.steps.map((entry) => (entry.step === step ? { ...entry, turnState } : entry))
      if (released !== undefined) return { ...turn, turnState, steps, released }
      if (waitsForClient === true) return { ...turn, turnState, steps, waitsForClient }
      if (passTo === undefined) return { ...turn, turnState, steps }
      const begin = { firstStep: steps.length, handoffs: turn.handoffs + 1 }
      return { ...turn, ...begin, turnState: 'awaiting', actor: passTo, steps }
    }
    case 'toolStarted': {
      const { callId, name, hash, idempotent, client, expiresAt } = event
      const tool = defined({ callId, name, hash, idempotent, startedAt: event.at, client, expiresAt })
      return { ...turn, attempt: 0, tools: [...turn.tools, tool] }
    }
    case 'toolFinished': {
      const { callId, outcome, client, payload } = event
      const result = payload?.hash === undefined ? { outcome } : { outcome, resultHash: payload.hash }
      const tools = turn.tools.map((tool) => (tool.callId === callId ? { ...tool, ...result } : tool))
      // What a host writes needs no other host.
      const isBrought = client !== undefined && event.epoch === undefined
      return withOrigins({ ...turn, attempt: 0, tools, decided: turn.decided || isBrought }, event.origins)
    }
    case 'approvalRequested': {
      const { approvalId, expiresAt, hash, level } = event
      const approval: ApprovalEntry = defined({ approvalId, requestedAt: event.at, expiresAt, hash, level })
      return { ...turn, approvals: [...turn.approvals, approval] }
    }
    case 'approvalDecided': {
      const { approvalId, decision, dedupeKey } = event
      const key = dedupeKey === undefined ? undefined : { dedupeKey }
      const approvals = withApproval(turn, approvalId, { decision, ...key })
      // A grant by policy is the host's own: no other host has to be woken for it.
      return { ...turn, attempt: 0, approvals, decided: turn.decided || event.epoch === undefined }
    }
    case 'approvalVoided':
      return { ...turn, approvals: withApproval(turn, event.approvalId, { isVoid: true }) }
    case 'cancelRequested':
      return { ...turn, cancelled: true }
  }
}

function withApproval(
  { approvals }: OpenTurn,
  approvalId: string,
  change: Pick<ApprovalEntry, 'decision' | 'dedupeKey' | 'isVoid' | 'alsoAsked'>,
): ApprovalEntry[] {
  return approvals.map((approval) => (approval.approvalId === approvalId ? { ...approval, ...change } : approval))
}

function withAskedApprover(turn: OpenTurn, { approvalId, originatorId, payload }: OriginatorJoined): OpenTurn {
  const before = turn.approvals.find((entry) => entry.approvalId === approvalId)
  if (approvalId === undefined || before === undefined) return turn
  const principal = payload && principalKey(payload.originator.principal)
  const others = (before.alsoAsked ?? []).filter((asked) => asked.originatorId !== originatorId)
  const alsoAsked = [...others, defined({ originatorId, principal })]
  return { ...turn, approvals: withApproval(turn, approvalId, { alsoAsked }) }
}
