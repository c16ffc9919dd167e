export type { ActionResult, ActionMessage, SurfaceAction } from './action.ts'
export { AgentError } from './reliability/agent-error.ts'
export { connect } from './connect.ts'
export type { Connection, Via } from './reliability/connection.ts'
export type {
  Approving,
  ConnectOptions,
  Conversation,
  ConversationEvents,
  SessionLink,
  Snapshot,
} from './conversation.ts'
export { joinSession, logOut, openSession, type OpenedSession, type OpenSessionOptions } from './open-session.ts'
export type { OutgoingPart, Pending } from './pending-messages.ts'
export type { AgentOptions } from './reliability/requests.ts'
export type { Decided, PostResult } from '@cool-ai/beach-core/ports'
export {
  EnvelopeStream,
  type StreamDecision,
  type StreamDelta,
  type StreamEvents,
  type StreamGap,
  type StreamPart,
  type StreamRetraction,
  type StreamTurn,
} from '@cool-ai/beach-protocol/stream'
export {
  askedApproval,
  type AskedApproval,
  type EditableArgument,
  type Fact,
} from '@cool-ai/beach-protocol/approval-words'
export { visibleLines, visibleText } from '@cool-ai/beach-protocol/visible-text'
