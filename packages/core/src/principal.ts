import { BeachError } from './errors.ts'

/** Who is calling, once authenticated. A session belongs to one principal of one tenant. */
export interface Principal {
  readonly kind: 'anonymous' | 'user' | 'peer' | 'operator'
  readonly id: string
  readonly tenant: string
  /** What it may do beyond talking, such as `booking:write`. */
  readonly scopes?: readonly string[]
  /** Names for sets of scopes, such as `approver` (docs/guides/identity.md); the agent adds their scopes. */
  readonly roles?: readonly string[]
}

/** The scope of the role `approver`: such principals decide where operators may. */
export const approveScope = 'approvals:decide'
/** The scope by which a principal who is no operator decides approvals of level `admin`. */
export const adminApproveScope = 'approvals:admin'

/** True when `by` may see what belongs to `owner`: the owner itself, or an operator of the same tenant. */
export function mayAccess(owner: Principal, by: Principal): boolean {
  if (owner.tenant !== by.tenant) return false
  return by.kind === 'operator' || (owner.kind === by.kind && owner.id === by.id)
}

/** The principal as one word for keys and logs; parts are escaped, so no two principals share it. */
export function principalKey(principal: Principal): string {
  return `${encodeURIComponent(principal.kind)}~${encodeURIComponent(principal.id)}`
}

/**
 * Who may decide a session's approvals: its owner, any operator or approver of the tenant, a principal by name, or principals
 * with a scope.
 */
export type Approver =
  | 'owner'
  | 'operator'
  | { readonly kind: Principal['kind']; readonly id: string }
  | { readonly scope: string }

/** True when one of the approvers is `by`. */
export function mayApprove(approvers: readonly Approver[], owner: Principal, by: Principal): boolean {
  if (owner.tenant !== by.tenant) return false
  return approvers.some((approver) => {
    if (approver === 'owner') return owner.kind === by.kind && owner.id === by.id
    if (approver === 'operator') return by.kind === 'operator' || by.scopes?.includes(approveScope) === true
    if ('scope' in approver) return by.scopes?.includes(approver.scope) === true
    return approver.kind === by.kind && approver.id === by.id
  })
}

/** True when `by` may decide approvals of level `admin`. An operator who has roles needs one with that scope. */
export function mayDecideAdmin({ kind, scopes = [], roles }: Principal): boolean {
  return scopes.includes(adminApproveScope) || (kind === 'operator' && roles === undefined)
}

/** How a caller was recognised. */
export interface Credential {
  /** An auth type of Agent Cards, such as `api-key`, `oauth2` or `mtls`, or one of the application's own. */
  readonly type: string
  /** The header that an API key came in. */
  readonly header?: string
}

/**
 * Who sent a request, and by which credential that is known. Both are needed: an endpoint admits only the credentials
 * that it requires.
 */
export interface Authentication {
  readonly principal: Principal
  readonly credential: Credential
  /** The login of the agent's own token, where it was one: it can be ended before its time. */
  readonly login?: TokenLogin | undefined
}

/** A login of the agent's own tokens, and the token by which it was used. */
export interface TokenLogin {
  readonly id: string
  readonly token: string
  readonly issuedAt: number
  /** True for a token of an earlier release, which is a login of its own. */
  readonly isEarlier: boolean
}

/** Finds out who sent a request; undefined when it carries no credential of this kind, an error when it carries a bad one. */
export type Authenticator = (request: Request) => Promise<Authentication | undefined>

/** Asks an authenticator, which may be plain JavaScript: an answer of any other shape is an error, and the caller is refused. */
export async function askAuthenticator(
  authenticate: Authenticator,
  request: Request,
): Promise<Authentication | undefined> {
  const answer: unknown = await authenticate(request)
  if (answer === undefined) return undefined
  const { principal, credential } = Object(answer) as Partial<Authentication>
  const names: unknown[] = [principal?.kind, principal?.id, principal?.tenant, credential?.type]
  if (names.every((name) => typeof name === 'string' && name !== '')) return answer as Authentication
  const looksLikePrincipal = typeof (Object(answer) as Partial<Principal>).tenant === 'string'
  const given = looksLikePrincipal ? 'a principal without its credential' : answer === null ? 'null' : 'something else'
  const message =
    `An authenticator must return { principal, credential } or undefined, but this one returned ${given}. ` +
    "Return, for example, { principal, credential: { type: 'oauth2' } }: `type` is the auth type of the Agent Card, or a name of your own."
  throw new BeachError('INVALID_CONFIGURATION', message)
}
