import type { Envelope, Originator, SessionView } from '@cool-ai/beach-core'
import type { TurnPreview } from '@cool-ai/beach-core/ports'

/** A previewed turn in the place of its session, for the code that makes answers of sessions. */
export function previewSessions(turn: TurnPreview) {
  const { turnId, turnState, pendingApprovals, isSettled } = turn
  const open = { turnId, turnState, pendingApprovals, actor: '', step: 0 }
  const view: Pick<SessionView, 'turn'> = isSettled ? {} : { turn: open }
  return {
    envelope: async (_session: string, _turn: string, to: Originator): Promise<Envelope | undefined> =>
      turn.envelope(to),
    view: async (): Promise<Pick<SessionView, 'turn'>> => view,
  }
}
