export { eventHeartbeat, eventResponse, textEvents } from './event-stream.ts'
export {
  Heartbeats,
  StreamWriter,
  type HeartbeatTarget,
  type Outlet,
  type OutletEvents,
  type Piece,
  type StreamForm,
  type StreamWriterOptions,
} from './stream-writer.ts'
export { isHardToGuess, requireHardToGuess } from './guest-name.ts'
export { openRunPrefix } from './open-run-prefix.ts'
export { Rate } from './rate.ts'
export { inboundParts, requireDecided, SessionCalls, type Call } from './session-calls.ts'
export { until } from './until.ts'
export { linkedFrame, SharedLinks, withLinks, type ArtifactLink, type LinkOf } from '../messages/artifact-links.ts'
