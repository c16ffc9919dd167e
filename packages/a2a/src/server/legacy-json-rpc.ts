import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server'
import { A2A_ERROR_CODE } from '@a2a-js/sdk/errors'
import { errorIdHeader } from '@cool-ai/beach-channel/http'
import { ok, readRequest, written, type Answering, type RpcAnswer } from './json-rpc.ts'
import type { Legacy } from './legacy-handler.ts'
import { jsonOperations } from './operations.ts'
import { checkLegacyParams, legacyMethods } from './params-check.ts'
import { jsonRpcError } from './wire-errors.ts'

/** Answers a JSON-RPC request of protocol 0.3, by the SDK's translation. */
export async function answerLegacyJsonRpc(
  json: unknown,
  legacy: Legacy,
  { caller, runtime }: Pick<Answering, 'caller' | 'runtime'>,
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
    const { body, headers } = jsonRpcError(error, runtime)
    return ok(failed({ code: body.code, message: body.message, data: { errorId: headers[errorIdHeader] } }))
  }
  const context = legacy.contextOf(caller)
  const named = (error: object) => failed({ ...error, ...legacy.errorData(context) })
  const thrown = (error: unknown) => named(LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError(error))
  const answer = await legacy.jsonRpc.handle({ jsonrpc: '2.0', id, method, params }, context)
  if (!(Symbol.asyncIterator in answer)) return ok('error' in answer ? named(answer.error) : answer)
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
