import { sessionSlice, sliceState, type EventDraft, type SessionState } from '@cool-ai/beach-core/log'
import type { TurnRunContext } from './turn-run.ts'
import { turnSlice, type MailboxEntry } from './turn-slice.ts'

type Waiting = Pick<MailboxEntry, 'messageId' | 'actor'>

/** The start of a turn for what waits; none when nothing does. */
export function startTurn(
  state: SessionState,
  waiting: readonly Waiting[],
  { runtime, actors, entry }: TurnRunContext,
): EventDraft[] {
  if (waiting.length === 0) return []
  const epoch = sliceState(sessionSlice, state).epoch + 1
  const messageIds = waiting.map(({ messageId }) => messageId)
  // A message is for the actor that begins turns; results alone are for the one that asked for them.
  const [asked, ...others] = new Set(waiting.map((one) => one.actor))
  const actor = asked !== undefined && others.length === 0 && Object.hasOwn(actors, asked) ? asked : entry
  return [{ type: 'turnStarted', turnId: runtime.id('turn'), actor, messageIds, epoch }]
}

/** The turn that a message starts in its own commit, when no other turn is open and nothing else waits. */
export function startTurnWith(
  state: SessionState,
  drafts: readonly EventDraft[],
  context: TurnRunContext,
): EventDraft[] {
  const { turn, mailbox } = sliceState(turnSlice, state)
  if (turn !== undefined || mailbox.length > 0) return []
  const received = drafts.filter((draft) => draft.type === 'messageReceived')
  return startTurn(state, received, context)
}
