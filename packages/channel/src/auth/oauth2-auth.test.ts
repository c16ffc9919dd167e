import { inspect } from 'node:util'
import { SimulatedClock } from '@cool-ai/beach-core'
import { exportSPKI, importJWK, SignJWT, UnsecuredJWT, type CryptoKey, type JWTPayload } from 'jose'
import { describe, expect, test } from 'vitest'
import { audience, bearing, issuer, makeKey, makeToken } from './issuer.test-helper.ts'
import { oauth2Auth, type OAuth2AuthOptions } from './oauth2-auth.ts'

const clock = new SimulatedClock()
const now = clock.now()
const seconds = now / 1_000
const key = await makeKey('one')
const rsa = await makeKey('rsa', 'RS256')
const jwks = { keys: [key.jwk, rsa.jwk] }
const settings = { issuer, audience, jwks, tenant: 'acme', clock }

async function principalFor(token: string, more: Partial<OAuth2AuthOptions> = {}) {
  const known = await oauth2Auth({ ...settings, ...more })(bearing(token))
  expect(known?.credential).toEqual({ type: 'oauth2' })
  return known?.principal
}

describe('a good token', () => {
  test('makes its subject known as a peer, under the issuer’s name', async () => {
    expect(await principalFor(await makeToken(key, now, { scope: 'booking:write booking:read' }))).toEqual({
      kind: 'peer',
      id: `${issuer}#alice`,
      tenant: 'acme',
      scopes: ['booking:write', 'booking:read'],
    })
  })

  test.each<[string, JWTPayload, string[]]>([
    ['scope with spaces', { scope: ' a  b a' }, ['a', 'b']],
    ['scp as a list', { scp: ['a', 'b'] }, ['a', 'b']],
    ['scp as words', { scp: 'a b' }, ['a', 'b']],
    ['both', { scope: 'a', scp: ['b'] }, ['a', 'b']],
    ['none', {}, []],
    ['something else', { scope: { a: true }, scp: [1, null] }, []],
  ])('has the scopes of %s', async (_name, claims, scopes) => {
    expect(await principalFor(await makeToken(key, now, claims))).toMatchObject({ scopes })
  })

  test('is read as the settings say', async () => {
    const claims = { org: 'globex', permissions: ['x'], scope: 'ignored', client_id: 'baxter' }
    const principal = await principalFor(await makeToken(key, now, claims), {
      kind: 'user',
      tenant: ({ org }) => org as string,
      id: ({ client_id }) => client_id as string,
      scopeClaim: 'permissions',
    })
    expect(principal).toEqual({ kind: 'user', id: 'baxter', tenant: 'globex', scopes: ['x'] })
  })

  test('may be for one of several audiences, and be signed by any key pair', async () => {
    const token = await makeToken(rsa, now, { aud: ['https://other.example', audience] })
    expect(await principalFor(token, { audience: ['https://third.example', audience] })).toMatchObject({ kind: 'peer' })
  })

  test.each(['JWT', 'at+jwt', 'application/at+jwt'])('may say that it is %s', async (typ) => {
    expect(await principalFor(await makeToken(key, now, {}, { typ }))).toBeDefined()
  })
})

async function algConfusion(): Promise<string> {
  const publicKey = (await importJWK(rsa.jwk, 'RS256')) as CryptoKey
  const pem = new TextEncoder().encode(await exportSPKI(publicKey))
  const claims = { iss: issuer, aud: audience, sub: 'mallory', exp: seconds + 60 }
  return new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'rsa' }).sign(pem)
}

async function unsigned(): Promise<string> {
  return new UnsecuredJWT({ iss: issuer, aud: audience, sub: 'mallory', exp: seconds + 60 }).encode()
}

/** Signed with another key, under the name of the issuer's key. */
async function otherKey(header: Record<string, unknown> = {}): Promise<string> {
  const { privateKey } = await makeKey('one')
  return makeToken({ kid: 'one', alg: 'ES256', privateKey }, now, { sub: 'mallory' }, header)
}

async function changed(): Promise<string> {
  const [header, , signature] = (await makeToken(key, now)).split('.')
  const claims = { iss: issuer, aud: audience, sub: 'mallory', exp: seconds + 60 }
  return [header, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.')
}

async function withoutExpiry(): Promise<string> {
  const claims = { iss: issuer, aud: audience, sub: 'alice' }
  return new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'one' }).sign(key.privateKey)
}

async function withOwnKey(): Promise<string> {
  const { privateKey, jwk } = await makeKey('own')
  const header = { jwk: { kty: jwk.kty, crv: jwk.crv, x: jwk.x, y: jwk.y } }
  return makeToken({ kid: 'own', alg: 'ES256', privateKey }, now, { sub: 'mallory' }, header)
}

describe('a bad token is an error', () => {
  test.each<[string, string, () => Promise<string>]>([
    ['of another issuer', "wrong 'iss'", () => makeToken(key, now, { iss: 'https://evil.example' })],
    ['for another audience', "wrong 'aud'", () => makeToken(key, now, { aud: 'https://other.example' })],
    ['that has expired', 'has expired', () => makeToken(key, now, { exp: -6 })],
    ['that is not valid yet', "wrong 'nbf'", () => makeToken(key, now, { nbf: 6 })],
    ['that never expires', "wrong 'exp'", withoutExpiry],
    ['without a subject', "wrong 'sub'", () => makeToken(key, now, { sub: '' })],
    ['of something', "wrong 'sub'", () => makeToken(key, now, { sub: {} as string })],
    ['without a signature', 'algorithm', unsigned],
    ['whose secret is the public key', 'algorithm', algConfusion],
    ['by another key of the same name', 'not signed by', otherKey],
    ['whose claims were changed', 'not signed by', changed],
    ['that brings its own key', 'not signed by', withOwnKey],
    ['that says where its key is', 'not signed by', () => otherKey({ jku: 'https://evil.example/jwks' })],
    ['that is for something else', 'not an access token', () => makeToken(key, now, {}, { typ: 'secevent+jwt' })],
    ['that is bound to a key', 'bound to a key', () => makeToken(key, now, { cnf: { jkt: 'x' } })],
    ['with a part that must be understood', 'not signed by', () => critical()],
  ])('%s', async (_name, problem, make) => {
    const token = await make()
    const error = await principalFor(token).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'UNAUTHENTICATED', message: expect.stringContaining(problem) as string })
    expect(inspect(error, { depth: Infinity, showHidden: true })).not.toMatch(/alice|mallory|eyJ/)
  })

  test('by an algorithm that the settings leave out', async () => {
    const token = await makeToken(rsa, now)
    await expect(principalFor(token, { algorithms: ['ES256'] })).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  })

  test('that does not say what it must be', async () => {
    const typ = 'at+jwt'
    await expect(principalFor(await makeToken(key, now), { typ })).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
    expect(await principalFor(await makeToken(key, now, {}, { typ }), { typ })).toBeDefined()
  })

  test('of no tenant', async () => {
    const token = await makeToken(key, now)
    for (const tenant of [undefined, '', 7 as unknown as string]) {
      await expect(principalFor(token, { tenant: () => tenant })).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
    }
  })
})

async function critical(): Promise<string> {
  const { privateKey } = key
  return new SignJWT({ iss: issuer, aud: audience, sub: 'alice', exp: seconds + 60 })
    .setProtectedHeader({ alg: 'ES256', kid: 'one', crit: ['novel'], novel: true })
    .sign(privateKey, { crit: { novel: true } })
}

test('the issuer’s clock may be off by so much and no more', async () => {
  const moving = new SimulatedClock(now)
  const authenticate = oauth2Auth({ ...settings, clock: moving, clockToleranceSeconds: 10 })
  const token = await makeToken(key, now, { exp: 60 })
  await moving.advance(69_000)
  expect(await authenticate(bearing(token))).toBeDefined()
  await moving.advance(1_000)
  await expect(authenticate(bearing(token))).rejects.toMatchObject({
    message: expect.stringContaining('expired') as string,
  })
})

describe('a credential that is no JWT is left to other authenticators:', () => {
  const own = `v1.${Buffer.from('{"kind":"user"}').toString('base64url')}.c2ln`
  const other = `${Buffer.from('{"kind":"user"}').toString('base64url')}.e30.c2ln`
  test.each([
    undefined,
    'Basic YTpi',
    'Bearer opaque',
    `Bearer ${own}`,
    `Bearer ${other}`,
    'Bearer a.b.c',
    'Bearer',
    'Bearer a b',
  ])('%s', async (authorization) => {
    const request = new Request(audience, authorization === undefined ? {} : { headers: { authorization } })
    expect(await oauth2Auth(settings)(request)).toBeUndefined()
  })

  test('a token in the query', async () => {
    const url = `${audience}/?access_token=${await makeToken(key, now)}`
    expect(await oauth2Auth(settings)(new Request(url))).toBeUndefined()
  })
})

describe('a mistake in the settings is found at once', () => {
  const { jwks: _, ...without } = settings
  const jwksUri = 'https://issuer.example/jwks'
  test.each<[string, OAuth2AuthOptions, string]>([
    ['a secret as key', { ...settings, algorithms: ['RS256', 'HS256'] }, 'not by HS256'],
    ['no signature', { ...settings, algorithms: ['none'] }, 'not by none'],
    ['no algorithm', { ...settings, algorithms: [] }, 'not by nothing'],
    ['no audience', { ...settings, audience: [] }, 'an `audience`'],
    ['no issuer', { ...settings, issuer: '' }, 'an `issuer`'],
    ['no keys', without, 'either `jwks` or `jwksUri`'],
    ['two sources of keys', { ...settings, jwksUri, fetch }, 'either `jwks` or `jwksUri`'],
    ['something else than keys', { ...settings, jwks: {} as typeof jwks }, 'not a set of keys'],
    ['nothing to get keys with', { ...without, jwksUri }, 'needs a `fetch`'],
    ['keys that others can change on the way', { ...without, jwksUri: 'http://issuer.example/jwks', fetch }, 'https'],
  ])('%s', (_name, options, message) => {
    expect(() => oauth2Auth(options)).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIGURATION', message: expect.stringContaining(message) as string }),
    )
  })
})

test('a key of the issuer’s that cannot be used is not the caller’s mistake', async () => {
  const weak = { ...rsa.jwk, n: 'AQAB' }
  await expect(principalFor(await makeToken(rsa, now), { jwks: { keys: [weak] } })).rejects.toMatchObject({
    code: 'UNREACHABLE',
  })
})
