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
  readonly seq: number
}

export interface ToolEntry {
  readonly callId: string
  readonly name: string
  readonly hash: string
  readonly idempotent: boolean
  readonly outcome?: 'ok' | 'failed' | 'unknown'
}

/** The turn that has not settled yet. */
export interface OpenTurn {
  readonly turnId: string
  readonly actor: string
  readonly turnState: string
  readonly messages: readonly MailboxEntry[]
  /** Resumes since the turn last made progress. */
  readonly attempt: number
  readonly steps: readonly StepEntry[]
  readonly tools: readonly ToolEntry[]
  readonly cancelled: boolean
}

/** The mailbox, the open turn, and where the last turns begin in the log. */
export interface TurnSliceState {
  readonly mailbox: readonly MailboxEntry[]
  readonly turn?: OpenTurn
  /** The place of the first message of each of the last turns, oldest first. */
  readonly recent: readonly number[]
}

const mostRecent = 50

/** One turn at a time: messages wait in the mailbox until a turn takes them. */
export const turnSlice: Slice<TurnSliceState> = {
  ns: 'turns',
  version: 1,
  initial: { mailbox: [], recent: [] },
  fold(state, event, seq) {
    switch (event.type) {
      case 'messageReceived':
        return { ...state, mailbox: [...state.mailbox, { messageId: event.messageId, seq }] }
      case 'turnStarted':
        return started(state, event, seq)
      case 'turnSettled':
        return state.turn?.turnId === event.turnId ? { mailbox: state.mailbox, recent: state.recent } : state
      case 'turnResumed':
      case 'stepCommitted':
      case 'turnStateChanged':
      case 'toolStarted':
      case 'toolFinished':
      case 'cancelRequested':
        return state.turn?.turnId === event.turnId ? { ...state, turn: progressed(state.turn, event, seq) } : state
      default:
        return state
    }
  },
  // Unfinished work needs a host at once; without any, nothing but a message wakes the session.
  nextWakeAt: (state) => (state.turn !== undefined || state.mailbox.length > 0 ? 0 : undefined),
}

function started(
  state: TurnSliceState,
  event: Extract<SessionEvent, { type: 'turnStarted' }>,
  seq: number,
): TurnSliceState {
  const taken = new Set(event.messageIds)
  const messages = state.mailbox.filter((entry) => taken.has(entry.messageId))
  return {
    mailbox: state.mailbox.filter((entry) => !taken.has(entry.messageId)),
    recent: [...state.recent, messages[0]?.seq ?? seq].slice(-mostRecent),
    turn: {
      turnId: event.turnId,
      actor: event.actor,
      turnState: 'awaiting',
      messages,
      attempt: 0,
      steps: [],
      tools: [],
      cancelled: false,
    },
  }
}

type TurnEvent = Extract<
  SessionEvent,
  { type: 'turnResumed' | 'stepCommitted' | 'turnStateChanged' | 'toolStarted' | 'toolFinished' | 'cancelRequested' }
>

function progressed(turn: OpenTurn, event: TurnEvent, seq: number): OpenTurn {
  switch (event.type) {
    case 'turnResumed':
      return { ...turn, attempt: event.attempt }
    case 'stepCommitted': {
      const step = { step: event.step, hash: event.hash, turnState: turn.turnState, seq }
      return { ...turn, attempt: 0, steps: [...turn.steps, step] }
    }
    case 'turnStateChanged': {
      const steps = turn.steps.map((step) =>
        step.step === event.step ? { ...step, turnState: event.turnState } : step,
      )
      return { ...turn, turnState: event.turnState, steps }
    }
    case 'toolStarted': {
      const { callId, name, hash, idempotent } = event
      return { ...turn, attempt: 0, tools: [...turn.tools, { callId, name, hash, idempotent }] }
    }
    case 'toolFinished': {
      const tools = turn.tools.map((tool) =>
        tool.callId === event.callId ? { ...tool, outcome: event.outcome } : tool,
      )
      return { ...turn, attempt: 0, tools }
    }
    case 'cancelRequested':
      return { ...turn, cancelled: true }
  }
}
