import { createPrivateKey, createPublicKey, hkdfSync, type KeyObject } from 'node:crypto'
import { BeachError, type Clock, type Principal } from '@cool-ai/beach-core'
import { secretKeys, type Secret } from '@cool-ai/beach-core/tokens'
import { calculateJwkThumbprint, exportJWK, SignJWT, type JSONWebKeySet } from 'jose'

export const personTokenType = 'beach-person+jwt'
export const personTokenAlgorithm = 'EdDSA'

const lifeSeconds = 60
/** What an Ed25519 private key begins with as PKCS #8; the 32 bytes of its seed follow (RFC 8410). */
const keyHeader = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The kinds of principals that one agent can name to another. */
export const vouchedKinds: ReadonlySet<string> = new Set(['user', 'anonymous'] satisfies Principal['kind'][])

/**
 * With these an agent tells another agent for whom it calls. The key pair follows from the agent's secret, so there is none
 * to keep. A token is for one agent and one minute: the agent that gets it can use it nowhere else.
 */
export class PersonTokens {
  readonly #keys: readonly KeyObject[]
  readonly #agentId: string
  readonly #clock: Clock

  constructor({ secret, agentId, clock }: { secret: Secret; agentId: string; clock: Clock }) {
    this.#keys = secretKeys(secret).map((key) => {
      const seed = Buffer.from(hkdfSync('sha256', key, '', 'beach person tokens', 32))
      return createPrivateKey({ key: Buffer.concat([keyHeader, seed]), format: 'der', type: 'pkcs8' })
    })
    this.#agentId = agentId
    this.#clock = clock
  }

  /** A token that says to the agent `audience` who is calling. Operators and peers are known at one agent only. */
  async sign({ kind, id, tenant }: Principal, audience: string): Promise<string> {
    const [key] = this.#keys
    if (key === undefined || !vouchedKinds.has(kind)) {
      throw new BeachError('FORBIDDEN', 'An agent speaks to others for its users and guests only.')
    }
    const now = Math.floor(this.#clock.now() / 1_000)
    return new SignJWT({ kind, sub: id, tenant, iat: now, exp: now + lifeSeconds })
      .setProtectedHeader({ alg: personTokenAlgorithm, typ: personTokenType, kid: (await publicKey(key)).kid })
      .setIssuer(this.#agentId)
      .setAudience(audience)
      .sign(key)
  }

  /** The public keys, by which other agents verify; those of replaced secrets too. */
  async keySet(): Promise<JSONWebKeySet> {
    const keys = await Promise.all(this.#keys.map(publicKey))
    // A secret that is listed twice has one key: readers of a set take two of the same name for a mistake.
    return { keys: [...new Map(keys.map((key) => [key.kid, key])).values()] }
  }
}

async function publicKey(key: KeyObject) {
  const jwk = await exportJWK(createPublicKey(key))
  return { ...jwk, kid: await calculateJwkThumbprint(jwk), alg: personTokenAlgorithm, use: 'sig' }
}
