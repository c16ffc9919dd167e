import type { Clock, Coordinates, Decision } from '@cool-ai/beach-core'
import type { ApprovalOutcome, Decided, PostResult } from '@cool-ai/beach-core/ports'
import type { EnvelopeStream, StreamDecision, StreamPart, StreamTurn } from '@cool-ai/beach-protocol/stream'
import type { ActionResult, ActionMessage } from './action.ts'
import type { Connection, Via } from './reliability/connection.ts'
import type { OutgoingPart, Pending } from './pending-messages.ts'
import type { AgentOptions } from './reliability/requests.ts'

/** Which session is followed, where, and how. */
export interface ConnectOptions extends AgentOptions {
  readonly sessionId: string
  /** How frames come. By WebSocket when left out, and by server-sent events where that does not get through. */
  readonly via?: Via | undefined
  readonly WebSocket?: typeof globalThis.WebSocket | undefined
  readonly clock?: Clock | undefined
  /** Numbers in [0, 1), for the length of pauses. */
  readonly random?: (() => number) | undefined
}

/** All that a view needs, at one moment; it never changes. What did not change is the same object as before. */
export interface Snapshot {
  /** Every part, in order: durable ones, then those whose text still grows. */
  readonly parts: readonly StreamPart[]
  readonly turns: readonly StreamTurn[]
  /** How approvals ended, by their ids; one that is missing can still be decided. */
  readonly approvals: ReadonlyMap<string, ApprovalOutcome>
  /** The decisions on them: by whom, where and when. */
  readonly decisions: ReadonlyMap<string, StreamDecision>
  /** Where the session's coordinates stand. */
  readonly state: Coordinates
  readonly connection: Connection
  /** Messages that were sent here and have not come back yet, to be shown after the parts. */
  readonly pending: readonly Pending[]
}

/** What there is before anything has come, and on a server. */
export const nothingYet: Snapshot = {
  parts: [],
  turns: [],
  approvals: new Map(),
  decisions: new Map(),
  state: {},
  connection: { state: 'connecting' },
  pending: [],
}

/** What a conversation calls back with. */
export interface ConversationEvents {
  connection: Connection
  pending: readonly Pending[]
  /** Something has changed, perhaps several things at once: render again. */
  change: Snapshot
}

/** A one-time link by which another device joins the session. */
export interface SessionLink {
  readonly url: string
  readonly code: string
  readonly expiresAt: number
  /** True when the agent’s address leads to the machine that opens it, so that no other device reaches the agent by it. */
  readonly isLoopback?: boolean
}

/** What an approver may say with a grant; other arguments and an allowance only where the request lets them. */
export type Approving = Pick<Decision, 'reason' | 'args' | 'allow'>

/**
 * A session for its user: answers arrive by themselves, over broken connections, and the user's messages get through.
 */
export interface Conversation {
  readonly sessionId: string
  /** The session's stream. It ends when the conversation does, with the agent's error if there was one. */
  readonly stream: EnvelopeStream
  readonly connection: Connection
  readonly pending: readonly Pending[]
  readonly snapshot: Snapshot
  /** Calls back for each event of that name; the returned function ends it. */
  on<Name extends keyof ConversationEvents>(name: Name, listener: (value: ConversationEvents[Name]) => void): () => void
  /**
   * Sends a message, as often as it takes to reach the agent; it is pending meanwhile. Rejects with the agent's error when
   * it is refused, and need not be waited for: what failed stays pending, with its error.
   */
  readonly send: (message: string | readonly OutgoingPart[]) => Promise<PostResult>
  /** Those of the requests that are this user's to decide, as the agent's inbox has them. */
  readonly ownOf: (approvalIds: readonly string[]) => Promise<readonly string[]>
  /** Approves, with a reason, or with all that an approver may say. `already` may also mean an earlier try whose answer got lost. */
  readonly approve: (approvalId: string, made?: string | Approving) => Promise<Decided>
  readonly deny: (approvalId: string, reason?: string) => Promise<Decided>
  /** Sends what the user did on a surface, with the surface's data model if it asks for that. The same action counts once. */
  readonly act: (action: ActionMessage, dataModel?: unknown) => Promise<ActionResult>
  /** Sends parts that are for a slice and no message, such as events of flows: nothing of it is pending. Gives the answer. */
  readonly tell: (parts: readonly OutgoingPart[]) => Promise<unknown>
  /** Stops a turn, or the one that runs; false when it no longer does. */
  readonly cancel: (turnId?: string) => Promise<boolean>
  /** Makes a link by which another device joins, once. */
  readonly link: () => Promise<SessionLink>
  /** Ends it here; the session goes on. */
  readonly close: () => void
}
