import type { Part } from '../part.ts'
import type { ToolContext } from './tool.ts'

/** The scope that a peer needs to move coordinates here by setState parts, in its answers or its messages. */
export const stateScope = 'state:write'

/** A user's action on a surface of a peer. */
export interface PeerAction {
  readonly peer: string
  /** The conversation that the surface belongs to; absent when the peer has named none. */
  readonly conversationId?: string | undefined
  /** The a2ui-action part, with the ids that the surface has here. */
  readonly part: Part
}

/** The peers of an agent, as its sessions reach them. */
export interface SessionPeers {
  /** What a peer may do here beyond answering, such as `state:write`; undefined when there is no such peer. */
  scopesOf(peer: string): readonly string[] | undefined
  /** Passes an action on to the peer whose surface it was on, and returns the peer's answer. */
  forward(action: PeerAction, context: ToolContext): Promise<unknown>
}
