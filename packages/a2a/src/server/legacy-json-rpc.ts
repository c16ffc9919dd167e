import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server'
import { A2A_ERROR_CODE } from '@a2a-js/sdk/errors'
import type { Logger } from '@cool-ai/beach-core'
import * as z from 'zod'
import type { Caller } from './caller.ts'
import { readRequest, type RpcAnswer } from './json-rpc.ts'
import type { Legacy } from './legacy-handler.ts'
import { jsonOperations } from './operations.ts'
import { base64, count, flag, id, messageId, object, partsOf, requireParams, text, texts } from './param-types.ts'
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

const required = z.string('must be a text').min(1, 'is empty')

const part = z.discriminatedUnion(
  'kind',
  [
    z.looseObject({ kind: z.literal('text'), text: z.string('must be a text'), metadata: object }),
    z.looseObject({ kind: z.literal('data'), data: z.looseObject({}, 'must be an object'), metadata: object }),
    z.looseObject({
      kind: z.literal('file'),
      metadata: object,
      file: z
        .looseObject({ uri: text, bytes: base64, mimeType: text, name: text }, 'must be an object')
        .refine(({ uri, bytes }) => (uri === undefined) !== (bytes === undefined), 'needs either uri or bytes'),
    }),
  ],
  { error: 'must have a `kind`: text, file or data' },
)

const message = z.looseObject(
  {
    messageId,
    contextId: id,
    taskId: id,
    role: z.literal('user', 'must be user, since the message comes from the caller'),
    parts: partsOf(part),
    metadata: object,
    extensions: texts,
    referenceTaskIds: texts,
  },
  'must be an object',
)

const pushConfig = z.looseObject(
  {
    id: text,
    url: required,
    token: text,
    authentication: z.looseObject({ schemes: texts, credentials: text }, 'must be an object').nullish(),
  },
  'must be an object',
)

const configuration = z.looseObject(
  {
    acceptedOutputModes: texts,
    historyLength: count,
    blocking: flag,
    pushNotificationConfig: pushConfig.nullish(),
  },
  'must be an object',
)

const sendMessage = z.looseObject({ message, metadata: object, configuration: configuration.nullish() })
const task = z.looseObject({ id: required, historyLength: count, metadata: object })
const taskConfig = task.extend({ pushNotificationConfigId: text })

/** What the parameters of the methods of protocol 0.3 must be. */
const schemas: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ['message/send', sendMessage],
  ['message/stream', sendMessage],
  ['tasks/get', task],
  ['tasks/cancel', task],
  ['tasks/resubscribe', task],
  ['tasks/pushNotificationConfig/set', z.looseObject({ taskId: required, pushNotificationConfig: pushConfig })],
  ['tasks/pushNotificationConfig/get', taskConfig],
  ['tasks/pushNotificationConfig/list', task],
  ['tasks/pushNotificationConfig/delete', task.extend({ pushNotificationConfigId: required })],
  ['agent/getAuthenticatedExtendedCard', z.looseObject({})],
])

const legacyMethods: readonly string[] = [...schemas.keys()]

/** Refuses parameters of a method of 0.3 that are not right; the SDK's translation would stumble over some of them. */
function checkLegacyParams(method: string, params: unknown): void {
  const schema = schemas.get(method)
  if (schema !== undefined) requireParams(method, schema, params)
}
