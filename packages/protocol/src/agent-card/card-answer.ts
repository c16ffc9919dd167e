import type { AgentCard } from '@a2a-js/sdk'
import { BeachError } from '@cool-ai/beach-core'
import { contentHash } from '@cool-ai/beach-core/runtime'
import { agentCardToJson, type AgentCardJson } from './card-json.ts'
import { isPlainObject } from '../plain-value.ts'

/** Which card is served, and how long others may keep it. */
export interface WellKnownAgentCardOptions {
  /** Where the card is found; `/.well-known/agent-card.json` unless given. */
  readonly path?: string | undefined
  /** How long others may keep the card before they ask again; an hour unless given. */
  readonly maxAgeSeconds?: number | undefined
}

/** An answer to a request for the card, in no framework's terms. */
interface CardAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** Answers a method, and an `If-None-Match` header where there was one. */
export type AnswerCard = (method: string, ifNoneMatch?: string | null) => CardAnswer

const methods = 'GET, HEAD, OPTIONS'
const publicHeaders = { 'access-control-allow-origin': '*', 'x-content-type-options': 'nosniff' } as const

/** What is answered for a card. It is written once: every caller gets the same bytes, and one tag stands for them. */
export function answerCard(card: AgentCard, { maxAgeSeconds = 3_600 }: WellKnownAgentCardOptions): AnswerCard {
  if (!Number.isSafeInteger(maxAgeSeconds) || maxAgeSeconds < 0) {
    throw new BeachError('INVALID_CONFIGURATION', 'maxAgeSeconds must be a whole number of seconds, 0 or more.')
  }
  const body = JSON.stringify(withLegacyMembers(agentCardToJson(card), card))
  const etag = `"${contentHash(body)}"`
  const cached = {
    ...publicHeaders,
    etag,
    'cache-control': `public, max-age=${maxAgeSeconds}`,
    'access-control-expose-headers': 'ETag',
  }
  const length = new TextEncoder().encode(body).length
  const headers = { ...cached, 'content-type': 'application/json; charset=utf-8', 'content-length': String(length) }
  return (method, ifNoneMatch) => {
    if (method === 'OPTIONS') return preflight
    if (method !== 'GET' && method !== 'HEAD') return notAllowed
    if (matches(ifNoneMatch, etag)) return { status: 304, headers: cached, body: null }
    return { status: 200, headers, body: method === 'GET' ? body : null }
  }
}

function matches(header: string | null | undefined, etag: string): boolean {
  const named = header?.split(',').map((item) => item.trim().replace(/^W\//, '')) ?? []
  return named.includes(etag) || named.includes('*')
}

/** Browsers ask first when a page names a version of A2A or a tag that it knows. */
const preflight: CardAnswer = {
  status: 204,
  headers: {
    ...publicHeaders,
    allow: methods,
    'access-control-allow-methods': 'GET, HEAD',
    'access-control-allow-headers': '*',
    'access-control-max-age': '86400',
  },
  body: null,
}

const refusal = JSON.stringify({ error: { code: 'METHOD_NOT_ALLOWED', message: 'Use GET or HEAD here.' } })
const notAllowed: CardAnswer = {
  status: 405,
  headers: {
    ...publicHeaders,
    allow: methods,
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
  },
  body: refusal,
}

/**
 * The published card with what clients of A2A 0.3 look for in one, where the agent speaks 0.3: those of 1.0 ignore it.
 * A signed card stays as it is, since nothing may stand in it that its signatures do not cover.
 */
function withLegacyMembers(json: AgentCardJson, { supportedInterfaces, signatures }: AgentCard): AgentCardJson {
  const ways = supportedInterfaces.filter(({ protocolVersion }) => /^0\.3(\.|$)/.test(protocolVersion))
  const [first] = ways
  if (first === undefined || signatures.length > 0) return json
  const { capabilities, securitySchemes, securityRequirements } = json
  const hasExtendedCard = isPlainObject(capabilities) && capabilities.extendedAgentCard === true
  const security = securityOf(securityRequirements)
  return {
    protocolVersion: '0.3.0',
    url: first.url,
    preferredTransport: first.protocolBinding,
    additionalInterfaces: ways.map(({ url, protocolBinding }) => ({ url, transport: protocolBinding })),
    ...(hasExtendedCard && { supportsAuthenticatedExtendedCard: true }),
    ...(security.length > 0 && { security }),
    ...json,
    ...(isPlainObject(securitySchemes) && { securitySchemes: schemesOf(securitySchemes) }),
  }
}

/** Each way to authenticate as its schemes with their scopes. */
function securityOf(requirements: unknown): object[] {
  if (!Array.isArray(requirements)) return []
  return requirements.map((requirement: unknown) => {
    const schemes = isPlainObject(requirement) && isPlainObject(requirement.schemes) ? requirement.schemes : {}
    const scopes = (scheme: unknown) => (isPlainObject(scheme) && Array.isArray(scheme.list) ? scheme.list : [])
    return Object.fromEntries(Object.entries(schemes).map(([name, scheme]) => [name, scopes(scheme)]))
  })
}

/** The schemes, each also in the words of OpenAPI that 0.3 had. */
function schemesOf(schemes: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(
    Object.entries(schemes).map(([name, scheme]) => [
      name,
      isPlainObject(scheme) ? { ...openApiScheme(scheme), ...scheme } : scheme,
    ]),
  )
}

function openApiScheme(scheme: Readonly<Record<string, unknown>>): object {
  const of = (name: string) => (isPlainObject(scheme[name]) ? scheme[name] : undefined)
  const [apiKey, http, oauth2] = [of('apiKeySecurityScheme'), of('httpAuthSecurityScheme'), of('oauth2SecurityScheme')]
  if (apiKey !== undefined) return { type: 'apiKey', in: apiKey.location, name: apiKey.name }
  if (http !== undefined) return { type: 'http', scheme: http.scheme }
  if (oauth2 !== undefined) return { type: 'oauth2', flows: oauth2.flows }
  const openId = of('openIdConnectSecurityScheme')
  if (openId !== undefined) return { type: 'openIdConnect', openIdConnectUrl: openId.openIdConnectUrl }
  return of('mtlsSecurityScheme') === undefined ? {} : { type: 'mutualTLS' }
}
