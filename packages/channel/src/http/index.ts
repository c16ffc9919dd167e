export { GuessLimit } from './guess-limit.ts'
export {
  checkOrigins,
  corsHeaders,
  foreignOrigin,
  isLoopback,
  isPreflight,
  listedHeaders,
  listedOrigin,
  preflight,
  refusedOrigin,
  withCors,
  type AllowedOrigins,
} from './origins.ts'
export { PendingBodies, type PendingBodiesLimits } from './pending-bodies.ts'
export { bodyLimits, parseJson, readJson, type BodyLimits } from './json-body.ts'
export { isProbe } from './probes.ts'
export { readBytes } from './read-body.ts'
export { hasForeignOrigin, networkOf, noteRequest, notesOf, readdressed, remoteNetwork } from './request-source.ts'
export { errorIdHeader, noteError, withErrorId, type ErrorRuntime } from './error-id.ts'
export { errorResponse, jsonResponse, retryHeaders, seenError } from './responses.ts'
