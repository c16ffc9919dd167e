import type { AgentCard } from '@a2a-js/sdk'
import { BeachError } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import type { CryptoKey, JWK, KeyObject } from 'jose'
import { FlattenedSign } from 'jose/jws/flattened/sign'
import { canonicalCard } from './canonical-json.ts'
import { agentCardToJson } from './card-json.ts'

/** What a card is signed with. */
export interface CardSigner {
  readonly key: CryptoKey | KeyObject | JWK
  /** The name under which others find the public key; that of a JWK unless given. */
  readonly kid?: string
  /** The algorithm; that of a JWK, or ES256, unless given. */
  readonly alg?: string
  /** Where the public key can be had, for verifiers that look there. */
  readonly jku?: string
}

/** The card with one more signature, over all that is published of it. */
export async function signAgentCard(card: AgentCard, signer: CardSigner): Promise<AgentCard> {
  const { kid, alg } = signatureHeader(signer)
  const { jku } = signer
  const payload = new TextEncoder().encode(canonicalCard(agentCardToJson(card)))
  const header = { alg, typ: 'JOSE', kid, ...defined({ jku }) }
  try {
    const jws = await new FlattenedSign(payload).setProtectedHeader(header).sign(signer.key)
    const signature = { protected: jws.protected ?? '', signature: jws.signature, header: undefined }
    return { ...card, signatures: [...card.signatures, signature] }
  } catch (cause) {
    throw unsigned(`cannot be signed by ${alg} with this key: give a private key, and the alg that fits it.`, cause)
  }
}

/** The name and the algorithm of a signer's key, which every signature of its says. */
export function signatureHeader(signer: CardSigner): { readonly kid: string; readonly alg: string } {
  const jwk: Pick<JWK, 'kid' | 'alg'> = 'kty' in signer.key ? signer.key : {}
  const { kid = jwk.kid, alg = jwk.alg ?? 'ES256' } = signer
  if (kid === undefined) throw unsigned("needs a kid: give the key a name, such as '2026-04'.")
  if (signatureAlgorithms.includes(alg)) return { kid, alg }
  throw unsigned(`cannot be signed by ${alg}: use one of ${signatureAlgorithms.join(', ')}.`)
}

function unsigned(problem: string, cause?: unknown): BeachError {
  return new BeachError('INVALID_CONFIGURATION', `An Agent Card ${problem}`, { cause })
}

/** How cards, tokens and notifications may be signed: by a key pair, never by a secret that the reader would need too. */
export const signatureAlgorithms: readonly string[] = [
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
  'RS512',
]
