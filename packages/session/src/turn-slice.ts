import type { SessionEvent, Slice } from '@cool-ai/beach-core'

/** A message in the mailbox: its content is in the log, at `seq`. */
interface MailboxEntry {
  readonly messageId: string
  readonly seq: number
}

interface StepEntry {
  readonly step: number
  readonly hash: string
  readonly turnState: string
}

export interface ToolEntry {
  readonly callId: string
  readonly hash: string
  readonly name: string
  readonly idempotent: boolean
  readonly outcome?: 'ok' | 'failed' | 'unknown'
}

export interface ApprovalEntry {
  readonly approvalId: string
  readonly expiresAt?: number
  readonly hash?: string
  readonly level?: 'admin'
  readonly decision?: 'granted' | 'denied'
}

/** The turn that has not settled yet. */
export interface OpenTurn {
  readonly turnId: string
  /** The actor that has the turn; it changes when the turn is passed on. */
  readonly actor: string
  readonly turnState: string
  readonly messages: readonly MailboxEntry[]
  /** Resumes since the turn last made progress. */
  readonly attempt: number
  readonly steps: readonly StepEntry[]
  readonly tools: readonly ToolEntry[]
  readonly approvals: readonly ApprovalEntry[]
  readonly cancelled: boolean
  /** True when a decision has come that no run has seen yet. */
  readonly decided: boolean
  /** How often the turn was passed on, and where in `steps` the present actor begins. */
  readonly handoffs: number
  readonly firstStep: number
}

/** The mailbox, the open turn, and what must be known of earlier ones. */
export interface TurnSliceState {
  readonly mailbox: readonly MailboxEntry[]
  readonly turn?: OpenTurn
  /** The last turns, oldest first, each with the place of its first message. */
  readonly recent: readonly { readonly turnId: string; readonly seq: number }[]
  /** Approvals of turns that have settled, latest last. */
  readonly closedApprovals: readonly string[]
}

const mostRecent = 50
const mostClosedApprovals = 200

/** One turn at a time: messages wait in the mailbox until a turn takes them. */
export const turnSlice: Slice<TurnSliceState> = {
  ns: 'turns',
  version: 5,
  initial: { mailbox: [], recent: [], closedApprovals: [] },
  fold(state, event, seq) {
    switch (event.type) {
      case 'messageReceived':
        return { ...state, mailbox: [...state.mailbox, { messageId: event.messageId, seq }] }
      case 'turnStarted':
        return started(state, event, seq)
      case 'turnSettled':
        return state.turn?.turnId === event.turnId ? settled(state, state.turn) : state
      case 'turnResumed':
      case 'stepCommitted':
      case 'turnStateChanged':
      case 'toolStarted':
      case 'toolFinished':
      case 'approvalRequested':
      case 'approvalDecided':
      case 'cancelRequested':
        return state.turn?.turnId === event.turnId ? { ...state, turn: progressed(state.turn, event) } : state
      default:
        return state
    }
  },
  nextWakeAt: ({ turn, mailbox }) => {
    if (turn === undefined) return mailbox.length > 0 ? 0 : undefined
    return isWaiting(turn) ? nextExpiry(turn) : 0
  },
}

/** True while the turn can only go on when somebody decides, or an approval expires. */
export function isWaiting(turn: OpenTurn): boolean {
  return turn.turnState === 'suspended' && !turn.cancelled && !turn.decided && pendingApprovals(turn).length > 0
}

export function pendingApprovals(turn: OpenTurn): ApprovalEntry[] {
  return turn.approvals.filter((approval) => approval.decision === undefined)
}

function nextExpiry(turn: OpenTurn): number | undefined {
  const times = pendingApprovals(turn).flatMap((approval) => approval.expiresAt ?? [])
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
    recent: [...state.recent, { turnId: event.turnId, seq: messages[0]?.seq ?? seq }].slice(-mostRecent),
    turn: {
      turnId: event.turnId,
      actor: event.actor,
      turnState: 'awaiting',
      messages,
      attempt: 0,
      steps: [],
      tools: [],
      approvals: [],
      cancelled: false,
      decided: false,
      handoffs: 0,
      firstStep: 0,
    },
  }
}

function settled({ turn: _, ...state }: TurnSliceState, { approvals }: OpenTurn): TurnSliceState {
  const closed = [...state.closedApprovals, ...approvals.map((approval) => approval.approvalId)]
  return { ...state, closedApprovals: closed.slice(-mostClosedApprovals) }
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
      | 'cancelRequested'
  }
>

function progressed(turn: OpenTurn, event: TurnEvent): OpenTurn {
  switch (event.type) {
    case 'turnResumed':
      // What was decided before is seen by the run that begins now; what is decided from here on needs another.
      return { ...turn, attempt: event.attempt, turnState: 'awaiting', decided: false }
    case 'stepCommitted': {
      const step = { step: event.step, hash: event.hash, turnState: turn.turnState }
      return { ...turn, attempt: 0, steps: [...turn.steps, step] }
    }
    case 'turnStateChanged':
      return inState(turn, event)
    case 'toolStarted': {
      const { callId, name, hash, idempotent } = event
      return { ...turn, attempt: 0, tools: [...turn.tools, { callId, name, hash, idempotent }] }
    }
    case 'toolFinished': {
      const { callId, outcome } = event
      const tools = turn.tools.map((tool) => (tool.callId === callId ? { ...tool, outcome } : tool))
      return { ...turn, attempt: 0, tools }
    }
    case 'approvalRequested': {
      const { approvalId, expiresAt, hash, level } = event
      const approval: ApprovalEntry = {
        approvalId,
        ...(expiresAt !== undefined && { expiresAt }),
        ...(hash !== undefined && { hash }),
        ...(level !== undefined && { level }),
      }
      return { ...turn, approvals: [...turn.approvals, approval] }
    }
    case 'approvalDecided': {
      const { approvalId, decision } = event
      const approvals = turn.approvals.map((approval) =>
        approval.approvalId === approvalId ? { ...approval, decision } : approval,
      )
      // A grant by policy is the host's own: nobody has to be woken for it.
      return { ...turn, attempt: 0, approvals, decided: turn.decided || event.epoch === undefined }
    }
    case 'cancelRequested':
      return { ...turn, cancelled: true }
  }
}

function inState(turn: OpenTurn, event: Extract<SessionEvent, { type: 'turnStateChanged' }>): OpenTurn {
  const { turnState, step, passTo } = event
  const steps = turn.steps.map((entry) => (entry.step === step ? { ...entry, turnState } : entry))
  if (passTo === undefined) return { ...turn, turnState, steps }
  const begin = { firstStep: steps.length, handoffs: turn.handoffs + 1 }
  return { ...turn, ...begin, turnState: 'awaiting', actor: passTo, steps }
}
