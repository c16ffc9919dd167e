import type { Clock } from '@cool-ai/beach-core'
import type { DismissRequestPayload } from '../schemas/client-payloads.ts'
import type { ServerEvent, ServerEventName, Recovery } from '../schemas/server-payloads.ts'
import type { ActionHandlers, ActionResponse } from './action-runs.ts'
import type { OptimisticTables, FlowsSnapshot } from './snapshots.ts'
import type { EventResult, FlowTransport, ReceivedEvent } from './transport.ts'
import type { Values } from '../schemas/json-problem.ts'

/** What a client of flows is made of. */
export interface FlowClientOptions {
  readonly transport: FlowTransport
  /** Where events lead, for flows that are to look done before the server has answered. */
  readonly optimistic?: OptimisticTables | undefined
  /** What this device can do for the server, such as `browserActions()`; the rest is answered with UNSUPPORTED. */
  readonly actions?: ActionHandlers | undefined
  /** The versions of the flows that this client can show, by intent; the server keeps to them. */
  readonly versions?: Readonly<Record<string, string>> | undefined
  readonly clock?: Clock | undefined
  /** Numbers in [0, 1), for the length of pauses. */
  readonly random?: (() => number) | undefined
}

/** An action that the server asks a client for. */
export interface FlowAction {
  readonly event: string
  readonly payload?: Values | undefined
  /** Has the server reject it, with STATE_CONFLICT, if the flow is no longer at this seq. */
  readonly expectedSeq?: number | undefined
}

/** The payload of an event of the server, by its name. */
export type ServerPayloadOf<Name extends ServerEventName> = Extract<ServerEvent, { name: Name }>['value']

/** The flows of a thread as its user has them: the server's, in order, with what was done here on top. */
export interface FlowClient {
  readonly getSnapshot: () => FlowsSnapshot
  /** Calls back whenever the snapshot is another one; the returned function ends it. */
  readonly subscribe: (listener: () => void) => () => void
  /** Calls back for each event of the server of that name, once and in order; the returned function ends it. */
  readonly on: <Name extends ServerEventName>(
    name: Name,
    listener: (value: ServerPayloadOf<Name>) => void,
  ) => () => void
  /** Takes an event of AG-UI that came by another way than the transport's. Others than those of flows do nothing. */
  readonly receive: (event: ReceivedEvent) => void
  /**
   * Does something in a flow. Resolves with what the server made of it, and rejects with a `FlowClientError` when it was
   * rejected; it need not be waited for: the error is also on the flow.
   */
  readonly dispatch: (instanceId: string, action: FlowAction) => Promise<EventResult>
  /** Does again what the last error of a flow was about. */
  readonly retry: (instanceId: string) => Promise<EventResult>
  /** Does what an error of a flow offers: the same again, another flow, the end of one, or, to modify it, only no error. */
  readonly recover: (instanceId: string, recovery: Recovery) => Promise<EventResult | undefined>
  readonly dismiss: (instanceId: string, reason?: DismissRequestPayload['reason']) => Promise<EventResult>
  readonly invoke: (intentId: string, entities?: Values) => Promise<EventResult>
  /** Answers an action that is `manual`, or before its handler does. */
  readonly respond: (actionId: string, response: ActionResponse) => void
  /** Asks the server how things stand; resolves when this client has that. */
  readonly resync: () => Promise<void>
  /** Takes away the last error of a flow, or, without one, the last that was about none. */
  readonly clearError: (instanceId?: string) => void
  /** Ends it here; the flows go on. */
  readonly close: () => void
}
