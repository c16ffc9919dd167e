import type { Originator, Part, Slice } from '@cool-ai/beach-core'
import type { SessionEvent } from '@cool-ai/beach-core/log'
import { peerOrigin, principalKey } from '@cool-ai/beach-core/ports'
import { contentHash } from '@cool-ai/beach-core/runtime'
import { a2uiActionOf, isPeer, type A2uiAction, type DeclaredAction } from '@cool-ai/beach-protocol/parts'
import { shown } from './shown.ts'

/** A surface that can be acted on: the last of its id, and the last in its slot. */
export interface LiveSurface {
  readonly surfaceId: string
  /** The part that created it, and where that is. */
  readonly partId: string
  readonly turnId: string
  readonly seq: number
  readonly slotKey?: string
  /** For a surface that the collector made of a request: the approval that it decides, and the only one it may. */
  readonly approvalId?: string
  /** The peer whose surface it is: actions on it are passed on. */
  readonly peer?: SurfaceOwner
  /** True when the surface has changed: a press may refer to its earlier content. */
  readonly isChanged?: true
  /** True when it wants its data back with every action. */
  readonly sendDataModel?: true
  /** Its catalog, where that is another than the Basic Catalog. */
  readonly catalogId?: string
  readonly actions: readonly DeclaredAction[]
  /** The characters of its actions. */
  readonly size: number
}

/** The peer that a surface belongs to, and where actions on it go. */
export interface SurfaceOwner {
  readonly id: string
  /** The peer's task in which it was shown, or changed last. */
  readonly taskId?: string
  /** The conversation with the peer; when its task has asked something, the one that answers that task. */
  readonly conversationId?: string
}

/** An action that no turn has answered yet: pressed again, it is the same message. */
interface Press {
  readonly key: string
  readonly messageId: string
  readonly seq: number
  /** The turn that has taken it. */
  readonly turnId?: string
}

export interface SurfacesState {
  /** Those touched last are last. */
  readonly live: readonly LiveSurface[]
  readonly pressed: readonly Press[]
}

/** What the session knows of the surfaces that people see. */
export const surfaceSlice: Slice<SurfacesState> = {
  ns: 'surfaces',
  version: 2,
  initial: { live: [], pressed: [] },
  fold(state, event, seq) {
    switch (event.type) {
      case 'partReceived':
      case 'slotSaid':
        if (event.payload === undefined) return state
        if (event.payload.part.metadata.partType === 'a2ui-surface') {
          return withLive(state, event, event.payload.part, seq)
        }
        return state.live.length === 0 ? state : withConversation(state, event.payload.part)
      case 'messageReceived': {
        const action = event.payload && onlyAction(event.payload.parts)
        if (event.payload === undefined || action === undefined) return state
        const key = pressKey(action, event.payload.from)
        return { ...state, pressed: [...state.pressed, { key, messageId: event.messageId, seq }] }
      }
      case 'turnStarted': {
        const taken = state.pressed.some(({ messageId }) => event.messageIds.includes(messageId))
        return taken ? { ...state, pressed: state.pressed.map((press) => takenBy(press, event)) } : state
      }
      case 'turnSettled': {
        const left = state.pressed.filter(({ turnId }) => turnId !== event.turnId)
        return left.length === state.pressed.length ? state : { ...state, pressed: left }
      }
      case 'dataErased':
        return event.scope === 'session' ? surfaceSlice.initial : state
      default:
        return state
    }
  },
}

function withLive(
  state: SurfacesState,
  event: Extract<SessionEvent, { type: 'partReceived' | 'slotSaid' }>,
  part: Part,
  seq: number,
): SurfacesState {
  const { turnId } = event
  const isStep = event.type === 'partReceived'
  const partId = isStep ? event.partId : `${event.manifestId}.${event.slot}~${event.index}`
  const approval = isStep && event.approvalId !== undefined ? { approvalId: event.approvalId } : {}
  return { ...state, live: shown(state.live, part, { partId, turnId, seq, ...approval }) }
}

/** The end of a call names the conversation to continue: that of a task that has asked something answers the task. */
function withConversation(state: SurfacesState, part: Part): SurfacesState {
  const { conversationId } = part.metadata
  const { peer, taskId } = peerOrigin(part) ?? {}
  if (typeof conversationId !== 'string' || taskId === undefined) return state
  const isOf = (surface: LiveSurface) => surface.peer?.id === peer && surface.peer?.taskId === taskId
  if (!state.live.some(isOf)) return state
  return {
    ...state,
    live: state.live.map((one) => (one.peer && isOf(one) ? { ...one, peer: { ...one.peer, conversationId } } : one)),
  }
}

function takenBy(press: Press, { turnId, messageIds }: Extract<SessionEvent, { type: 'turnStarted' }>): Press {
  return messageIds.includes(press.messageId) ? { ...press, turnId } : press
}

/** The action in a message; undefined for messages that are no action. */
export function onlyAction([part, ...more]: readonly Part[]): A2uiAction | undefined {
  return part?.metadata.partType !== 'a2ui-action' || more.length > 0 ? undefined : a2uiActionOf(part)
}

/** An id for what a user did on a surface. */
export function pressKey({ surfaceId, sourceComponentId, name, context }: A2uiAction, from: Originator): string {
  // A person's tabs and devices count as one; the tasks of a peer are told apart.
  const who = isPeer(from) ? from.id : principalKey(from.principal)
  return contentHash([who, surfaceId, sourceComponentId, name, context])
}

/** The dedupe key of a message that is one action: a retry has the time of the first try. */
export function retryKey({ surfaceId, sourceComponentId, name, context, timestamp }: A2uiAction): string {
  return `action:${contentHash([surfaceId, sourceComponentId, name, context, timestamp])}`
}
