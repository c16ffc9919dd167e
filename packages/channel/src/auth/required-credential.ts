import type { BeachError } from '@cool-ai/beach-core'
import type { CardAuth } from '@cool-ai/beach-protocol/agent-card'

/** What a card says about how callers authenticate, as far as refusals need it. */
export type RequiredAuth = Pick<CardAuth, 'type' | 'header'>

/** The credentials of which a caller needs one, in words. */
export function requiredCredential(auths: readonly RequiredAuth[]): string {
  return `Send ${[...new Set(auths.map(inWords))].join(' or ')}, as the Agent Card says.`
}

/** The same for `WWW-Authenticate`. HTTP has no schemes for keys and certificates; those are named all the same. */
export function requiredChallenge(auths: readonly RequiredAuth[]): string {
  return [...new Set(auths.map(inHttp))].join(', ')
}

/** What a refusal says of it; a token where the card does not say. */
export function challengeIn({ details }: BeachError): string {
  return typeof details.challenge === 'string' ? details.challenge : 'Bearer'
}

function inWords({ type, header = '' }: RequiredAuth): string {
  if (type === 'api-key') return `an API key in the header '${header}'`
  if (type === 'oauth2') return 'an access token as `Authorization: Bearer`'
  return type === 'mtls' ? 'a client certificate' : `a credential of the type '${type}'`
}

function inHttp({ type, header = '' }: RequiredAuth): string {
  if (type === 'api-key') return `ApiKey header="${header}"`
  return type === 'oauth2' ? 'Bearer' : type
}
