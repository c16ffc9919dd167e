import type { Principal } from '@cool-ai/beach-core'
import type { ErrorCode } from '../schemas/flow-error.ts'
import type { DismissReason, RenderPayload } from '../schemas/server-payloads.ts'
import type { ActiveFlows } from '../state/flow-instance.ts'
import type { Values } from '../schemas/json-problem.ts'

export const flowsNs = 'intentflow'

/** What the session knows of its flows. Everything that can grow is bounded. */
export interface FlowsState {
  /** Whose session it is: for whom the bearer of a link acts. */
  readonly owner?: Principal
  /** The instances that are open, as all listeners have them. */
  readonly flows: ActiveFlows
  /** What the open instances have been sent. A list: it is copied with every event, which is quick however many there are. */
  readonly results: readonly InstanceResults[]
  /** What was answered without an instance, or by one that has ended; the last ones last. */
  readonly past: readonly StoredResult[]
  readonly ended: readonly EndedInstance[]
  /** Work that has not ended yet, the oldest first. */
  readonly work: readonly Work[]
  /** Actions that an answer is waited for. */
  readonly actions: readonly PendingAction[]
  /** Renders that a tool has prepared and its turn has not said yet. */
  readonly prepared: readonly RenderPayload[]
  /** What the user must confirm before it is done. */
  readonly confirmations: readonly Confirmation[]
  /** The versions of flows that the client has said it can show. */
  readonly clients: Readonly<Record<string, string>>
  /** Instances whose watch has come to its end by itself. */
  readonly watched: readonly string[]
}

/** What became of the events that an instance was sent, the last ones last. */
interface InstanceResults {
  readonly instanceId: string
  readonly kept: readonly StoredResult[]
}

/** What became of a client's event, so that its duplicate gets the same answer. */
export interface StoredResult {
  readonly eventId: string
  readonly at: number
  readonly instanceId?: string
  /** The seq that the instance had then. */
  readonly seq?: number
  /** The instance that it has opened. */
  readonly opened?: string
  /** Why it came to nothing after all. */
  readonly code?: ErrorCode
  readonly message?: string
}

export interface EndedInstance {
  readonly instanceId: string
  readonly intentId: string
  readonly version: string
  readonly state: string
  readonly reason: DismissReason
  readonly at: number
}

interface WorkBase {
  readonly workId: string
  /** The event of the client that it answers in the end. */
  readonly eventId: string
  readonly by: Principal
  readonly at: number
  /** How many pieces of work have led to it. */
  readonly depth: number
}

/** The props of a flow that was asked for are to be found. Reads only: it may be done again. */
export interface Hydration extends WorkBase {
  readonly kind: 'hydrate'
  readonly intentId: string
  readonly version: string
  readonly entities: Values
  /** The instance that it is nested in. */
  readonly parentInstanceId?: string
}

/** The handler of an event is to be run: once, unless it says that more often does no harm. */
export interface Handling extends WorkBase {
  readonly kind: 'handle'
  readonly instanceId: string
  readonly event: string
  readonly payload?: Values
  /** It has begun, in this process or in one that is gone. */
  readonly isStarted?: true
}

export type Work = Hydration | Handling

export interface PendingAction {
  readonly actionId: string
  readonly action: string
  readonly message?: string
  readonly instanceId?: string
  /** The event that the instance gets with the response. */
  readonly event?: string
  readonly expiresAt: number
}

/** An event that is done once its owner has confirmed it. */
export interface Confirmation {
  readonly confirmationId: string
  readonly instanceId: string
  readonly event: string
  readonly payload?: Values
  /** Who must confirm it: the key of the principal that asked. */
  readonly by: string
  /** What was confirmed is the instance as it stood then. */
  readonly seq: number
  readonly expiresAt: number
}

/** The bookkeeping of an event in the log, besides what listeners see of it. */
export interface Book {
  readonly result?: StoredResult
  readonly work?: readonly Work[]
  readonly started?: string
  readonly done?: string
  readonly asked?: PendingAction
  readonly answered?: string
  readonly prepared?: RenderPayload
  readonly client?: Readonly<Record<string, string>>
  readonly confirmation?: Confirmation
  readonly confirmed?: string
  readonly watched?: string
}

export const initialFlows: FlowsState = {
  flows: {},
  results: [],
  past: [],
  ended: [],
  work: [],
  actions: [],
  prepared: [],
  confirmations: [],
  clients: {},
  watched: [],
}

/** How much of everything a session keeps. */
export const flowCounts = {
  /** Results of one open instance. */
  results: 200,
  /** Results of what is over, for a day. */
  past: 500,
  pastMs: 24 * 60 * 60 * 1_000,
  ended: 200,
  prepared: 50,
  confirmations: 20,
  work: 100,
  actions: 20,
  /** Versions of flows that a client may name. */
  clients: 200,
  /** How many pieces of work may follow from one another. */
  depth: 20,
} as const

/** Since when there is something open: what was said before that is not needed any more. */
export function neededFlows({ flows, work, prepared, actions }: FlowsState): number | undefined {
  const times = [
    ...Object.values(flows).map(({ createdAt }) => createdAt),
    ...work.map(({ at }) => at),
    ...prepared.map(({ at = 0 }) => at),
    // Of those without an instance it is not known when they were asked.
    ...actions.flatMap(({ instanceId }) => (instanceId === undefined ? [0] : [])),
  ]
  return times.length === 0 ? undefined : Math.min(...times)
}
