import { sessionSlice, sliceState, type Coordinates, type SessionRecord, type SessionView } from '@cool-ai/beach-core'
import { pendingApprovals, turnSlice, type OpenTurn } from './turn-slice.ts'

/** What may be said of a session from its folded state alone. */
export function sessionView({ session, head, state }: SessionRecord, coordinates: Coordinates): SessionView {
  const { owner, epoch } = sliceState(sessionSlice, state)
  const { turn, mailbox } = sliceState(turnSlice, state)
  return {
    sessionId: session,
    head,
    epoch,
    coordinates,
    waiting: mailbox.length,
    ...(owner && { owner }),
    ...(turn && { turn: turnView(turn) }),
  }
}

function turnView(turn: OpenTurn) {
  return {
    turnId: turn.turnId,
    actor: turn.actor,
    turnState: turn.turnState,
    step: turn.steps.length,
    pendingApprovals: pendingApprovals(turn).map((approval) => approval.approvalId),
  }
}
