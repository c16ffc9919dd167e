export { ActionError, type ActionHandler, type ActionHandlers, type ActionResponse } from './action-runs.ts'
export { agentTransport, type AgentTransportOptions, type FlowAgent } from './agent-transport.ts'
export { browserActions, type BrowserActionsOptions } from './browser-actions.ts'
export { createFlowClient } from './create-flow-client.ts'
export { FlowClientError } from './flow-client-error.ts'
export type { FlowAction, FlowClient, FlowClientOptions, ServerPayloadOf } from './flow-client.ts'
export type { FlowConnection } from './flow-connection.ts'
export type { ShownFlow, OptimisticStep, OptimisticTables, FlowsSnapshot } from './snapshots.ts'
export { postTransport, type PostTransportOptions, type ServerOptions } from './post-transport.ts'
export { sessionTransport, type FlowSession } from './session-transport.ts'
export { socketTransport, type SocketTransportOptions } from './socket-transport.ts'
export type {
  Answer,
  EventResult,
  FlowTransport,
  FollowEvents,
  Known,
  ReceivedEvent,
  ClientRequest,
} from './transport.ts'
