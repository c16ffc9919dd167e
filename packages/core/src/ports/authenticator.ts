import { BeachError } from '../errors.ts'
import type { Principal } from '../principal.ts'

/** By what a caller was recognised. */
export interface Credential {
  /** An auth type of Agent Cards, such as `api-key`, `oauth2` or `mtls`, or one of the application's own. */
  readonly type: string
  /** The header that an API key came in. */
  readonly header?: string
}

/** Who sent a request, and by what that is known. Both are needed: an endpoint admits only the credentials that it requires. */
export interface Authentication {
  readonly principal: Principal
  readonly credential: Credential
}

/** Finds out who sent a request; undefined when it carries no credential of this kind, an error when it carries a bad one. */
export type Authenticator = (request: Request) => Promise<Authentication | undefined>

/** Asks an authenticator, which may be plain JavaScript: an answer of any other shape is an error, and the caller is refused. */
export async function askAuthenticator(
  authenticate: Authenticator,
  request: Request,
): Promise<Authentication | undefined> {
  const answer: unknown = await authenticate(request)
  if (answer === undefined || isAuthentication(answer)) return answer
  const given = isPrincipal(answer) ? 'a principal without its credential' : answer === null ? 'null' : 'something else'
  const message =
    `An authenticator must return { principal, credential } or undefined, but this one returned ${given}. ` +
    "Return, for example, { principal, credential: { type: 'oauth2' } }: `type` is the auth type of the Agent Card, or a name of your own."
  throw new BeachError('INVALID_CONFIGURATION', message)
}

function isAuthentication(value: unknown): value is Authentication {
  const { principal, credential } = Object(value) as Record<string, unknown>
  const { type } = Object(credential) as Record<string, unknown>
  return isPrincipal(principal) && isName(type)
}

function isPrincipal(value: unknown): value is Principal {
  const { kind, id, tenant } = Object(value) as Record<string, unknown>
  return isName(kind) && isName(id) && isName(tenant)
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
