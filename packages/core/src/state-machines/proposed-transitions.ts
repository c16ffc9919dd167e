import type { EventDraft } from '../events.ts'
import { peerOf, type Part } from '../part.ts'
import { stateScope, type SessionPeers } from '../ports/session-peers.ts'
import type { Principal } from '../principal.ts'
import { defined } from '../json.ts'
import type { Coordinates } from './definition.ts'
import type { StateMachineRegistry } from './state-machine-registry.ts'
import type { TransitionOutcome } from './transition.ts'

/** A setState part that was refused. */
export interface StateTransitionRefusal {
  readonly session: string
  readonly turnId?: string | undefined
  readonly part: Part
  readonly reason: string
  /** The peer in whose answer it was. */
  readonly peer?: string | undefined
  /** The sender of the message that it was in. */
  readonly by?: Principal | undefined
}

/** The result of an actor's parts: the parts that stay, the changes of state, and the refused setState parts. */
export interface Transitions {
  readonly parts: readonly Part[]
  readonly drafts: readonly EventDraft[]
  readonly refused: readonly Omit<StateTransitionRefusal, 'session' | 'turnId'>[]
}

/** The turn or the message that setState parts come from. */
export interface ProposedBy {
  readonly turnId?: string | undefined
  /** The sender, for a message. */
  readonly by?: Principal | undefined
}

interface StatePolicy {
  readonly stateMachines: StateMachineRegistry
  readonly peers?: Pick<SessionPeers, 'scopesOf'> | undefined
}

/**
 * Applies each setState part to the coordinates as a whole, or refuses it as a whole; refused ones are not among the
 * parts that stay. The peer of a part is its origin in a turn, where this agent writes it; a message cannot claim one.
 */
export function proposedTransitions(
  before: Coordinates,
  parts: readonly Part[],
  { turnId, by }: ProposedBy,
  policy: StatePolicy,
): Transitions {
  let coordinates = before
  const kept: Part[] = []
  const drafts: EventDraft[] = []
  const refused: Omit<StateTransitionRefusal, 'session' | 'turnId'>[] = []
  for (const part of parts) {
    if (part.metadata.partType !== 'setState') {
      kept.push(part)
      continue
    }
    const peer = by === undefined ? peerOf(part) : undefined
    const place = defined({ turnId, peer })
    const outcome = outcomeOf(coordinates, part.data, { peer, by }, policy)
    if (!outcome.accepted) {
      const { reason } = outcome
      refused.push(defined({ part, reason, peer, by }))
      drafts.push({ type: 'stateTransitionRejected', ...place, reason })
      continue
    }
    kept.push(part)
    if (outcome.transitions.length === 0) continue
    coordinates = outcome.coordinates
    drafts.push({ type: 'stateChanged', ...place, transitions: outcome.transitions })
  }
  return { parts: kept, drafts, refused }
}

/** The outcome of one proposal. Peers and senders of messages need a scope; the agent's own actors do not. */
function outcomeOf(
  coordinates: Coordinates,
  patch: unknown,
  { peer, by }: { readonly peer: string | undefined; readonly by: Principal | undefined },
  { stateMachines, peers }: StatePolicy,
): TransitionOutcome {
  if (peer === undefined && by === undefined) return stateMachines.apply(coordinates, patch, 'handler')
  const scopes = peer === undefined ? by?.scopes : peers?.scopesOf(peer)
  if (scopes?.includes(stateScope) === true) return stateMachines.apply(coordinates, patch, 'peer')
  const who = peer === undefined ? 'The sender of this message' : `The agent '${peer}'`
  const reason = `${who} may not move the state of this session: it lacks the scope '${stateScope}'.`
  return { accepted: false, reason, rejections: [] }
}
