import { defined } from '@cool-ai/beach-core/runtime'
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK, type JWTPayload } from 'jose'
import { serveLoopback } from './loopback.test-helper.ts'

export const issuer = 'https://issuer.example'
export const audience = 'https://agent.example'

export interface TestKey {
  readonly kid: string
  readonly alg: string
  readonly privateKey: CryptoKey
  readonly jwk: JWK
}

/** A new key pair of the issuer's. */
export async function makeKey(kid: string, alg = 'ES256'): Promise<TestKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg)
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
}

/** A token by a key: right in everything that is not changed. Times are seconds after `now`. */
export async function makeToken(
  key: Pick<TestKey, 'kid' | 'alg' | 'privateKey'>,
  now: number,
  claims: JWTPayload = {},
  header: Record<string, unknown> = {},
): Promise<string> {
  const seconds = Math.floor(now / 1_000)
  const { exp = 60, nbf, ...rest } = claims
  const given = { iss: issuer, aud: audience, sub: 'alice', ...rest }
  const times = defined({ exp: seconds + exp, nbf: nbf === undefined ? undefined : seconds + nbf })
  return new SignJWT({ ...given, ...times })
    .setProtectedHeader({ alg: key.alg, kid: key.kid, ...header })
    .sign(key.privateKey)
}

/** The issuer's endpoint for its keys, which can change and fail. */
export async function serveKeys(...keys: readonly TestKey[]) {
  const state = { keys, mode: 'keys' as 'keys' | 'broken' | 'silent' | 'garbage' | 'redirect' }
  const server = await serveLoopback(({ path }, response) => {
    if (state.mode === 'silent') return
    if (state.mode === 'broken') response.statusCode = 500
    if (state.mode === 'redirect' && path !== '/elsewhere') {
      response.writeHead(302, { location: '/elsewhere' }).end()
      return
    }
    const body = state.mode === 'garbage' ? '<html>' : JSON.stringify({ keys: state.keys.map(({ jwk }) => jwk) })
    response.setHeader('content-type', 'application/json').end(body)
  })
  return { ...server, state, jwksUri: `${server.url}/jwks` }
}

/** A request with a bearer token. */
export function bearing(token: string): Request {
  return new Request(`${audience}/`, { headers: { authorization: `Bearer ${token}` } })
}
