import type { AccessRequirements } from '@cool-ai/beach-channel/auth'
import { BeachError, type Authenticator, type Principal } from '@cool-ai/beach-core'
import { askAuthenticator, type Audit } from '@cool-ai/beach-core/ports'
import { notesOf, noteRequest } from '@cool-ai/beach-channel/http'
import { Rights } from '@cool-ai/beach-channel/rights'
import type { AgentSettings } from './agent-settings.ts'
import { Identity } from './identity/identity.ts'
import { Revocations } from './identity/revocations.ts'

/** Authenticates callers, by the application's authenticators and by tokens and cookies of the agent itself. */
export class Callers {
  readonly identity: Identity
  readonly revocations: Revocations
  /** What principals may do. */
  readonly rights: Rights
  /** By any credential, the cookie of the agent's pages too. */
  readonly byAnything: Authenticator
  /** Without cookies: programs have no use for them, and pages of other sites would. */
  readonly byCredential: Authenticator
  /** Called with whom a request is from, once that is known. */
  onKnown: (principal: Principal) => void = () => {}
  readonly #authenticators: readonly Authenticator[]

  constructor(settings: AgentSettings, audit?: Audit, byProvider?: Authenticator) {
    const { secret, runtime, agent, tenant, publicUrl, cookieName, store, roles, channelScopes, oidc } = settings
    // Those whom an organisation signs in are known: guests come in only where that is said.
    const { guests = oidc === undefined } = settings
    const authenticators = [...(settings.authenticators ?? []), ...(byProvider ? [byProvider] : [])]
    const { clock, logger } = runtime
    this.rights = new Rights({ roles, channelScopes, guests })
    this.revocations = new Revocations({ store, clock, logger })
    const isSecure = publicUrl?.startsWith('https:') === true
    const { byBearer, byCookie } = (this.identity = new Identity({
      secret,
      runtime,
      agentId: agent.id,
      tenant,
      isSecure,
      cookieName,
      publicUrl,
      store,
      revocations: this.revocations,
      audit,
      times: settings.tokens,
      guests: this.rights.guests,
    }))
    this.#authenticators = authenticators.map((authenticate) => this.rights.applied(authenticate))
    this.byAnything = this.#told(firstOf([...authenticators, byBearer, byCookie]))
    this.byCredential = this.#told(firstOf([...authenticators, byBearer]))
  }

  /**
   * Authenticates the caller of an endpoint by what the card requires there. Where it requires nothing all credentials
   * count, guests' too.
   */
  async authenticatorFor(required: AccessRequirements): Promise<Authenticator> {
    if (required.auths.length === 0) return this.byCredential
    const { requireCredential } = await import('@cool-ai/beach-channel/auth')
    if (this.#authenticators.length > 0) {
      return this.#told(
        requireCredential(required, this.#authenticators, this.rights.applied(this.identity.byKnownBearer)),
      )
    }
    const types = [...new Set(required.auths.map(({ type }) => `'${type}'`))].join(', ')
    const message = `The card asks callers for ${types}, and no authenticator recognises them. Give createBeach \`authenticators\` or \`oidc\`, in \`access\`.`
    throw new BeachError('INVALID_CONFIGURATION', message)
  }

  /** Streams that a request leads to end when its credential is taken back, whichever channel they are of. */
  #told(authenticate: Authenticator): Authenticator {
    return async (request) => {
      const known = this.rights.known(await authenticate(request))
      if (known === undefined) return undefined
      noteRequest(request, { caller: known.principal })
      if (known.principal.kind !== 'anonymous') this.onKnown(known.principal)
      const { connection, whileAllowed } = notesOf(request)
      if (whileAllowed !== undefined) return known
      const watch = (end: () => void) => this.revocations.watch(known.principal, known.login, end)
      noteRequest(request, { whileAllowed: watch })
      if (connection !== undefined && !connection.destroyed) {
        const unwatch = watch(() => connection.destroy())
        connection.once('close', unwatch)
      }
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
