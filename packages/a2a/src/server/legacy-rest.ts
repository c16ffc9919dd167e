import { toLegacyHTTPError, type LegacyRestTransportHandler } from '@a2a-js/sdk/compat/v0_3/server'
import { A2AError } from '@a2a-js/sdk/errors'
import { errorIdHeader, type ErrorRuntime } from '@cool-ai/beach-channel/http'
import { ok, type Answering, type RpcAnswer } from './json-rpc.ts'
import type { Legacy } from './legacy-handler.ts'
import {
  eventToLegacy,
  pushConfigFromLegacy,
  pushConfigToLegacy,
  sendRequestFromLegacy,
  taskToLegacy,
} from './legacy-proto.ts'
import { answerRest, type RestRequest } from './rest.ts'
import { restError, toA2aError, type WireError } from './wire-errors.ts'

const version = '/v1'

/** Answers a request of the HTTP+JSON binding of protocol 0.3: the same operations, written in the earlier form. */
export async function answerLegacyRest(request: RestRequest, legacy: Legacy, answering: Answering): Promise<RpcAnswer> {
  const { caller, runtime } = answering
  const path = request.path.slice(version.length)
  if (path === '/card' && request.method === 'GET') {
    return ok(cardToLegacyProto(await legacy.rest.getAuthenticatedExtendedAgentCard(legacy.contextOf(caller))))
  }
  const json = path.endsWith('/pushNotificationConfigs') ? pushConfigFromLegacy : sendRequestFromLegacy
  const answer = await answerRest({ ...request, path, json: json(request.json) }, answering)
  if ('stream' in answer) {
    const onError = (error: unknown) => JSON.stringify(legacyRestError(error, runtime).body)
    return { stream: translated(answer.stream), onError }
  }
  return { ...answer, headers: {}, body: toLegacy(path, answer.body) }
}

/** An error in the manner of 0.3. */
export function legacyRestError(error: unknown, runtime: ErrorRuntime): WireError<unknown> {
  const { status, headers } = restError(error, runtime)
  const seen = toA2aError(error)
  const body = toLegacyHTTPError(seen instanceof A2AError ? seen : new A2AError(seen.message))
  return { status, headers, body: { ...body, data: { errorId: headers[errorIdHeader] } } }
}

function toLegacy(path: string, body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body
  if ('configs' in body && Array.isArray(body.configs)) return { configs: body.configs.map(pushConfigToLegacy) }
  if (path.includes('/pushNotificationConfigs')) return pushConfigToLegacy(body)
  return 'task' in body || 'message' in body ? eventToLegacy(body) : taskToLegacy(body)
}

async function* translated(events: AsyncGenerator<string, void, undefined>): AsyncGenerator<string, void, undefined> {
  for await (const event of events) yield JSON.stringify(eventToLegacy(JSON.parse(event)))
}

/** A card of 0.3, as its JSON-RPC binding and its well-known place have it. */
type LegacyCard = Awaited<ReturnType<LegacyRestTransportHandler['getAuthenticatedExtendedAgentCard']>>
type SecurityScheme = NonNullable<LegacyCard['securitySchemes']>[string]
type Requirement = NonNullable<LegacyCard['security']>[number]

/** A card of 0.3 as its HTTP+JSON binding has it: by Protocol Buffers, where security is written in another way. */
export function cardToLegacyProto({ securitySchemes, security, skills, ...card }: LegacyCard): object {
  return {
    ...card,
    securitySchemes: securitySchemes && mapped(securitySchemes, schemeToProto),
    security: security?.map(requirementToProto),
    skills: skills.map(({ security: own, ...skill }) => ({ ...skill, security: own?.map(requirementToProto) })),
  }
}

function requirementToProto(requirement: Requirement): object {
  return { schemes: mapped(requirement, (list) => ({ list })) }
}

const protoNames: Readonly<Record<SecurityScheme['type'], string>> = {
  apiKey: 'apiKeySecurityScheme',
  http: 'httpAuthSecurityScheme',
  oauth2: 'oauth2SecurityScheme',
  openIdConnect: 'openIdConnectSecurityScheme',
  mutualTLS: 'mtlsSecurityScheme',
}

function schemeToProto({ type, ...scheme }: SecurityScheme): object {
  if (!('in' in scheme)) return { [protoNames[type]]: scheme }
  const { in: location, ...more } = scheme
  return { [protoNames[type]]: { ...more, location } }
}

function mapped<Value>(values: Readonly<Record<string, Value>>, to: (value: Value) => object): Record<string, object> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, to(value)]))
}
