import { createHmac } from 'node:crypto'
import { BeachError, SimulatedClock, type Authenticator, type Principal } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import { noteRequest } from '../http/request-source.ts'
import { hashApiKey, newApiKey } from './api-key.ts'
import type { AuthMethod, AuthSettings } from './auth-method.ts'
import { AuthMethodRegistry, authMethods } from './auth-methods.ts'
import { authenticatorFor } from './authenticator-for.ts'
import { makeCertificate } from './certificates.test-helper.ts'
import { credentialsFor } from './credentials-for.ts'
import { audience, bearing, issuer, makeKey, makeToken, serveKeys } from './issuer.test-helper.ts'
import { SentCredentials } from './peer-credentials.ts'

const clock = new SimulatedClock()
const apiKey = newApiKey()
const url = 'https://agent.example/a2a'
const byKey = { type: 'api-key', header: 'X-Beach-Key' }
const keys: AuthSettings = {
  'api-key': { keys: [{ id: 'travel', tenant: 'acme', hash: hashApiKey(apiKey), scopes: ['read'] }] },
}
const withKey = () => new Request(url, { headers: { 'x-beach-key': apiKey } })

describe('the auth of a card’s transport', () => {
  test('api-key', async () => {
    const authenticate = authenticatorFor({ auth: byKey }, keys)
    expect(await authenticate(withKey())).toMatchObject({ principal: { kind: 'peer', id: 'travel' } })
    expect(await authenticate(new Request(url))).toBeUndefined()
  })

  test('oauth2', async () => {
    const key = await makeKey('one')
    const { jwksUri } = await serveKeys(key)
    const auth = { type: 'oauth2', tokenEndpoint: 'https://issuer.example/token' }
    const settings = { oauth2: { issuer, audience, jwksUri, tenant: 'acme' } }
    const authenticate = authenticatorFor({ auth }, settings, { clock, fetch })
    expect(await authenticate(bearing(await makeToken(key, clock.now())))).toMatchObject({
      principal: { id: `${issuer}#alice` },
    })
  })

  test('mtls: certificates that are known here, and on request those that only the card lists', async () => {
    const [travel, stranger] = [makeCertificate('travel'), makeCertificate('stranger')]
    const auth = { type: 'mtls', fingerprints: [travel.fingerprint.toUpperCase(), stranger.fingerprint] }
    const fingerprints = [{ id: 'travel', tenant: 'acme', fingerprint: travel.fingerprint }]
    const by = (authenticate: Authenticator, der: Buffer) => {
      const request = new Request(url)
      noteRequest(request, { certificate: () => der })
      return authenticate(request)
    }
    const strict = authenticatorFor({ auth }, { mtls: { fingerprints } }, { clock })
    expect(await by(strict, travel.der)).toMatchObject({ principal: { id: 'travel' } })
    await expect(by(strict, stranger.der)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
    const open = authenticatorFor({ auth }, { mtls: { fingerprints, listed: { tenant: 'guests' } } }, { clock })
    expect(await by(open, travel.der)).toMatchObject({ principal: { id: 'travel', tenant: 'acme' } })
    expect(await by(open, stranger.der)).toEqual({
      principal: { kind: 'peer', id: `cert:${stranger.fingerprint}`, tenant: 'guests', scopes: [] },
      credential: { type: 'mtls' },
    })
    await expect(by(open, makeCertificate('stranger').der)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  })

  test.each([[{ type: 'none' }], [undefined]])(
    'none: every caller is the principal of the settings, or is refused (%j)',
    async (auth) => {
      const none: Principal = { kind: 'user', id: 'developer', tenant: 'acme' }
      const transport = auth === undefined ? {} : { auth }
      expect(await authenticatorFor(transport, { none })(new Request(url))).toEqual({
        principal: none,
        credential: { type: 'none' },
      })
      expect(await authenticatorFor(transport)(new Request(url))).toBeUndefined()
    },
  )

  test.each(['api-key', 'oauth2', 'mtls'])('%s without a possible caller is a mistake', (type) => {
    expect(() => authenticatorFor({ auth: { type, header: 'x-key' } })).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIGURATION', message: expect.stringContaining(type) as string }),
    )
  })

  test('an unregistered type is a mistake', () => {
    expect(() => authenticatorFor({ auth: { type: 'carrier-pigeon' } })).toThrow(
      expect.objectContaining({
        code: 'INVALID_CONFIGURATION',
        message: expect.stringContaining('none, api-key, oauth2, mtls') as string,
      }),
    )
  })
})

describe('the scopes of a card’s transport', () => {
  test('are required of every caller', async () => {
    const allowed = authenticatorFor({ auth: byKey, requiredScopes: ['read'] }, keys)
    expect(await allowed(withKey())).toMatchObject({ principal: { id: 'travel' } })
    const refused = authenticatorFor({ auth: byKey, requiredScopes: ['read', 'write'] }, keys)
    await expect(refused(withKey())).rejects.toMatchObject({ code: 'FORBIDDEN', details: { missing: ['write'] } })
  })

  test('cannot be had on a transport without auth', () => {
    expect(() => authenticatorFor({ auth: { type: 'none' }, requiredScopes: ['read'] })).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIGURATION' }),
    )
  })
})

describe('an auth type of the application', () => {
  const sign = (secret: string, method: string, address: string) =>
    createHmac('sha256', secret).update(`${method} ${address}`).digest('hex')

  /** Signs each request: what is sent follows from what is asked. */
  const hmacSigned: AuthMethod = {
    id: 'acme.hmac-signed',
    authenticator: (_auth, { settings }) => {
      const { secret } = settings as { secret: string }
      return async (request) => {
        const given = request.headers.get('x-signature')
        if (given === null) return undefined
        if (given !== sign(secret, request.method, request.url)) throw new BeachError('UNAUTHENTICATED', 'Not signed.')
        return { principal: { kind: 'peer', id: 'signer', tenant: 'acme' }, credential: { type: 'acme.hmac-signed' } }
      }
    },
    credentials: (_auth, { secret }) => ({
      async forRequest({ method, url: address }) {
        return new SentCredentials({ headers: { 'x-signature': sign((await secret()) as string, method, address) } })
      },
      refused: () => {},
    }),
  }

  test('works for callers and for peers', async () => {
    const methods = AuthMethodRegistry.canonical()
    methods.register(hmacSigned)
    const auth = { type: 'acme.hmac-signed' }
    const secret = newApiKey()
    const authenticate = authenticatorFor({ auth }, { 'acme.hmac-signed': { secret } }, { methods })
    const secrets = async () => secret
    const credentials = credentialsFor({ endpoint: url, auth }, { peer: 'acme', secrets, methods, fetch })
    const headers = new Headers()
    const sent = await credentials.forRequest({ method: 'POST', url, headers })
    sent.applyTo(headers)
    expect(await authenticate(new Request(url, { method: 'POST', headers }))).toMatchObject({
      principal: { id: 'signer' },
    })
    await expect(authenticate(new Request(url, { method: 'PUT', headers }))).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
    })
  })

  test('does not get into the default registry, nor in the place of a canonical one', () => {
    expect(authMethods.ids()).toEqual(['none', 'api-key', 'oauth2', 'mtls'])
    const methods = AuthMethodRegistry.canonical()
    expect(() => methods.register({ ...hmacSigned, id: 'api-key' })).toThrow(
      expect.objectContaining({ code: 'INVALID_REGISTRATION' }),
    )
  })

  test('may be for one side only', () => {
    const methods = AuthMethodRegistry.canonical()
    methods.register({ id: 'acme.nothing' })
    const auth = { type: 'acme.nothing' }
    const wrong = expect.objectContaining({ code: 'INVALID_CONFIGURATION' })
    expect(() => authenticatorFor({ auth }, {}, { methods })).toThrow(wrong)
    expect(() => credentialsFor({ endpoint: url, auth }, { peer: 'acme', methods, fetch })).toThrow(wrong)
  })
})
