import type { Envelope } from '../envelope.ts'
import type { DeliveryClass, Originator } from '../originator.ts'
import type { Part, PartOrigin } from '../part.ts'
import type { Approver, Principal } from '../principal.ts'
import type { TurnState } from '../registries/turn-states.ts'
import type { Coordinates } from '../state-machines/definition.ts'
import type { Amount } from './actor.ts'
import type { ClientAnswered, ClientOffer, ClientResult } from './client-tools.ts'
import type { InputRequest, SliceReply } from './slice.ts'
import type { TurnPreview } from './preview.ts'

/** A message on its way into a session. */
export interface Inbound {
  readonly parts: readonly Part[]
  readonly from: Originator
  /** Two messages of a session with the same key are one. */
  readonly dedupeKey?: string | undefined
  /** What such messages are compared by: a hash of what the caller has sent. That of the parts when left out. */
  readonly contentHash?: string | undefined
  /** The turn whose question it answers: it is refused when that was withdrawn, however shortly before. */
  readonly answers?: string | undefined
  /** What its client offers from now on; as before when left out. */
  readonly offer?: ClientOffer | undefined
  /** The W3C trace context that it continues. */
  readonly trace?: string | undefined
}

/** What became of a posted message. */
export interface PostResult {
  readonly seq: number
  readonly messageId: string
  /** True when this message had been received before; nothing was written then. */
  readonly duplicate: boolean
}

/** A message of the conversation as actors and viewers see it. */
export interface Message {
  readonly messageId: string
  readonly from: Originator
  readonly parts: readonly Part[]
}

/** What can be known of a session without reading its log. */
export interface SessionView {
  readonly sessionId: string
  /** Absent when the owner's data was erased. */
  readonly owner?: Principal | undefined
  readonly head: number
  readonly epoch: number
  /** The turn that has not settled yet. */
  readonly turn?: TurnView | undefined
  /** Messages that wait for the next turn. */
  readonly waiting: number
  /** Where the application's state machines stand. */
  readonly coordinates: Coordinates
  /** Originators that answers are pushed to or that have sent a message, without those that left. */
  readonly originators: readonly OriginatorView[]
  /** Manifests that have not settled. */
  readonly manifests: readonly ManifestView[]
  /** All work in progress, oldest first. */
  readonly inFlight: readonly InFlight[]
  /** Deliveries that were given up, oldest first. */
  readonly deadLetters: readonly DeadLetter[]
  /** What approvers have allowed for the rest of the session. */
  readonly allowances: readonly Allowance[]
}

/** A request that waits for a decision. */
export interface PendingApproval {
  readonly approvalId: string
  readonly sessionId: string
  readonly turnId: string
  readonly requestedAt: number
  readonly expiresAt?: number | undefined
  /** The request itself. */
  readonly part: Part
}

/** A tool that an approver has allowed for the rest of a session. */
export interface Allowance {
  /** The approval with which it was allowed. */
  readonly approvalId: string
  readonly tool: string
  /** The sum up to which it is allowed, and what calls have used of it. */
  readonly upTo?: Amount | undefined
  readonly used: number
}

/** Something that the slice of a namespace needs to know from people. */
export interface SliceInputRequest extends InputRequest {
  readonly ns: string
}

/** What an originator that joins a session gets of it. */
export interface JoinOptions {
  /**
   * `approvals`: the requests for approvals and, of the turns that made them, how they end. For approvers who do not take
   * part in the conversation. Everything when left out.
   */
  readonly hears?: 'everything' | 'approvals' | undefined
}

/** An originator as callers see it. */
export interface OriginatorView {
  readonly originatorId: string
  readonly transport: string
  readonly deliveryClass: DeliveryClass
  /** True when it joined, and gets more than answers to what it says itself. */
  readonly listens: boolean
  /** Of an originator that joined: it gets the turns that ask for an approval only. */
  readonly hears?: 'approvals' | undefined
  /** The seq of the last thing that was sent to it. */
  readonly cursor?: number | undefined
  /** The ids of the agents that what it says has come through, the first one first. */
  readonly via?: readonly string[] | undefined
}

/** A manifest as callers see it. */
export interface ManifestView {
  readonly manifestId: string
  readonly name: string
  readonly turnId: string
  readonly openedAt: number
  readonly deadline?: number | undefined
  readonly slots: readonly { readonly slot: string; readonly state: SlotState }[]
}

/** How far a slot of a manifest is. */
export type SlotState = 'waiting' | 'running' | 'ok' | 'failed' | 'unknown'

/** A thing in flight: a tool that runs, an undecided approval, an open slot, an answer on its way. */
export interface InFlight {
  readonly kind: 'tool' | 'approval' | 'slot' | 'delivery'
  readonly id: string
  readonly name: string
  readonly turnId: string
  readonly since: number
  /** When it is tried again, or given up. */
  readonly until?: number | undefined
  /** The originator whose client runs the tool. */
  readonly client?: string | undefined
}

/** A delivery that was given up. */
export interface DeadLetter {
  readonly deliveryId: string
  readonly originatorId: string
  readonly turnId: string
  readonly attempts: number
  readonly at: number
}

/** A turn as callers see it. */
export interface TurnView {
  readonly turnId: string
  readonly actor: string
  readonly turnState: TurnState
  readonly step: number
  /** Approvals that the turn waits for. */
  readonly pendingApprovals: readonly string[]
}

/** What models have used. */
export interface TokenUsage {
  readonly inputTokens: number
  readonly outputTokens: number
  /** Input that the provider had in its cache: part of `inputTokens`. */
  readonly cachedInputTokens: number
}

/** A decision as it is on record. */
export interface DecisionMade extends Decision {
  /** Who made it, by `principalKey`; another word for one that no principal made, such as `expiry`. */
  readonly by?: string | undefined
}

/** An answer to an approval request. */
export interface Decision {
  readonly decision: 'granted' | 'denied'
  readonly reason?: string | undefined
  /** Arguments of the call that are to be other than requested, where the request lets them be changed. */
  readonly args?: Readonly<Record<string, unknown>> | undefined
  /** The tool is allowed for the rest of the session, up to this sum where its calls have an amount. */
  readonly allow?: { readonly upTo?: number | undefined } | undefined
  /** The channel by which it came; on record, and told to all listeners. */
  readonly via?: string | undefined
  /** The same key is the same decision: sent again, it is `decided` again. With another decision it is an error. */
  readonly dedupeKey?: string | undefined
}

/** A decision, and what it is on. */
export interface ApprovalAnswer extends Decision {
  readonly approvalId: string
}

/** What became of a decision. */
export type Decided = 'decided' | 'already' | 'expired' | 'notFound'

/** What a listener that follows a session gets. Frames with a `cursor` are durable; one without is live only. */
export type Frame =
  | {
      readonly kind: 'part'
      readonly cursor?: string
      readonly role: 'user' | 'agent'
      readonly partId: string
      readonly turnId?: string
      readonly turnState?: TurnState
      readonly part: Part
      readonly at: number
      /** The ids of inputs to the slice that are done with this. */
      readonly answers?: readonly string[]
    }
  | {
      readonly kind: 'delta'
      readonly cursor?: undefined
      readonly epoch: number
      readonly turnId: string
      readonly partId: string
      readonly partType: string
      /** The peer whose text it is; absent for the agent's own. */
      readonly origin?: PartOrigin
      /** Where `text` starts, in UTF-16 units: `text = text.slice(0, offset) + delta`. */
      readonly offset: number
      readonly text: string
    }
  | {
      readonly kind: 'retract'
      readonly cursor?: string
      readonly turnId: string
      readonly epoch: number
      /** Uncommitted parts to remove; all of the turn's when absent. */
      readonly partIds?: readonly string[]
    }
  | {
      readonly kind: 'turn'
      readonly cursor?: string
      readonly turnId: string
      readonly epoch: number
      readonly turnState: TurnState
      /** The step that ended with this state; uncommitted parts up to it are gone. */
      readonly step?: number
      readonly actor?: string
      readonly attempt?: number
      /** True when the turn goes on once clients have run what they were called for. */
      readonly waitsForClient?: true
      /** What the turn answers, when it starts. */
      readonly messageIds?: readonly string[]
    }
  | {
      readonly kind: 'settled'
      readonly cursor?: string
      readonly turnId: string
      readonly turnState: TurnState
      readonly finalizedBy: string
      readonly at: number
    }
  | {
      /** An approval is closed: decided on some channel, expired, or void. */
      readonly kind: 'decision'
      readonly cursor?: string
      readonly turnId: string
      readonly approvalId: string
      readonly outcome: ApprovalOutcome
      /** The kind of principal that decided; absent without a decision, and when it is not known any more. */
      readonly by?: Principal['kind']
      /** The channel by which it was decided. */
      readonly via?: string
      /** The arguments that the approver has changed. */
      readonly args?: Readonly<Record<string, unknown>>
      readonly at: number
    }
  | {
      /** A tool is called. Only listeners that want to know of tools get this and the next kind. */
      readonly kind: 'call'
      readonly cursor?: string
      readonly turnId: string
      readonly callId: string
      readonly name: string
      /** Absent where only the name is shown. */
      readonly args?: unknown
      /** The originator whose client runs it, and until when. */
      readonly client?: string
      readonly expiresAt?: number
      readonly at: number
    }
  | {
      /** A tool has ended. */
      readonly kind: 'result'
      readonly cursor?: string
      readonly turnId: string
      readonly callId: string
      readonly outcome: 'ok' | 'failed' | 'unknown'
      /** What came of it, or why nothing did; absent where only names are shown. */
      readonly value?: unknown
      readonly client?: string
      readonly at: number
    }
  | {
      /** Where all coordinates stand. Without a cursor it is how the stream begins. */
      readonly kind: 'state'
      readonly cursor?: string
      /** The turn in which they moved. */
      readonly turnId?: string
      /** How far the log had come: of two states the one with the higher seq counts. */
      readonly seq: number
      readonly coordinates: Coordinates
      /** What slices show, on the frame that begins a stream: parts with a later cursor change it. */
      readonly shown?: Readonly<Record<string, unknown>>
    }

/** How an approval ended: `expired` counts as denied; `void` is one whose call has changed since. */
export type ApprovalOutcome = 'granted' | 'denied' | 'expired' | 'void'

/** Which sessions are asked for. */
export interface SessionQuery {
  readonly after?: string | undefined
  readonly limit?: number | undefined
}

/** A session in a list. */
export interface SessionSummary {
  readonly sessionId: string
  readonly openedAt: number
}

/** A dead letter's place, and its content; the latter is absent when the session no longer has it. */
export interface DeadLetterEntry {
  readonly sessionId: string
  readonly deliveryId: string
  readonly letter?: {
    readonly originatorId: string
    readonly turnId: string
    readonly attempts: number
    readonly at: number
    /** Why the last attempt failed. */
    readonly reason?: string | undefined
  }
}

/** Some of a longer list, and where the next ones begin. */
export interface Page<Item> {
  readonly items: readonly Item[]
  /** Give it as `after` to get the next page; absent on the last one. */
  readonly next?: string | undefined
}

/** How a session is opened. */
export interface OpenOptions {
  readonly principal: Principal
  readonly key?: string | undefined
  /** Its id, for channels that can derive it from the request; an existing session of that id is opened again. */
  readonly id?: string | undefined
  /** Who may decide its approvals; the agent's own policy when left out. */
  readonly approvers?: readonly Approver[] | undefined
}

/** Settings of a session that a message opens. */
export interface NewSessionOptions extends Pick<OpenOptions, 'approvers'> {
  /** True when the session most likely does not exist yet: nothing is read first, and the write finds out. */
  readonly isNew?: boolean | undefined
}

/** Where to begin: after a cursor, or with the event of a seq, which must be of the session. */
export type FramePosition = string | { readonly from: number }

declare const isBatch: unique symbol

/**
 * Frames that go out together. Receivers that get the same frames get the same batch: what is made of a batch can be kept
 * by the batch, and made once.
 */
export interface FrameBatch extends ReadonlyArray<Frame> {
  readonly [isBatch]: true
}

/** Makes a batch of frames that do not change any more. */
export function frameBatch(frames: readonly Frame[]): FrameBatch {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the only place where a list becomes a batch.
  return frames as FrameBatch
}

/** A receiver that frames are pushed to. */
export interface FrameSink {
  /** Takes a batch. False when it wants no more before it calls `resume`. */
  frames(batch: FrameBatch): boolean
  /** Nothing more comes: with an error when it did not keep up, or when the session could not be read. */
  end(error?: unknown): void
}

/** A sink that watches a session. */
export interface Watch {
  /** It wants frames: nothing comes before it has said so. */
  resume(): void
  /** It wants nothing more, not even to be told of the end. */
  stop(): void
}

/** A tool that a peer runs itself, as it is put on record: when it begins, and when it has ended. */
export type ExposedCall =
  | { readonly callId: string; readonly name: string; readonly args: unknown }
  | { readonly callId: string; readonly outcome: 'ok' | 'failed' | 'unknown'; readonly value: unknown }

/** What a slice has answered, and how far the log had come then. */
export interface CommittedReply extends SliceReply {
  readonly seq: number
}

/** How `take` handles parts. */
export interface TakeOptions {
  /** Opens the session when there is none of that id. */
  readonly opening?: NewSessionOptions | undefined
  /** Called with a decision before it is made; throws to refuse it. */
  readonly checkDecision?: ((answer: ApprovalAnswer) => void) | undefined
}

/** The result of `take`: a message, a decision, or a slice's reply. */
export type Taken =
  | { readonly kind: 'posted'; readonly posted: PostResult }
  | { readonly kind: 'decided'; readonly answer: ApprovalAnswer; readonly decided: Decided }
  | { readonly kind: 'handled'; readonly reply: CommittedReply }

/** What channels see of sessions. A session that does not belong to `by` is not found. */
export interface Sessions {
  /** A new session, or with `key` the one that was opened with that key before. */
  open(options: OpenOptions): Promise<string>
  /** Posts a message; with `opening`, it also opens the session when there is none of that id, in the same commit. */
  post(session: string, message: Inbound, by: Principal, opening?: NewSessionOptions): Promise<PostResult>
  /**
   * Takes in parts of any kind. Parts of a slice's namespace go to that slice. An approval response, or an action on the
   * surface of an approval, decides it. Everything else is posted. A surface that is gone, or an action that is not the
   * surface's own, is an error.
   */
  take(session: string, inbound: Inbound, by: Principal, options?: TakeOptions): Promise<Taken>
  /** Decides an approval, wherever it was asked for, or only if that was in `session`; the first decision counts. */
  decide(approvalId: string, decision: Decision, by: Principal, session?: string): Promise<Decided>
  /**
   * Ends a turn, and the work that it has started; false when nothing of it runs. Without a turn id, the running one.
   */
  cancel(session: string, turn: string | undefined, by: Principal): Promise<boolean>
  /** Withdraws the question with which the last turn settled; false when something has happened since. */
  withdraw(session: string, turn: string, by: Principal): Promise<boolean>
  /** What waits for the decision of a principal, over all sessions, the oldest first. */
  approvals(query: SessionQuery, by: Principal): Promise<Page<PendingApproval>>
  /** Takes back that a tool is allowed for the rest of a session; false when it is not. For approvers and the owner. */
  revoke(session: string, approvalId: string, by: Principal): Promise<boolean>
  /** Puts on record what an originator's client offers from now on. */
  offer(session: string, from: Originator, offer: ClientOffer, by: Principal): Promise<void>
  /** Takes what a client has run for an actor; the turn goes on with it. One answer for each result, in their order. */
  answerCalls(
    session: string,
    results: readonly ClientResult[],
    from: Originator,
    by: Principal,
  ): Promise<readonly ClientAnswered[]>
  /** The names of tools that clients cannot offer, because an actor has them itself. */
  readonly ownTools: ReadonlySet<string>
  /** Puts on record that a peer runs a tool without a turn. */
  recordCall(session: string, call: ExposedCall, by: Principal): Promise<void>
  /** Hands input to the slice of a namespace; with `opening`, in a session that it may open. */
  handle(
    session: string,
    ns: string,
    said: unknown,
    by: Principal,
    opening?: NewSessionOptions,
  ): Promise<CommittedReply>
  /** The namespaces of slices that accept input. */
  readonly handledNamespaces: ReadonlySet<string>
  /** What slices wait for people to answer; each is answered by `handle`. */
  inputRequests(session: string, by: Principal): Promise<readonly SliceInputRequest[]>
  view(session: string, by: Principal): Promise<SessionView>
  /** The session's owner, if the session exists and `by` may see it; otherwise NOT_FOUND, without saying which it was. */
  checkAccess(session: string, by: Principal): Promise<Principal>
  /** What `to` may see of the session: everything after the cursor, then what comes, until the signal aborts. */
  follow(session: string, to: Originator, after: FramePosition | undefined, signal: AbortSignal): AsyncIterable<Frame>
  /** The same, handed over without waiting in between: for channels with many listeners. Resolves once it may begin. */
  watch(session: string, to: Originator, after: FramePosition | undefined, sink: FrameSink): Promise<Watch>
  /** What `follow` yields up to now, and then its end. */
  history(session: string, to: Originator, after?: FramePosition): AsyncIterable<Frame>
  /**
   * A settled turn's envelope as `to` may have it; undefined when there is no such turn, or it has not settled. A
   * caller that has read up to a seq can say so: the log is then read no further than needed for that. `since` is the
   * seq of a message that the turn answers, where the caller knows one: nothing before it need be read. `without` are
   * the ids of parts that `to` already has.
   */
  envelope(
    session: string,
    turn: string,
    to: Originator,
    atLeast?: number,
    since?: number,
    without?: ReadonlySet<string>,
  ): Promise<Envelope | undefined>
  /** What the models of a turn have used, of which events after one seq and up to another tell. */
  usage(
    session: string,
    turn: string,
    by: Principal,
    within: { readonly after: number; readonly upTo: number },
  ): Promise<TokenUsage>
  /** A turn as it would go to listeners of any kind; undefined when there is no such turn. Nothing is written. */
  preview(session: string, turn: string, by: Principal): Promise<TurnPreview | undefined>
  list(query: SessionQuery, by: Principal): Promise<Page<SessionSummary>>
  /** From now on the originator gets all of the session that its delivery rules allow, or what `options` leave of it. */
  join(session: string, originator: Originator, by: Principal, options?: JoinOptions): Promise<void>
  /** The session's originators, with all that their channels need to reach them: secrets too, so for channels only. */
  originators(session: string, by: Principal): Promise<readonly Originator[]>
  /** The originator gets nothing more; false when it was not there. */
  leave(session: string, originatorId: string, by: Principal): Promise<boolean>
  /** Sends a dead letter again; false when there is no such one. For operators. */
  redeliver(session: string, deliveryId: string, by: Principal): Promise<boolean>
  /** The sessions of the tenant that have dead letters. For operators. */
  deadLetters(query: SessionQuery, by: Principal): Promise<Page<DeadLetterEntry>>
  /** The turns that told of an error under this trace id. For operators. */
  tracedTurns(traceId: string, by: Principal): Promise<readonly TracedTurn[]>
}

/** A turn that an error part's `traceId` leads to. */
export interface TracedTurn {
  readonly sessionId: string
  readonly turnId: string
}
