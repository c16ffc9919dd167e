import type { Envelope, Originator, SessionView } from '@cool-ai/beach-core'
import type { ChannelPreview, PreviewItem, TurnPreview } from '@cool-ai/beach-core/ports'

/** A placeholder for a token, a code or a link that is made only when something is sent. As long as a code by SMS. */
export const hidden = '******'

/** A preview of a channel that gets settled answers; it says why, where there is nothing. */
export function bufferedPreview(
  label: string,
  { isSettled }: Pick<TurnPreview, 'isSettled'>,
  items: readonly PreviewItem[],
  note?: string,
): ChannelPreview {
  if (items.length > 0) return { label, items, note }
  const why = isSettled
    ? 'Nothing of this turn is for this channel.'
    : 'Nothing yet: this channel gets the answer once it is complete.'
  return { label, items, note: why }
}

/** A previewed turn in the place of its session, for the code that makes answers of sessions. */
export function previewSessions(turn: TurnPreview) {
  const { turnId, turnState, pendingApprovals, isSettled } = turn
  const open = { turnId, turnState, pendingApprovals, actor: '', step: 0 }
  const view: Pick<SessionView, 'turn'> = isSettled ? {} : { turn: open }
  return {
    envelope: async (
      _session: string,
      _turn: string,
      to: Originator,
      _atLeast?: number,
      _since?: number,
      without?: ReadonlySet<string>,
    ): Promise<Envelope | undefined> => turn.envelope(to, without),
    view: async (): Promise<Pick<SessionView, 'turn'>> => view,
  }
}
