import type { AccessRequirements } from '@cool-ai/beach-channel/auth'
import { BeachError, type Authenticator, type Principal } from '@cool-ai/beach-core'
import { askAuthenticator } from '@cool-ai/beach-core/ports'
import type { AgentSettings } from './agent-settings.ts'
import { Identity } from './identity.ts'

/** Authenticates callers, by the application's authenticators and by tokens and cookies of the agent itself. */
export class Callers {
  readonly identity: Identity
  /** By any credential, the cookie of the agent's pages too. */
  readonly byAnything: Authenticator
  /** Without cookies: programs have no use for them, and pages of other sites would. */
  readonly byCredential: Authenticator
  /** Called with whom a request is from, once that is known. */
  onKnown: (principal: Principal) => void = () => {}
  readonly #authenticators: readonly Authenticator[]

  constructor({ secret, runtime, agent, tenant, publicUrl, cookieName, authenticators = [] }: AgentSettings) {
    const isSecure = publicUrl?.startsWith('https:') === true
    const { byBearer, byCookie } = (this.identity = new Identity({
      secret,
      runtime,
      agentId: agent.id,
      tenant,
      isSecure,
      cookieName,
      publicUrl,
    }))
    this.#authenticators = authenticators
    const told = (authenticate: Authenticator): Authenticator => this.#told(authenticate)
    this.byAnything = told(firstOf([...authenticators, byBearer, byCookie]))
    this.byCredential = told(firstOf([...authenticators, byBearer]))
  }

  /**
   * Authenticates the caller of an endpoint by what the card requires there. Where it requires nothing all credentials
   * count, guests' too.
   */
  async authenticatorFor(required: AccessRequirements): Promise<Authenticator> {
    if (required.auths.length === 0) return this.byCredential
    const { requireCredential } = await import('@cool-ai/beach-channel/auth')
    if (this.#authenticators.length > 0) {
      return this.#told(requireCredential(required, this.#authenticators, this.identity.byKnownBearer))
    }
    const types = [...new Set(required.auths.map(({ type }) => `'${type}'`))].join(', ')
    const message = `The card asks callers for ${types}, and no authenticator recognises them. Give createBeach \`authenticators\`.`
    throw new BeachError('INVALID_CONFIGURATION', message)
  }

  #told(authenticate: Authenticator): Authenticator {
    return async (request) => {
      const known = await authenticate(request)
      if (known !== undefined && known.principal.kind !== 'anonymous') this.onKnown(known.principal)
      return known
    }
  }
}

function firstOf(authenticators: readonly Authenticator[]): Authenticator {
  const [only, ...others] = authenticators
  if (only !== undefined && others.length === 0) return only
  return async (request) => {
    for (const authenticate of authenticators) {
      const known = await askAuthenticator(authenticate, request)
      if (known !== undefined) return known
    }
    return undefined
  }
}
