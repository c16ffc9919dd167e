import type { Actor, Runtime } from '@cool-ai/beach-core'
import { sessionSlice, sliceState, type EventDraft, type SessionState } from '@cool-ai/beach-core/log'
import { turnSlice, type MailboxEntry } from './turn-slice.ts'

export interface StartTurnOptions {
  readonly runtime: Runtime
  readonly actors: Readonly<Record<string, Actor>>
  /** The actor that begins each turn. */
  readonly entry: string
}

type Waiting = Pick<MailboxEntry, 'messageId' | 'actor'>

/** The start of a turn for what waits; none when nothing does. */
export function startTurn(state: SessionState, waiting: readonly Waiting[], options: StartTurnOptions): EventDraft[] {
  if (waiting.length === 0) return []
  const epoch = sliceState(sessionSlice, state).epoch + 1
  const messageIds = waiting.map(({ messageId }) => messageId)
  const turnId = options.runtime.id('turn')
  return [{ type: 'turnStarted', turnId, actor: firstActor(waiting, options), messageIds, epoch }]
}

/** The turn that a message starts in its own commit, when no other turn is open and nothing else waits. */
export function startTurnWith(
  state: SessionState,
  drafts: readonly EventDraft[],
  options: StartTurnOptions,
): EventDraft[] {
  const { turn, mailbox } = sliceState(turnSlice, state)
  if (turn !== undefined || mailbox.length > 0) return []
  return startTurn(
    state,
    drafts.filter((draft) => draft.type === 'messageReceived'),
    options,
  )
}

/** A message is for the actor that begins turns; results alone are for the one that asked for them. */
function firstActor(waiting: readonly Waiting[], { actors, entry }: StartTurnOptions): string {
  const [asked, ...others] = new Set(waiting.map(({ actor }) => actor))
  return asked !== undefined && others.length === 0 && Object.hasOwn(actors, asked) ? asked : entry
}
