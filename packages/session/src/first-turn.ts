import type { Runtime } from '@cool-ai/beach-core'
import { sessionSlice, sliceState, type EventDraft, type SessionState } from '@cool-ai/beach-core/log'
import { turnSlice } from './turn-slice.ts'

/** The turn that a message begins by itself, when nothing else is open or waits in its session. */
export function firstTurn(
  state: SessionState,
  drafts: readonly EventDraft[],
  { runtime, entry }: { readonly runtime: Runtime; readonly entry: string },
): EventDraft[] {
  const { turn, mailbox } = sliceState(turnSlice, state)
  if (turn !== undefined || mailbox.length > 0) return []
  const messageIds = drafts.flatMap((draft) => (draft.type === 'messageReceived' ? draft.messageId : []))
  if (messageIds.length === 0) return []
  const epoch = sliceState(sessionSlice, state).epoch + 1
  return [{ type: 'turnStarted', turnId: runtime.id('turn'), actor: entry, messageIds, epoch }]
}
