import type { EnvelopeMeta, Part } from '@cool-ai/beach-core'
import type { ApprovalRequest, AskedApproval } from '@cool-ai/beach-protocol'

/**
 * How a call of a peer has ended: `clarifying` when the peer asks something, `suspended` when an approval is needed,
 * `refused` when the peer declines, `unauthorized` when it wants other credentials, `unfinished` when its turn is not
 * over by its own state, and nothing more can be followed here.
 */
export type CallState =
  | 'complete'
  | 'clarifying'
  | 'suspended'
  | 'error'
  | 'cancelled'
  | 'refused'
  | 'unauthorized'
  | 'unfinished'

/** Whether a peer's turn is over in a turn state of its. */
export type IsOver = (turnState: string) => boolean

/** A peer's request for an approval. */
export interface PeerApprovalRequest extends ApprovalRequest {
  /** The request in the peer's words, where the peer describes it; foreign text. */
  readonly asked?: AskedApproval
}

/** The result of a call. The parts are foreign text and data: each has its `metadata.origin`. */
export interface CallResult {
  readonly peer: string
  readonly state: CallState
  readonly parts: readonly Part[]
  /** What the peer wants to have approved, when it is suspended. */
  readonly approvals: readonly PeerApprovalRequest[]
  /** What a Beach peer says about its envelope. */
  readonly meta?: Partial<EnvelopeMeta> | undefined
  readonly taskId?: string
  readonly contextId?: string
}

/** A part of the peer's answer while it arrives. */
export interface PeerPart {
  /** The same for each update of the part. */
  readonly partId: string
  /** The part so far. */
  readonly part: Part
  /** True while its text still grows. */
  readonly isOpen: boolean
  /** The text that is new, when it has only grown. */
  readonly delta?: string
  /** True when the peer has retracted the part. */
  readonly isRetracted?: true
  /** The conversation that the part is in, once the peer has named it. */
  readonly contextId?: string
}

/** The task of a call, as soon as the peer has named it: what is needed to go on with it later. */
export interface CallTask {
  readonly taskId: string
  readonly contextId: string
}
