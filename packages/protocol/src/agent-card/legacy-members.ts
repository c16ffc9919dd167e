import type { AgentCard } from '@a2a-js/sdk'
import { isPlainObject } from '../plain-value.ts'
import type { AgentCardJson } from './card-json.ts'

/**
 * The published card with what clients of A2A 0.3 look for in one, where the agent speaks 0.3: those of 1.0 ignore it.
 * A signed card stays as it is, since nothing may stand in it that its signatures do not cover.
 */
export function withLegacyMembers(json: AgentCardJson, { supportedInterfaces, signatures }: AgentCard): AgentCardJson {
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
