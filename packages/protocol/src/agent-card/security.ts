import type { SecurityRequirement, SecurityScheme } from '@a2a-js/sdk'
import type { CardAuth, ReadableCard } from './authored-card.ts'

/** How an A2A card says what callers must bring. */
export interface Security {
  readonly schemes: Readonly<Record<string, SecurityScheme>>
  /** Alternatives; none when a caller may come without credentials. */
  readonly requirements: readonly SecurityRequirement[]
}

/** What an A2A card can say of its transports' auth; a type of which A2A knows nothing stands in the extension only. */
export function securityOf({ transports, capabilities }: ReadableCard): Security {
  const scopes = new Set(capabilities.flatMap(({ requiredScopes = [] }) => requiredScopes))
  const schemes = new Map<string, SecurityScheme>()
  const requirements = new Map<string, SecurityRequirement>()
  const spoken = transports.filter(({ protocol }) => protocol === 'a2a')
  for (const { auth, requiredScopes = [] } of spoken) {
    const scheme = auth === undefined ? undefined : toScheme(auth, scopes)
    if (auth === undefined || scheme === undefined) continue
    const name = nameFor(auth.type, scheme, schemes)
    schemes.set(name, scheme)
    const requirement = { schemes: { [name]: { list: requiredScopes } } }
    requirements.set(JSON.stringify(requirement), requirement)
  }
  const isOpen = spoken.some(({ auth }) => auth === undefined || auth.type === 'none')
  return { schemes: Object.fromEntries(schemes), requirements: isOpen ? [] : [...requirements.values()] }
}

/** What a caller needs for one skill, where scopes can be asked of it by some scheme. */
export function skillRequirements({ schemes }: Security, scopes: readonly string[]): SecurityRequirement[] {
  if (scopes.length === 0) return []
  return Object.keys(schemes).map((name) => ({ schemes: { [name]: { list: [...scopes] } } }))
}

function toScheme(auth: CardAuth, scopes: ReadonlySet<string>): SecurityScheme | undefined {
  switch (auth.type) {
    case 'api-key': {
      const value = { description: '', location: 'header', name: auth.header ?? '' }
      return auth.header === undefined ? undefined : { scheme: { $case: 'apiKeySecurityScheme', value } }
    }
    case 'oauth2': {
      if (auth.tokenEndpoint === undefined) return undefined
      const all = new Set([...scopesOf(auth), ...scopes])
      const value = { tokenUrl: auth.tokenEndpoint, refreshUrl: '', scopes: describeScopes(all) }
      const flows = { flow: { $case: 'clientCredentials', value } } as const
      return { scheme: { $case: 'oauth2SecurityScheme', value: { description: '', flows, oauth2MetadataUrl: '' } } }
    }
    case 'mtls':
      return { scheme: { $case: 'mtlsSecurityScheme', value: { description: 'A client certificate.' } } }
    default:
      return undefined
  }
}

function scopesOf({ scope = [] }: CardAuth): readonly string[] {
  return typeof scope === 'string' ? scope.split(/\s+/) : scope
}

// A2A wants a description for each scope; the scope is all that is known.
function describeScopes(scopes: ReadonlySet<string>): Record<string, string> {
  return Object.fromEntries([...scopes].map((scope) => [scope, scope]))
}

function nameFor(type: string, scheme: SecurityScheme, taken: ReadonlyMap<string, SecurityScheme>, count = 1): string {
  const name = count === 1 ? type : `${type}-${count}`
  const standing = taken.get(name)
  const isFree = standing === undefined || JSON.stringify(standing) === JSON.stringify(scheme)
  return isFree ? name : nameFor(type, scheme, taken, count + 1)
}

/** The auth of a card that says it by A2A's means alone; undefined when it says none, or one that has no name here. */
export function authFromSecurity(security: Security): CardAuth | undefined {
  for (const { schemes } of security.requirements) {
    const names = Object.keys(schemes)
    const [name = ''] = names
    const auth = names.length === 1 ? fromScheme(security.schemes[name], schemes[name]?.list ?? []) : undefined
    if (auth !== undefined) return auth
  }
  return undefined
}

function fromScheme(scheme: SecurityScheme | undefined, scopes: readonly string[]): CardAuth | undefined {
  const given = scheme?.scheme
  if (given?.$case === 'apiKeySecurityScheme' && given.value.location === 'header') {
    return { type: 'api-key', header: given.value.name }
  }
  if (given?.$case === 'mtlsSecurityScheme') return { type: 'mtls' }
  const flow = given?.$case === 'oauth2SecurityScheme' ? given.value.flows?.flow : undefined
  if (flow?.$case !== 'clientCredentials') return undefined
  return { type: 'oauth2', tokenEndpoint: flow.value.tokenUrl, ...(scopes.length === 0 ? {} : { scope: [...scopes] }) }
}
