import { BeachError, type Inbound, type Part } from '@cool-ai/beach-core'
import { sliceState, type SessionState } from '@cool-ai/beach-core/log'
import type { ApprovalAnswer, PostResult, SessionPeers } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import {
  a2uiActionOf,
  a2uiClientDataModelSchema,
  approvalAction,
  isA2uiAction,
  matchAction,
  type A2uiAction,
  type DeclaredAction,
} from '@cool-ai/beach-protocol/parts'
import { onlyAction, pressKey, surfaceSlice, type LiveSurface } from './surface-slice.ts'

type KnownPeers = Pick<SessionPeers, 'scopesOf'> | undefined

/**
 * The parts of a message as they are kept: actions are checked against the surfaces that people see now. An action on a
 * surface of a peer gets the peer and the conversation, because the surface may have changed when the turn begins.
 */
export function keepParts(state: SessionState, parts: readonly Part[], peers: KnownPeers): readonly Part[] {
  return parts.map((part) => keepPart(state, part, peers))
}

/** The message with the same action, if no turn has answered it yet. */
export function repeatedPress(
  state: SessionState,
  { from, parts }: Inbound,
): Pick<PostResult, 'seq' | 'messageId'> | undefined {
  const action = onlyAction(parts)
  const key = action && pressKey(action, from)
  const before = sliceState(surfaceSlice, state).pressed.find((press) => press.key === key)
  return before && { seq: before.seq, messageId: before.messageId }
}

/** The decision in an action on the surface of an approval. */
export function pressedDecision(state: SessionState, parts: readonly Part[]): ApprovalAnswer {
  const [part, ...more] = parts
  const action = part === undefined ? undefined : a2uiActionOf(part)
  if (action === undefined || more.length > 0) {
    throw new BeachError('BAD_REQUEST', 'An action that decides an approval must be alone in its message.')
  }
  const { approvalId } = theSurface(state, action)
  theAction(state, action)
  const { decision } = action.context
  // The surface says which approval it is for; the slice remembers no other.
  if (approvalId === undefined || (decision !== 'granted' && decision !== 'denied')) {
    throw new BeachError('INVALID_PART', 'This action decides no approval.')
  }
  return { approvalId, decision }
}

function keepPart(state: SessionState, part: Part, peers: KnownPeers): Part {
  if (!isA2uiAction(part)) return part
  const action = a2uiActionOf(part)
  if (action === undefined) throw new BeachError('INVALID_PART', 'This is not an action of A2UI.')
  if (action.name === approvalAction) {
    throw new BeachError('INVALID_PART', `The action '${approvalAction}' decides an approval: it is no message.`)
  }
  const { label } = theAction(state, action)
  const { peer } = theSurface(state, action)
  if (peer !== undefined && peers?.scopesOf(peer.id) === undefined) {
    throw new BeachError('STALE_SURFACE', 'This surface is of another agent, which cannot be asked here any more.')
  }
  const { label: _, to: __, a2uiClientDataModel: model, ...metadata } = part.metadata
  const to = peer && defined({ peer: peer.id, conversationId: peer.conversationId })
  return { ...part, metadata: { ...metadata, ...defined({ label, to }), ...wantedData(state, model, peer?.id) } }
}

/** The data of surfaces of the same agent that have asked for it. */
function wantedData(state: SessionState, model: unknown, peer: string | undefined): Readonly<Record<string, unknown>> {
  const sent = a2uiClientDataModelSchema.safeParse(model).data
  if (sent === undefined) return {}
  const live = sliceState(surfaceSlice, state).live.filter((surface) => surface.peer?.id === peer)
  const asking = new Set(live.flatMap((surface) => (surface.sendDataModel ? [surface.surfaceId] : [])))
  const surfaces = Object.entries(sent.surfaces).filter(([surfaceId]) => asking.has(surfaceId))
  return surfaces.length === 0 ? {} : { a2uiClientDataModel: { ...sent, surfaces: Object.fromEntries(surfaces) } }
}

/** The action as its component declares it. */
function theAction(state: SessionState, action: A2uiAction): DeclaredAction {
  const { actions, isChanged } = theSurface(state, action)
  const match = matchAction(action, actions)
  if ('action' in match) return match.action
  throw isChanged === true ? stale() : new BeachError('INVALID_PART', match.problem)
}

function theSurface(state: SessionState, { surfaceId }: A2uiAction): LiveSurface {
  const surface = sliceState(surfaceSlice, state).live.find((one) => one.surfaceId === surfaceId)
  if (surface === undefined) throw stale()
  return surface
}

function stale(): BeachError {
  return new BeachError('STALE_SURFACE', 'This surface has been replaced or removed. Look at the current one.')
}
