export {
  guardedFetch,
  streamLimits,
  type FetchLimits,
  type GuardedFetch,
  type GuardedFetchOptions,
  type GuardedRequestInit,
  type RequestGuard,
  type ResolveHost,
  type TlsIdentity,
} from './guarded-fetch.ts'
export { isOrigin, parseOrigin } from './origin.ts'
export { retryAfterMs } from './retry-after.ts'
