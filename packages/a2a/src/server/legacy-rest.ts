import { toLegacyHTTPError } from '@a2a-js/sdk/compat/v0_3/server'
import { A2AError } from '@a2a-js/sdk/errors'
import type { Logger } from '@cool-ai/beach-core'
import type { Caller } from './caller.ts'
import type { RpcAnswer } from './json-rpc.ts'
import type { Legacy } from './legacy-handler.ts'
import {
  eventToLegacy,
  pushConfigFromLegacy,
  pushConfigToLegacy,
  sendRequestFromLegacy,
  taskToLegacy,
} from './legacy-proto.ts'
import { cardToLegacyProto } from './legacy-proto-card.ts'
import type { Operations } from './operations.ts'
import { answerRest, type RestRequest } from './rest-answer.ts'
import { restError, toA2aError, type WireError } from './wire-errors.ts'

const version = '/v1'

/** Answers a request of the HTTP+JSON binding of protocol 0.3: the same operations, written in the earlier form. */
export async function answerLegacyRest(
  request: RestRequest,
  { operations, legacy, logger }: { operations: Operations; legacy: Legacy; logger: Logger },
  caller: Caller,
): Promise<RpcAnswer> {
  const path = request.path.slice(version.length)
  if (path === '/card' && request.method === 'GET') {
    return ok(cardToLegacyProto(await legacy.rest.getAuthenticatedExtendedAgentCard(legacy.contextOf(caller))))
  }
  const json = path.endsWith('/pushNotificationConfigs') ? pushConfigFromLegacy : sendRequestFromLegacy
  const answer = await answerRest({ ...request, path, json: json(request.json) }, operations, caller, logger)
  if ('stream' in answer) {
    const onError = (error: unknown) => JSON.stringify(legacyRestError(error, logger).body)
    return { stream: translated(answer.stream), onError }
  }
  return { ...answer, headers: {}, body: toLegacy(path, answer.body) }
}

/** An error in the manner of 0.3. */
export function legacyRestError(error: unknown, logger: Logger): WireError<unknown> {
  const { status, headers } = restError(error, logger)
  const seen = toA2aError(error, logger)
  return { status, headers, body: toLegacyHTTPError(seen instanceof A2AError ? seen : new A2AError(seen.message)) }
}

function toLegacy(path: string, body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body
  if ('configs' in body && Array.isArray(body.configs)) return { configs: body.configs.map(pushConfigToLegacy) }
  if (path.includes('/pushNotificationConfigs')) return pushConfigToLegacy(body)
  return 'task' in body ? { task: taskToLegacy(body.task) } : taskToLegacy(body)
}

async function* translated(events: AsyncGenerator<string, void, undefined>): AsyncGenerator<string, void, undefined> {
  for await (const event of events) yield JSON.stringify(eventToLegacy(JSON.parse(event)))
}

function ok(body: unknown): RpcAnswer {
  return { status: 200, headers: {}, body }
}
