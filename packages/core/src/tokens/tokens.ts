import { defined } from '../json.ts'
import { createSecretKey, hkdfSync, type webcrypto } from 'node:crypto'
import type { JWTPayload } from 'jose'
import * as errors from 'jose/errors'
import { SignJWT } from 'jose/jwt/sign'
import { jwtVerify } from 'jose/jwt/verify'
import { isOver, type Clock } from '../clock.ts'
import { LruMap } from '../maps.ts'
import { secretKeys, type Secret } from './secret.ts'

/** What signs tokens, and whose clock they expire by. */
export interface TokensOptions {
  readonly secret: Secret
  readonly clock: Clock
  /** What the tokens are for. It is the `typ` of their header and in the key, so no token counts as one of another kind. */
  readonly kind: string
}

/** What a token is. */
export type Verified =
  | { readonly status: 'valid'; readonly claims: JWTPayload }
  | { readonly status: 'expired' | 'invalid' }

const algorithm = 'HS256'
const maxLength = 4_096
const maxRemembered = 1_000

interface TokenTimes {
  readonly issuedAt?: number | undefined
  readonly expiresAt?: number | undefined
}

/** Signs and verifies the tokens of one kind: JWTs by HMAC, which live by the injected clock. */
export class Tokens {
  readonly #keys: readonly [webcrypto.CryptoKey, ...webcrypto.CryptoKey[]]
  readonly #clock: Clock
  readonly #typ: string
  /** Claims of tokens whose signature was right: browsers and programs send the same token with each request. */
  readonly #remembered = new LruMap<JWTPayload>(maxRemembered)

  constructor({ secret, clock, kind }: TokensOptions) {
    const [first, ...others] = secretKeys(secret).map((key) => {
      const derived = createSecretKey(Buffer.from(hkdfSync('sha256', key, '', `beach token ${kind}`, 32)))
      return derived.toCryptoKey({ name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])
    })
    if (first === undefined) throw new TypeError('There is no key.')
    this.#keys = [first, ...others]
    this.#clock = clock
    this.#typ = `${kind}+jwt`
  }

  /** A token of these claims. One that says when it was issued ends early when the clock is set back by more than it lives. */
  sign(claims: JWTPayload, times: TokenTimes = {}): Promise<string> {
    const iat = times.issuedAt === undefined ? undefined : times.issuedAt / 1_000
    const exp = times.expiresAt === undefined ? undefined : times.expiresAt / 1_000
    return new SignJWT({ ...claims, ...defined({ iat, exp }) })
      .setProtectedHeader({ alg: algorithm, typ: this.#typ })
      .sign(this.#keys[0])
  }

  async verify(token: string): Promise<Verified> {
    const claims = this.#remembered.get(token) ?? (await this.#signed(token))
    if (claims === undefined) return { status: 'invalid' }
    const { iat, exp } = claims
    if (exp === undefined) return { status: 'valid', claims }
    // jose knows whole seconds only, and nothing of a clock that is set back.
    const until = Math.round(exp * 1_000)
    const now = this.#clock.now()
    const isLate = iat === undefined ? until <= now : isOver({ since: Math.round(iat * 1_000), until }, now)
    return isLate ? { status: 'expired' } : { status: 'valid', claims }
  }

  /** The claims of a token whose signature is right, though it may have expired. */
  async #signed(token: string): Promise<JWTPayload | undefined> {
    if (token.length > maxLength || !isPlain(token)) return undefined
    for (const key of this.#keys) {
      try {
        const currentDate = new Date(this.#clock.now())
        const { payload } = await jwtVerify(token, key, { algorithms: [algorithm], typ: this.#typ, currentDate })
        this.#remembered.set(token, payload)
        return payload
      } catch (error) {
        if (error instanceof errors.JWTExpired) return error.payload
        if (error instanceof errors.JWSSignatureVerificationFailed) continue
        if (error instanceof errors.JOSEError) return undefined
        throw error
      }
    }
    return undefined
  }
}

/** Base64 has several texts for the same bytes; a token has one. */
function isPlain(token: string): boolean {
  const signature = token.slice(token.lastIndexOf('.') + 1)
  return Buffer.from(signature, 'base64url').toString('base64url') === signature
}
