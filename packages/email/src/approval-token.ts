import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { Principal } from '@cool-ai/beach-core'
import { principalKey } from '@cool-ai/beach-core/ports'
import { encodeId } from '@cool-ai/beach-core/runtime'

/** What a token grants. Its hash names it in the store, the token itself is kept nowhere. */
export interface TokenGrant {
  readonly tenant: string
  readonly session: string
  readonly approvalId: string
  readonly approver: string
  /** The principal that decides. */
  readonly principal: Principal
  readonly action: string
  readonly expiresAt?: number
}

const nonceLength = 26
const macLength = 16
const token = new RegExp(`^[a-z2-9]{${nonceLength + macLength}}$`)

/**
 * 128 random bits and a MAC over everything that the token grants, in lower-case base 32: it is part of a mail address,
 * where a JWT has no room and case does not count.
 */
export function mintToken(key: Uint8Array, grant: TokenGrant, nonce: string): string {
  return nonce + macOf(key, nonce, grant)
}

/** True when the token was issued here for exactly this. */
export function isTokenFor(keys: readonly Uint8Array[], text: string, grant: TokenGrant): boolean {
  if (!isToken(text)) return false
  const given = Buffer.from(text.slice(nonceLength))
  return keys.some((key) => timingSafeEqual(Buffer.from(macOf(key, text.slice(0, nonceLength), grant)), given))
}

export function isToken(text: string): boolean {
  return token.test(text)
}

/** The key of a token's grant. */
export function tokenHash(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function macOf(key: Uint8Array, nonce: string, grant: TokenGrant): string {
  const { tenant, session, approvalId, approver, principal, action, expiresAt } = grant
  const fields = [nonce, tenant, session, approvalId, approver, principalKey(principal), action, expiresAt ?? null]
  const mac = createHmac('sha256', key).update(JSON.stringify(fields)).digest()
  return encodeId(mac.subarray(0, 10))
}
