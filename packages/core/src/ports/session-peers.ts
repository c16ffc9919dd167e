import type { Part } from '../part.ts'
import type { ToolContext } from './tool.ts'

/** The scope that a peer needs to move coordinates here by setState parts, in its answers or its messages. */
export const stateScope = 'state:write'

/** Something that a user did on a surface of a peer's. */
export interface PeerAction {
  readonly peer: string
  /** The conversation with the peer that the surface is of; absent when the peer has named none. */
  readonly conversationId?: string | undefined
  /** The a2ui-action part, with the ids that the surface has here. */
  readonly part: Part
}

/** What sessions need of the agents that this one asks. */
export interface SessionPeers {
  /** What a peer may do here beyond answering, such as `state:write`; undefined when there is no such peer. */
  scopesOf(peer: string): readonly string[] | undefined
  /** Passes an action on to the peer whose surface it was done on, and tells what the peer answers. */
  forward(action: PeerAction, context: ToolContext): Promise<unknown>
}
