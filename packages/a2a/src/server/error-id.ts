import { noteError, type ErrorRuntime } from '@cool-ai/beach-channel/http'
import { isObject } from '@cool-ai/beach-protocol/json-schema'

/** The type of Google's error model for what a provider finds a request by. */
const requestInfoType = 'type.googleapis.com/google.rpc.RequestInfo'

/** An error's id as one of its details, in A2A 1.0. */
export function errorIdDetail(id: string): { readonly '@type': string; readonly requestId: string } {
  return { '@type': requestInfoType, requestId: id }
}

/** An answer of JSON-RPC; each error in it that has no id gets one, in the manner of its version. */
export function withRpcErrorIds(body: unknown, version: '1.0' | '0.3', runtime: ErrorRuntime): unknown {
  if (Array.isArray(body)) return body.map((entry) => withRpcErrorIds(entry, version, runtime))
  if (!isObject(body) || !isObject(body.error) || body.error.data !== undefined) return body
  const { error } = body
  const id = noteError(undefined, runtime, { code: String(error.code), status: 400 })
  return { ...body, error: { ...error, data: version === '1.0' ? [errorIdDetail(id)] : { errorId: id } } }
}
