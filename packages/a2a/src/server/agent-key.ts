import { createPublicKey, KeyObject } from 'node:crypto'
import { BeachError, type Clock } from '@cool-ai/beach-core'
import { signatureHeader, type CardSigner } from '@cool-ai/beach-protocol/agent-card'
import { SignJWT, type CryptoKey, type JSONWebKeySet, type JWK } from 'jose'

/** An agent's own key pair: what it signs with, and what others check that with. */
export interface AgentKey {
  /** The public half, as it is published. */
  readonly jwks: JSONWebKeySet
  /** A token that says something in the agent's name, for five minutes. */
  readonly sign: (claims: AgentClaims) => Promise<string>
}

interface AgentClaims {
  readonly aud: string
  /** The same for the same thing, however often it is said. */
  readonly jti: string
  readonly [name: string]: unknown
}

const validSeconds = 5 * 60

/** The key pair of a signer; `issuer` is who the agent says that it is. */
export function agentKey(signer: CardSigner, { issuer, clock }: { issuer: string; clock: Clock }): AgentKey {
  const { kid, alg } = signatureHeader(signer)
  const jwk = publicHalf(signer.key)
  return {
    jwks: { keys: [{ ...jwk, kid, alg, use: 'sig' }] },
    sign: ({ aud, jti, ...claims }) => {
      const now = Math.floor(clock.now() / 1_000)
      return new SignJWT(claims)
        .setProtectedHeader({ alg, kid, typ: 'JWT' })
        .setIssuer(issuer)
        .setAudience(aud)
        .setJti(jti)
        .setIssuedAt(now)
        .setExpirationTime(now + validSeconds)
        .sign(signer.key)
    },
  }
}

function publicHalf(key: CardSigner['key']): JWK {
  try {
    const half = isJwk(key) ? createPublicKey({ key, format: 'jwk' }) : createPublicKey(keyObject(key))
    return half.export({ format: 'jwk' })
  } catch (cause) {
    const message = 'The public half of the agent’s key cannot be had. Give a private JWK, or a private key of Node’s.'
    throw new BeachError('INVALID_CONFIGURATION', message, { cause })
  }
}

function isJwk(key: CardSigner['key']): key is JWK {
  return 'kty' in key
}

function keyObject(key: Exclude<CardSigner['key'], JWK>): KeyObject {
  return key instanceof KeyObject ? key : KeyObject.from(key as CryptoKey)
}
