import { retryHeaders } from '@cool-ai/beach-channel/http'
import { BeachError, isBeachError, type Logger } from '@cool-ai/beach-core'
import { ProtocolError, ProtocolErrorCode, type CallToolResult } from '@modelcontextprotocol/server'

/** A failure as a tool's result, so that the model that called it can do something about it. */
export function failedCall(error: unknown, logger: Logger): CallToolResult {
  return { content: [{ type: 'text', text: shown(error, logger).message }], isError: true }
}

/** A failure as an error of the protocol. */
export function protocolError(error: unknown, logger: Logger): ProtocolError {
  if (error instanceof ProtocolError) return error
  const { status, message } = shown(error, logger)
  const isTheirs = status < 500
  return new ProtocolError(isTheirs ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError, message)
}

/** An HTTP error as JSON-RPC has it. */
export function rpcErrorResponse(error: unknown, logger: Logger, headers: Record<string, string> = {}): Response {
  const seen = shown(error, logger)
  const { code, status, message } = seen
  const body = { jsonrpc: '2.0', id: null, error: { code: rpcCodes[code] ?? -32_000, message, data: { code } } }
  return Response.json(body, {
    status,
    headers: { 'cache-control': 'no-store', ...retryHeaders(seen), ...headers },
  })
}

const rpcCodes: Readonly<Record<string, number>> = { BAD_JSON: -32_700, BAD_REQUEST: -32_600, INTERNAL: -32_603 }

/** What others may see of an error: our own sentences, and no foreign text. */
function shown(error: unknown, logger: Logger): BeachError {
  if (isBeachError(error) && error.status < 500) return error
  logger.log('error', 'an MCP request failed', { error })
  return isBeachError(error) && error.code !== 'INTERNAL'
    ? error
    : new BeachError('INTERNAL', 'Something went wrong on our side. Try again.')
}
