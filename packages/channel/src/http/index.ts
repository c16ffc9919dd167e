export {
  isSame,
  isWebhookSignature,
  webhookHeaders,
  webhookIdOf,
  webhookKey,
  webhookToleranceMs,
} from '../standard-webhooks/webhook-signature.ts'
export { noteNodeRequest } from './body-pieces.ts'
export { parseRange } from './byte-range.ts'
export { readCallersJson } from './callers-json.ts'
export { attachment } from './content-disposition.ts'
export { endWith } from './end-with.ts'
export { matchesTag } from './entity-tag.ts'
export { hasForeignOrigin } from './foreign-origin.ts'
export { GuessLimit } from './guess-limit.ts'
export { PendingBodies, notePendingBodies, type PendingBodiesLimits } from './pending-bodies.ts'
export { bodyLimits, parseJson, readJson, type BodyLimits } from './json-body.ts'
export { noteNodeResponse, takeNodeResponse } from './node-response.ts'
export { readBytes } from './raw-body.ts'
export { readdressed } from './readdressed.ts'
export { networkOf, noteRemoteAddress, remoteNetwork } from './remote-address.ts'
export { errorResponse, jsonResponse, retryHeaders } from './responses.ts'
export { retryAfterMs } from './retry-after.ts'
