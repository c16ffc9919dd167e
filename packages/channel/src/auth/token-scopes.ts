import type { JWTPayload } from 'jose'

/** The scopes of a token: a list, or words with spaces between them. */
export function scopesIn(claims: JWTPayload, claim?: string): string[] {
  const given = claim === undefined ? [claims.scope, claims.scp] : [claims[claim]]
  const scopes = given.flat().filter((value) => typeof value === 'string')
  return [...new Set(scopes.flatMap((value) => value.split(' ')).filter((scope) => scope !== ''))]
}
