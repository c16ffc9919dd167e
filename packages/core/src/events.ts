import type { Originator } from './originator.ts'
import type { MergeStrategy, Part } from './part.ts'
import type { Amount } from './ports/actor.ts'
import type { ClientTool } from './ports/client-tools.ts'
import type { Approver, Principal } from './principal.ts'
import type { TurnState } from './registries/turn-states.ts'
import type { StateTransition } from './state-machines/transition.ts'

/**
 * The version of the event format that this code writes; a reader accepts this one and every earlier one. New types of
 * events and new fields, which readers of before ignore, need no new version. A change that those would misread does, in
 * two releases: the first one reads the new version, the next one writes it, so that both can run at the same time.
 */
export const eventVersion = 1

/**
 * One entry of a session's log. The header (all but `payload`) is structure and stays for ever; the payload is what
 * people and models said, and may be erased, so every fold accepts an event without one.
 */
type Entry<Type extends string, Header, Payload = never> = {
  readonly type: Type
  readonly id: string
  readonly v: number
  /** Milliseconds since 1970. */
  readonly at: number
  /** The host's epoch, on events that only a lease holder writes. */
  readonly epoch?: number
} & Readonly<Header> &
  ([Payload] extends [never] ? unknown : { readonly payload?: Readonly<Payload> })

/** How a turn came to its end: a terminal turn state's name, or one of the ends that no actor declares. */
export type FinalizedBy = string

/** A session has begun, with its owner. */
export type SessionOpened = Entry<
  'sessionOpened',
  { tenant: string },
  {
    owner: Principal
    /** Who may decide its approvals; the agent's own policy when absent. */
    approvers?: readonly Approver[]
  }
>

/** A message has come in. */
export type MessageReceived = Entry<
  'messageReceived',
  {
    messageId: string
    originatorId: string
    dedupeKey?: string
    contentHash: string
    /** The W3C trace context in which it was received: its turn continues it, on whichever host. */
    trace?: string
    /** The foreign origins of its content; absent without any. */
    origins?: readonly string[]
  },
  {
    from: Originator
    parts: readonly Part[]
    /**
     * The setState parts that the message also had, and their places: on record only, since they are no part of the
     * conversation.
     */
    proposed?: readonly ProposedPart[]
  }
>

/** A setState part as it came, and its place among the parts of its message. */
export interface ProposedPart {
  readonly index: number
  readonly part: Part
}

/** A turn has begun, with the messages that it answers. `process` runs it, where the store tells processes apart. */
export type TurnStarted = Entry<
  'turnStarted',
  { turnId: string; actor: string; messageIds: readonly string[]; epoch: number; process?: string }
>

/** A host goes on with an unfinished turn; `attempt` counts resumes since the turn last made progress. */
export type TurnResumed = Entry<'turnResumed', { turnId: string; attempt: number; epoch: number; process?: string }>

/** A step of a turn is complete. `hash` identifies the call, so that a re-run can be compared with what it did before. */
export type StepCommitted = Entry<
  'stepCommitted',
  {
    turnId: string
    step: number
    hash: string
    partIds: readonly string[]
    /** The origins of content that the turn has seen since its last step; absent without any. */
    origins?: readonly string[]
  },
  { answer: unknown }
>

/** A part of a turn is there. */
export type PartReceived = Entry<
  'partReceived',
  {
    turnId: string
    partId: string
    partType: string
    turnState: TurnState
    /** For the surface that the collector has made of a request: the approval that it may decide. */
    approvalId?: string
  },
  { part: Part }
>

/** An actor has said where its turn stands. */
export type TurnStateChanged = Entry<
  'turnStateChanged',
  {
    turnId: string
    step: number
    turnState: TurnState
    passTo?: string
    /** The actor has released the turn after it saw this many results; it runs again when there are more. */
    released?: number
    /** The actor has let go of the turn until clients have run what they were called for. */
    waitsForClient?: true
  }
>

/** A tool begins. Without a `toolFinished` after a crash, only an idempotent tool is run again. */
export type ToolStarted = Entry<
  'toolStarted',
  {
    turnId: string
    callId: string
    name: string
    hash: string
    idempotent: boolean
    /** The originator whose client runs it, and until when its result counts. */
    client?: string
    expiresAt?: number
  },
  { args: unknown }
>

/** A tool has ended, with what it returned or why it failed. */
export type ToolFinished = Entry<
  'toolFinished',
  {
    turnId: string
    callId: string
    outcome: 'ok' | 'failed' | 'unknown'
    /** As of the start. */
    client?: string
    /** Where the result is from, as the tool declares it; absent for the agent's own data. */
    origins?: readonly string[]
  },
  {
    value: unknown
    /** Who has brought the result of a client tool, and by what it is known when it comes again. */
    by?: Principal
    hash?: string
  }
>

/** What an originator's client offers from here on; what is absent stays as it was. */
export type ClientOffered = Entry<
  'clientOffered',
  { originatorId: string },
  {
    tools?: { readonly hash: string; readonly offered: readonly ClientTool[]; readonly timeoutMs?: number }
    state?: { readonly hash: string; readonly value?: unknown }
  }
>

/** A peer runs a tool that is exposed to it, without a turn; on record for operators, and shown to no listener. */
type ExposedToolStarted = Entry<
  'exposedToolStarted',
  { callId: string; name: string },
  { by: Principal; args: unknown }
>

type ExposedToolFinished = Entry<
  'exposedToolFinished',
  { callId: string; outcome: 'ok' | 'failed' | 'unknown' },
  { value: unknown }
>

/** A turn waits for a decision; the request itself is a part. */
export type ApprovalRequested = Entry<
  'approvalRequested',
  {
    turnId: string
    approvalId: string
    expiresAt?: number
    /** Of the call that it is for: a grant is for exactly this call. */
    hash?: string
    /** Who may decide; the session's owner when absent. */
    level?: 'admin'
  }
>

/** These follow-ups of a request, by their places among those of the agent, are done. */
type ApprovalFollowedUp = Entry<'approvalFollowedUp', { turnId: string; approvalId: string; done: readonly number[] }>

/** The one decision that counts: the first that reached the log. */
export type ApprovalDecided = Entry<
  'approvalDecided',
  {
    turnId: string
    approvalId: string
    decision: 'granted' | 'denied'
    /** By which the same decision is known when it comes again. */
    dedupeKey?: string
    /** The tool is allowed for the rest of the session. */
    allow?: { tool: string; upTo?: Amount }
    /** It was granted by what was allowed before, of which it uses so much. */
    allowance?: { approvalId: string; value: number }
  },
  {
    reason?: string
    decidedBy: string
    /** The arguments that the approver has changed, with their new values. */
    args?: Readonly<Record<string, unknown>>
    /** The channel by which it came. */
    via?: string
  }
>

/** A tool is no longer allowed for the rest of the session. */
type AllowanceRevoked = Entry<'allowanceRevoked', { approvalId: string }, { revokedBy: string }>

/** The call that was asked about has changed since: the request, and a grant of it, no longer count. */
export type ApprovalVoided = Entry<'approvalVoided', { turnId: string; approvalId: string }>

/** A turn failed and is to be run again at `retryAt`. */
export type TurnRetryScheduled = Entry<'turnRetryScheduled', { turnId: string; failures: number; retryAt: number }>

/** A slot of a manifest: what fills it, and how its result joins the turn's data. */
export interface SlotHeader {
  readonly slot: string
  /** The actor's named work that fills it. */
  readonly work: string
  readonly idempotent: boolean
  readonly slotKey: string
  readonly mergeStrategy: MergeStrategy
  readonly kind?: string
}

/** Where the results of a manifest go when its turn is over: to whom, and after how many turns of that kind. */
interface Lineage {
  actor: string
  originators: readonly string[]
  depth: number
  /** The trace context of the message that it began with. */
  trace?: string
}

/** Work was begun that runs in parallel to the turn; each slot gets one result. */
export type ManifestOpened = Entry<
  'manifestOpened',
  Lineage & {
    turnId: string
    manifestId: string
    name: string
    hash: string
    slots: readonly SlotHeader[]
    deadline?: number
    /** The origins of content that the turn had seen: the results may repeat it. */
    origins?: readonly string[]
  },
  { args: Readonly<Record<string, unknown>> }
>

/** The work for a slot begins. Without a `slotFilled` after a crash, only idempotent work is run again. */
export type SlotStarted = Entry<'slotStarted', { manifestId: string; slot: string }>

/** Something that the work for a slot says while it runs. */
export type SlotSaid = Entry<
  'slotSaid',
  { turnId: string; manifestId: string; slot: string; index: number },
  { part: Part }
>

/** A slot has its result: data for the turn that opened the manifest or, when that is over, for a new one. */
export type SlotFilled = Entry<
  'slotFilled',
  Lineage & {
    turnId: string
    manifestId: string
    name: string
    slot: string
    outcome: 'ok' | 'failed' | 'unknown'
    /** Where the result is from; absent for the agent's own data. */
    origins?: readonly string[]
  },
  { part?: Part; reason?: string }
>

/** All slots of a manifest are filled, or the missing ones are no longer needed. */
export type ManifestSettled = Entry<
  'manifestSettled',
  Lineage & {
    turnId: string
    manifestId: string
    name: string
    missing: readonly string[]
    finalizedBy: 'complete' | 'deadline' | 'cancelled'
  }
>

/** From here on an originator gets more of the session than the answers to its own messages. */
export type OriginatorJoined = Entry<
  'originatorJoined',
  {
    originatorId: string
    /** It gets nothing but this request, of this turn, and may decide it. */
    approvalId?: string
    turnId?: string
    /** It gets the turns that ask for an approval, and not all of the session. */
    hears?: 'approvals'
  },
  { originator: Originator }
>

/** A listener is written to no more. */
export type OriginatorLeft = Entry<'originatorLeft', { originatorId: string }>

/** Something of a turn is to be sent to an originator: these parts now, or the settled envelope. */
export type DeliveryQueued = Entry<
  'deliveryQueued',
  {
    deliveryId: string
    turnId: string
    originatorId: string
    /** The seq of the turn's first message: all that the delivery needs comes after it. */
    since: number
    /** The parts to send now; absent for the settled envelope. */
    partIds?: readonly string[]
    /** How many events of the same commit come before this one: the parts are among them. */
    back?: number
    /** The request that it follows up on: once that is decided, it is not sent. */
    followsUp?: { approvalId: string; kind: 'reminder' | 'escalation'; number: number }
    /** The trace context of the turn's message. */
    trace?: string
  }
>

/** A delivery has arrived at the other side. */
export type DeliverySent = Entry<'deliverySent', { deliveryId: string; originatorId: string; externalId?: string }>

/** An attempt failed. Without `nextAt` it was the last one: the delivery is a dead letter. */
export type DeliveryFailed = Entry<
  'deliveryFailed',
  { deliveryId: string; originatorId: string; attempt: number; nextAt?: number },
  { reason: string }
>

/** An operator has a dead letter sent again. */
export type DeliveryRetried = Entry<'deliveryRetried', { deliveryId: string; originatorId: string }, { by: Principal }>

/**
 * An entry that an actor or its loop puts on record, hidden from listeners: a note, a violation, the cost of a step.
 */
export type ActorNoted = Entry<'actorNoted', { turnId: string; kind: string }, { value: unknown }>

/** Coordinates have moved. The session's state is the fold of these, never of setState parts. */
export type StateChanged = Entry<
  'stateChanged',
  {
    turnId?: string
    transitions: readonly StateTransition[]
    /** The peer in whose answer it was proposed; absent when an actor or a message proposed it. */
    peer?: string
  }
>

/** A setState part was refused as a whole. */
export type StateTransitionRejected = Entry<
  'stateTransitionRejected',
  { turnId?: string; reason: string; peer?: string }
>

/** An event of another package's slice; only that slice folds it. Listeners are shown its part. */
export type SliceEvent = Entry<
  'sliceEvent',
  {
    ns: string
    name: string
    /** The ids of inputs to the slice that are done with this. */
    answers?: readonly string[]
  },
  {
    value: unknown
    part?: Part
    /** The principal that caused it, where known; erased with that principal's data. */
    by?: Principal
  }
>

/** A participant or an operator has asked for a turn to end. */
export type CancelRequested = Entry<'cancelRequested', { turnId: string }, { by: Principal }>

/** The question of a settled turn needs no answer any more. */
export type QuestionWithdrawn = Entry<'questionWithdrawn', { turnId: string }, { by: Principal }>

/**
 * Content was erased from the log: all of the session, which is closed from here on, or the content of some
 * originators. Their ids are in the payload, which is erased with the rest. `rewritten` follows when that is done:
 * processes that have read the log before read it again.
 */
export type DataErased = Entry<
  'dataErased',
  { scope: 'session' | 'originators' | 'rewritten'; by: 'owner' | 'operator' },
  { originatorIds: readonly string[] }
>

/** A turn is over. */
export type TurnSettled = Entry<'turnSettled', { turnId: string; turnState: TurnState; finalizedBy: FinalizedBy }>

/** Every kind of entry a session's log can hold. */
export type SessionEvent =
  | SessionOpened
  | MessageReceived
  | TurnStarted
  | TurnResumed
  | StepCommitted
  | PartReceived
  | TurnStateChanged
  | ToolStarted
  | ToolFinished
  | ClientOffered
  | ExposedToolStarted
  | ExposedToolFinished
  | ApprovalRequested
  | ApprovalFollowedUp
  | ApprovalDecided
  | ApprovalVoided
  | AllowanceRevoked
  | TurnRetryScheduled
  | ManifestOpened
  | SlotStarted
  | SlotSaid
  | SlotFilled
  | ManifestSettled
  | OriginatorJoined
  | OriginatorLeft
  | DeliveryQueued
  | DeliverySent
  | DeliveryFailed
  | DeliveryRetried
  | ActorNoted
  | StateChanged
  | StateTransitionRejected
  | SliceEvent
  | CancelRequested
  | QuestionWithdrawn
  | DataErased
  | TurnSettled

type DraftOf<Event> = Event extends SessionEvent ? Omit<Event, 'id' | 'v' | 'at'> : never

/** An event as it is decided, before `commit` gives it its id, version and time. */
export type EventDraft = DraftOf<SessionEvent>

/** An event with its place in the log. */
export interface LoggedEvent {
  readonly seq: number
  readonly event: SessionEvent
}

const progress: ReadonlySet<string> = new Set<SessionEvent['type']>([
  'turnStarted',
  'turnResumed',
  'stepCommitted',
  'toolStarted',
  'toolFinished',
])

/** True when a turn has begun or moved on with these events, and has not settled: what follows the log can wait. */
export function isTurnInProgress(events: readonly EventDraft[]): boolean {
  return events.some(({ type }) => progress.has(type)) && !events.some(({ type }) => type === 'turnSettled')
}
