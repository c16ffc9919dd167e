import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server'
import { A2A_ERROR_CODE } from '@a2a-js/sdk/errors'
import type { Logger } from '@cool-ai/beach-core'
import type { Caller } from './caller.ts'
import { readRequest, type RpcAnswer } from './json-rpc.ts'
import type { Legacy } from './legacy-handler.ts'
import { checkLegacyParams, legacyMethods } from './legacy-params.ts'
import { jsonOperations } from './operations.ts'
import { jsonRpcError } from './wire-errors.ts'

/** Answers a JSON-RPC request of protocol 0.3, by the SDK's translation. */
export async function answerLegacyJsonRpc(
  json: unknown,
  legacy: Legacy,
  caller: Caller,
  logger: Logger,
): Promise<RpcAnswer> {
  const request = readRequest(json)
  if ('problem' in request) return ok(request.problem)
  const { id, method, params } = request
  if (!legacyMethods.includes(method)) {
    return ok({ jsonrpc: '2.0', id, error: { code: A2A_ERROR_CODE.METHOD_NOT_FOUND, message: unknownMethod(method) } })
  }
  try {
    checkLegacyParams(method, params)
  } catch (error) {
    const { code, message } = jsonRpcError(error, logger).body
    return ok({ jsonrpc: '2.0', id, error: { code, message } })
  }
  const failed = (error: unknown) => {
    return { jsonrpc: '2.0', id, error: LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError(error) }
  }
  const answer = await legacy.jsonRpc.handle({ jsonrpc: '2.0', id, method, params }, legacy.contextOf(caller))
  if (!(Symbol.asyncIterator in answer)) return ok(answer)
  try {
    const first = await answer.next()
    return { stream: written(first, answer), onError: (error) => JSON.stringify(failed(error)) }
  } catch (error) {
    return ok(failed(error))
  }
}

function unknownMethod(method: string): string {
  return Object.hasOwn(jsonOperations, method)
    ? `${method} is a method of A2A 1.0. Send the header A2A-Version: 1.0; without it a request is of 0.3.`
    : `There is no such method in A2A 0.3. There are: ${legacyMethods.join(', ')}.`
}

async function* written(
  first: IteratorResult<unknown, void>,
  events: AsyncGenerator<unknown, void, undefined>,
): AsyncGenerator<string, void, undefined> {
  if (first.done === true) return
  yield JSON.stringify(first.value)
  for await (const event of events) yield JSON.stringify(event)
}

function ok(body: unknown): RpcAnswer {
  return { status: 200, headers: {}, body }
}
