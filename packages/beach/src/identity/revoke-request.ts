import { BeachError, type Principal } from '@cool-ai/beach-core'
import { principalKey } from '@cool-ai/beach-core/ports'
import { z } from 'zod'
import { tokenDigest } from './logins.ts'
import type { Revocations, Revoked } from './revocations.ts'

/** What an operator revokes: a session's owner, a principal as `kind~id`, or a token, by itself or by an id in it. */
const revokeRequest = z
  .strictObject({
    session: z.string().min(1).max(200).optional(),
    principal: z.string().min(1).max(1_000).optional(),
    token: z.string().min(1).max(5_000).optional(),
  })
  .refine((asked) => Object.values(asked).filter((value) => value !== undefined).length === 1)

export type RevokeRequest = z.infer<typeof revokeRequest>

interface Parts {
  readonly revocations: Revocations
  /** The owner of a session of the operator's tenant. */
  readonly ownerOf: (session: string, by: Principal) => Promise<Principal | undefined>
}

/** Does what an operator asks for; returns what is on record of it. */
export async function revokeFor(asked: unknown, by: Principal, parts: Parts): Promise<string> {
  const parsed = revokeRequest.safeParse(asked)
  if (!parsed.success) {
    throw new BeachError('BAD_REQUEST', 'Say what to revoke: a `session`, a `principal` (kind~id) or a `token`.')
  }
  const revoked = await revokedBy(parsed.data, by, parts)
  return parts.revocations.revoke(revoked, { tenant: by.tenant, by: principalKey(by) })
}

async function revokedBy({ session, principal, token }: RevokeRequest, by: Principal, parts: Parts): Promise<Revoked> {
  if (session !== undefined) {
    const owner = await parts.ownerOf(session, by)
    if (owner === undefined) throw new BeachError('NOT_FOUND', 'There is no such session, or it was erased.')
    return { principal: owner }
  }
  if (principal !== undefined) return { principal: principalOf(principal, by.tenant) }
  return { id: idIn(token ?? '', by.tenant) }
}

function principalOf(text: string, tenant: string): Principal {
  const [kind = '', id = '', ...rest] = text.split('~').map(decoded)
  const parsed = z.enum(['anonymous', 'user', 'peer', 'operator']).safeParse(kind)
  if (parsed.success && id !== '' && rest.length === 0) return { kind: parsed.data, id, tenant }
  throw new BeachError('BAD_REQUEST', 'A principal is written as kind~id, such as user~anna or anonymous~anon_….')
}

/** Empty for what is no encoded text. */
function decoded(text: string): string {
  try {
    const value = decodeURIComponent(text)
    return value.isWellFormed() ? value : ''
  } catch {
    return ''
  }
}

/** The login that a token is of. It need not be valid: that an id is revoked which was never given does no harm. */
function idIn(token: string, ofTenant: string): string {
  if (!token.includes('.')) return token
  try {
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as object
    const { sid, tenant } = claims as { readonly sid?: unknown; readonly tenant?: unknown }
    if (tenant !== ofTenant) throw new BeachError('NOT_FOUND', 'This token is of another tenant.')
    return typeof sid === 'string' ? sid : tokenDigest(token)
  } catch (error) {
    if (error instanceof BeachError) throw error
    throw new BeachError('BAD_REQUEST', 'That is neither a token of this agent nor the id of one.')
  }
}
