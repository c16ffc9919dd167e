import { errorIdHeader, noteError, retryHeaders, seenError, type ErrorRuntime } from '@cool-ai/beach-channel/http'
import { isBeachError } from '@cool-ai/beach-core'
import { ProtocolError, ProtocolErrorCode, type CallToolResult } from '@modelcontextprotocol/server'
import { errorIdKey } from './request-meta.ts'

/** A failure as a tool's result, so that the model that called it can do something about it. */
export function failedCall(error: unknown, runtime: ErrorRuntime): CallToolResult {
  const _meta = { [errorIdKey]: noteError(error, runtime) }
  return { content: [{ type: 'text', text: seenError(error).message }], isError: true, _meta }
}

/** A failure as an error of the protocol. */
export function protocolError(error: unknown, runtime: ErrorRuntime): ProtocolError {
  if (error instanceof ProtocolError) {
    const errorId = noteError(error, runtime, { code: 'BAD_REQUEST', status: 400 })
    // The same object: the SDK writes some of its errors differently for each revision.
    return Object.assign(error, { data: { ...(error.data as object | undefined), errorId } })
  }
  const errorId = noteError(error, runtime)
  const { status, message } = seenError(error)
  const code = status < 500 ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError
  return new ProtocolError(code, message, isBeachError(error) ? { code: error.code, errorId } : { errorId })
}

/** An HTTP error as JSON-RPC has it. */
export function rpcErrorResponse(
  error: unknown,
  runtime: ErrorRuntime,
  headers: Record<string, string> = {},
): Response {
  const errorId = noteError(error, runtime)
  const seen = seenError(error)
  const { code, status, message } = seen
  const body = {
    jsonrpc: '2.0',
    id: null,
    error: { code: rpcCodes[code] ?? -32_000, message, data: { code, errorId } },
  }
  return Response.json(body, {
    status,
    headers: { 'cache-control': 'no-store', [errorIdHeader]: errorId, ...retryHeaders(seen), ...headers },
  })
}

const rpcCodes: Readonly<Record<string, number>> = { BAD_JSON: -32_700, BAD_REQUEST: -32_600, INTERNAL: -32_603 }
