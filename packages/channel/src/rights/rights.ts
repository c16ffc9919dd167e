import { BeachError, type Authenticator, type Principal } from '@cool-ai/beach-core'
import { askAuthenticator, type Authentication } from '@cool-ai/beach-core/ports'
import { requireScopes } from '../auth/scopes.ts'
import { checkedRoles, checkedScopes, scopesOfRoles, withRoleScopes, type Roles } from './roles.ts'

/** What callers may do, as an agent's author writes it. */
export interface RightsOptions {
  /** The scopes of roles, besides those of `reader`, `approver`, `operator` and `admin`. */
  readonly roles?: Roles | undefined
  /** The scopes that callers of a channel need, by its transport, such as `{ mcp: ['tools'] }`. */
  readonly channelScopes?: Readonly<Record<string, readonly string[]>> | undefined
  /** False where every caller by HTTP needs a credential; guests are let in when left out. */
  readonly guests?: boolean | undefined
}

/** Who may do what: roles become scopes here, and every channel asks here whether a caller may use it. */
export class Rights {
  readonly guests: boolean
  readonly #roles: Roles
  readonly #channels: ReadonlyMap<string, readonly string[]>

  constructor({ roles, channelScopes = {}, guests = true }: RightsOptions = {}) {
    this.#roles = checkedRoles(roles)
    this.guests = guests
    this.#channels = new Map(Object.entries(checkedScopes(channelScopes, 'channelScopes')))
  }

  /** A caller with the scopes of its roles; a guest is none where there are no guests. */
  known(caller: Authentication | undefined): Authentication | undefined {
    if (caller === undefined || (!this.guests && caller.principal.kind === 'anonymous')) return undefined
    const { roles, scopes } = caller.principal
    if (roles === undefined && scopes === undefined) return caller
    const principal = withRoleScopes(this.#roles, caller.principal)
    return principal === caller.principal ? caller : { ...caller, principal }
  }

  /** The same for all callers of an authenticator. */
  applied(authenticate: Authenticator): Authenticator {
    return async (request) => this.known(await askAuthenticator(authenticate, request))
  }

  /** The scopes of some roles. */
  scopesOf(roles: readonly string[]): readonly string[] {
    return scopesOfRoles(this.#roles, roles)
  }

  /** Refuses a caller who may not use a channel; one without a principal has no credential. */
  requireChannel(transport: string, by: Principal | undefined): void {
    const scopes = this.#channels.get(transport) ?? []
    const isGuest = by === undefined || by.kind === 'anonymous'
    if (isGuest && (scopes.length > 0 || !this.guests)) {
      throw new BeachError('UNAUTHENTICATED', 'This agent knows its callers: sign in, or send a credential.')
    }
    if (by !== undefined) requireScopes(by, scopes)
  }

  /** Refuses what comes into a session by a channel, also by mail and phone, from a principal who may not use it. */
  requireSender(transport: string, by: Principal): void {
    const scopes = this.#channels.get(transport)
    if (scopes !== undefined) requireScopes(by, scopes)
  }

  /** An authenticator for a channel: it lets in only those who may use it. */
  forChannel(transport: string, authenticate: Authenticator): Authenticator {
    return async (request) => {
      const known = await authenticate(request)
      this.requireChannel(transport, known?.principal)
      return known
    }
  }

  /** True where not every caller may use a channel. */
  guards(transport: string): boolean {
    return !this.guests || this.#channels.has(transport)
  }

  /** Refuses settings for channels that the agent does not have. */
  checkChannels(transports: readonly string[]): void {
    const unknown = [...this.#channels.keys()].find((name) => !transports.includes(name))
    if (unknown === undefined) return
    const message = `\`access.channelScopes\` names '${unknown}', which this agent does not have. It has: ${transports.join(', ')}.`
    throw new BeachError('INVALID_CONFIGURATION', message)
  }
}
