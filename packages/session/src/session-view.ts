import { sessionSlice, sliceState, type SessionRecord, type SessionView } from '@cool-ai/beach-core'
import { turnSlice } from './turn-slice.ts'

/** What may be said of a session from its folded state alone. */
export function sessionView({ session, head, state }: SessionRecord): SessionView {
  const { owner, epoch } = sliceState(sessionSlice, state)
  const { turn, mailbox } = sliceState(turnSlice, state)
  return {
    sessionId: session,
    head,
    epoch,
    waiting: mailbox.length,
    ...(owner && { owner }),
    ...(turn && {
      turn: { turnId: turn.turnId, actor: turn.actor, turnState: turn.turnState, step: turn.steps.length },
    }),
  }
}
