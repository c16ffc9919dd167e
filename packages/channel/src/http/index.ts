export {
  isSame,
  isWebhookSignature,
  webhookHeaders,
  webhookIdOf,
  webhookKey,
  webhookToleranceMs,
} from '../standard-webhooks/webhook-signature.ts'
export { parseRange } from './byte-range.ts'
export { attachment } from './content-disposition.ts'
export { endWith } from './end-with.ts'
export { matchesTag } from './entity-tag.ts'
export { GuessLimit } from './guess-limit.ts'
export { PendingBodies, type PendingBodiesLimits } from './pending-bodies.ts'
export { bodyLimits, parseJson, readJson, type BodyLimits } from './json-body.ts'
export { readBytes } from './read-body.ts'
export { hasForeignOrigin, networkOf, noteRequest, readdressed, remoteNetwork } from './request-source.ts'
export { errorResponse, jsonResponse, retryHeaders } from './responses.ts'
export { retryAfterMs } from './retry-after.ts'
