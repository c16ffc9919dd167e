import type { ApprovalAnswer, FramePosition, PostResult } from '@cool-ai/beach-core/ports'
import type { TakenRun } from './intake.ts'
import type { RunInput } from './run-input.ts'
import type { RunWarning } from './run-warning.ts'
import type { AskedApproval, KnownMessage, RunStart, ShownCall, Thread } from './thread.ts'

/** What is known of a run once it was taken in. */
interface AcceptedRun {
  readonly input: RunInput
  readonly thread: Thread | undefined
  readonly earlier: RunStart | undefined
  readonly during: string | undefined
  readonly posted: PostResult | undefined
  readonly decisions: readonly ApprovalAnswer[]
  /** The calls of the client that the run has ended. */
  readonly calls: readonly ShownCall[]
  readonly isAnswer: boolean
  readonly notices: readonly RunWarning[]
  readonly at: number
}

/** What a run waits for, and from where it is told. */
export function placed({
  input,
  thread,
  earlier,
  during,
  posted,
  decisions,
  calls,
  isAnswer,
  notices,
  at,
}: AcceptedRun): TakenRun {
  const approvals = decisions.flatMap(({ approvalId }) => thread?.approvals.get(approvalId) ?? [])
  const answered = [...approvals, ...calls]
  const turns = new Set(answered.map(({ turnId }) => turnId))
  const awaits = new Set<string>()
  if (posted !== undefined) awaits.add(posted.messageId)
  if (earlier !== undefined) awaits.add(earlier.messageId)
  // What came by another run and waits for its turn: that may be a run whose connection broke, or one that was told to
  // decide something first.
  if (answered.length > 0 || awaits.size === 0) for (const messageId of thread?.waiting ?? []) awaits.add(messageId)
  const exists = thread !== undefined || posted !== undefined
  const rests = answered.length === 0 && thread !== undefined && thread.rests(at)
  const taken = { exists, turns, awaits, notices, rests }
  if (answered.length > 0) return { ...taken, from: firstOf(approvals, calls) }
  if (earlier !== undefined) return { ...taken, from: earlier.after, hides: earlier.during }
  const own = posted && { from: posted.seq }
  if (own !== undefined && isAnswer) return { ...taken, from: own }
  const known = thread && lastKnown(input, thread)
  if (own === undefined && thread !== undefined) return { ...taken, ...goingOn(thread, known) }
  if (known !== undefined) return { ...taken, from: known }
  return { ...taken, from: own, hides: during }
}

/** After the first decision, or with the first result, since the client may not have brought it itself. */
function firstOf(approvals: readonly AskedApproval[], calls: readonly ShownCall[]): FramePosition {
  const decided = Math.min(...approvals.map(({ asked, decided: at = asked }) => Number(at)))
  const finished = Math.min(...calls.map(({ started, finished: at = started }) => Number(at)))
  return decided < finished ? String(decided) : { from: finished }
}

/** A run that brings nothing shows what the client lacks, and whatever is under way. */
function goingOn({ openTurn }: Thread, from: string | undefined): Partial<TakenRun> {
  return openTurn === undefined ? { from } : { from, turns: new Set([openTurn.turnId]) }
}

/** The last event of which the client shows that it knows it: everything after that is new to it. */
function lastKnown({ messages }: RunInput, thread: Thread): string | undefined {
  let last: (KnownMessage & { readonly id: string; readonly has: number }) | undefined
  for (const { id, content } of messages) {
    const known = thread.messages.get(id) ?? thread.toolMessages.get(id)
    if (known === undefined || Number(known.cursor) < Number(last?.cursor ?? 0)) continue
    last = { ...known, id, has: typeof content === 'string' ? content.length : known.length }
  }
  if (last === undefined) return undefined
  const { id, turnId, cursor, after, has, length } = last
  if (has < length) return after
  // Who has the last text of a turn that is over has the rest of that turn too.
  const turn = turnId === undefined ? undefined : thread.turns.get(turnId)
  return turn?.last === id ? (turn.settled ?? cursor) : cursor
}

/**
 * True for a client that shows which messages it has, and so that it lacks some: another one may have been shown them, or
 * the turn that they are of was left out. What is being said right now is for the run that has asked for it.
 */
export function lacksText({ from }: TakenRun, thread: Thread | undefined, during: string | undefined): boolean {
  if (thread === undefined || typeof from !== 'string') return false
  return [...thread.messages.values(), ...thread.toolMessages.values()].some(({ cursor, turnId }) => {
    return Number(cursor) > Number(from) && (turnId === undefined || turnId !== during)
  })
}
