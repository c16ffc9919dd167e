import type { LegacyRestTransportHandler } from '@a2a-js/sdk/compat/v0_3/server'

/** A card of 0.3, as its JSON-RPC binding and its well-known place have it. */
type LegacyCard = Awaited<ReturnType<LegacyRestTransportHandler['getAuthenticatedExtendedAgentCard']>>
type SecurityScheme = NonNullable<LegacyCard['securitySchemes']>[string]
type Requirement = NonNullable<LegacyCard['security']>[number]

/** A card of 0.3 as its HTTP+JSON binding has it: by Protocol Buffers, where security is written in another way. */
export function cardToLegacyProto({ securitySchemes, security, skills, ...card }: LegacyCard): object {
  return {
    ...card,
    ...(securitySchemes && { securitySchemes: mapped(securitySchemes, schemeToProto) }),
    ...(security && { security: security.map(requirementToProto) }),
    skills: skills.map(({ security: own, ...skill }) => {
      return { ...skill, ...(own && { security: own.map(requirementToProto) }) }
    }),
  }
}

function requirementToProto(requirement: Requirement): object {
  return { schemes: mapped(requirement, (list) => ({ list })) }
}

function schemeToProto(scheme: SecurityScheme): object {
  switch (scheme.type) {
    case 'apiKey': {
      const { type: _, in: location, ...more } = scheme
      return { apiKeySecurityScheme: { ...more, location } }
    }
    case 'http': {
      const { type: _, ...more } = scheme
      return { httpAuthSecurityScheme: more }
    }
    case 'oauth2': {
      const { type: _, ...more } = scheme
      return { oauth2SecurityScheme: more }
    }
    case 'openIdConnect': {
      const { type: _, ...more } = scheme
      return { openIdConnectSecurityScheme: more }
    }
    case 'mutualTLS': {
      const { type: _, ...more } = scheme
      return { mtlsSecurityScheme: more }
    }
  }
}

function mapped<Value>(values: Readonly<Record<string, Value>>, to: (value: Value) => object): Record<string, object> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, to(value)]))
}
