import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server'
import { A2A_ERROR_CODE } from '@a2a-js/sdk/errors'
import { ok, readRequest, written, type Answering, type RpcAnswer } from './json-rpc.ts'
import type { Legacy } from './legacy-handler.ts'
import { jsonOperations } from './operations.ts'
import { checkLegacyParams, legacyMethods } from './params-check.ts'
import { jsonRpcError } from './wire-errors.ts'

/** Answers a JSON-RPC request of protocol 0.3, by the SDK's translation. */
export async function answerLegacyJsonRpc(
  json: unknown,
  legacy: Legacy,
  { caller, logger }: Pick<Answering, 'caller' | 'logger'>,
): Promise<RpcAnswer> {
  const request = readRequest(json)
  if ('problem' in request) return ok(request.problem)
  const { id, method, params } = request
  const failed = (error: unknown) => ({ jsonrpc: '2.0', id, error })
  if (!legacyMethods.includes(method)) {
    return ok(failed({ code: A2A_ERROR_CODE.METHOD_NOT_FOUND, message: unknownMethod(method) }))
  }
  try {
    checkLegacyParams(method, params)
  } catch (error) {
    const { code, message } = jsonRpcError(error, logger).body
    return ok(failed({ code, message }))
  }
  const thrown = (error: unknown) => failed(LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError(error))
  const answer = await legacy.jsonRpc.handle({ jsonrpc: '2.0', id, method, params }, legacy.contextOf(caller))
  if (!(Symbol.asyncIterator in answer)) return ok(answer)
  try {
    return { stream: await written(answer, (event) => event), onError: (error) => JSON.stringify(thrown(error)) }
  } catch (error) {
    return ok(thrown(error))
  }
}

function unknownMethod(method: string): string {
  return Object.hasOwn(jsonOperations, method)
    ? `${method} is a method of A2A 1.0. Send the header A2A-Version: 1.0; without it a request is of 0.3.`
    : `There is no such method in A2A 0.3. There are: ${legacyMethods.join(', ')}.`
}
