export { artifactsRoute, type ArtifactsRouteOptions } from './artifacts/artifacts-route.ts'
export { bodyLimits, readJson, type BodyLimits } from './http/json-body.ts'
export { errorResponse, jsonResponse } from './http/responses.ts'
export { sseChannel, type SseChannelOptions } from './sse/sse-channel.ts'
