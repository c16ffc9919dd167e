import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type CryptoKey, type JWK } from 'jose'
import type { Clock } from '@cool-ai/beach-core'
import { onTestFinished } from 'vitest'

interface Key {
  readonly kid: string
  readonly privateKey: CryptoKey
  readonly jwk: JWK
}

/** What an authorization request asked for. */
interface Asked {
  readonly nonce: string
  readonly challenge: string
  readonly redirectUri: string
}

/** What the provider does otherwise than it must; each member for one lie. */
export interface Lies {
  /** Claims of the ID token in place of the right ones. */
  claims?: Record<string, unknown>
  header?: Record<string, unknown>
  /** Signed by no key, by a key that is not published, or by the client's secret. */
  signature?: 'none' | 'unpublished' | 'client secret'
  discovery?: Record<string, unknown>
  userInfo?: Record<string, unknown>
  token?: Record<string, unknown>
  isDown?: boolean
}

/**
 * A provider that checks what a client sends (code once, PKCE, redirect URI, client secret) and tells whatever lies a test
 * wants. It signs people in without asking.
 */
export class FalseProvider {
  readonly clientId = 'beach-client'
  readonly clientSecret = 'a secret of the client'
  readonly lies: Lies = {}
  readonly requests: string[] = []
  keys: Key[] = []
  url = ''
  readonly #clock: Clock
  readonly #codes = new Map<string, Asked>()
  #count = 0

  private constructor(clock: Clock) {
    this.#clock = clock
  }

  static async start(clock: Clock): Promise<FalseProvider> {
    const provider = new FalseProvider(clock)
    provider.keys = [await newKey('first')]
    const server = createServer((request, response) => {
      provider.#answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    provider.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    onTestFinished(async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    })
    return provider
  }

  async rotate(): Promise<void> {
    this.keys = [await newKey(`key ${++this.#count}`)]
  }

  /** Signs a person in: where their browser is sent back to. */
  authorize(place: string): URL {
    const { searchParams, pathname } = new URL(place)
    const asked = (name: string) => searchParams.get(name) ?? ''
    const isRight =
      pathname === '/authorize' &&
      asked('client_id') === this.clientId &&
      asked('response_type') === 'code' &&
      asked('code_challenge_method') === 'S256' &&
      asked('scope').split(' ').includes('openid')
    if (!isRight) throw new Error(`This is no authorization request: ${place}`)
    const code = `code-${++this.#count}`
    this.#codes.set(code, {
      nonce: asked('nonce'),
      challenge: asked('code_challenge'),
      redirectUri: asked('redirect_uri'),
    })
    const back = new URL(asked('redirect_uri'))
    back.searchParams.set('code', code)
    back.searchParams.set('state', asked('state'))
    back.searchParams.set('iss', this.url)
    return back
  }

  /** A token of this provider: right in everything that is not given otherwise. */
  async sign(claims: Record<string, unknown>, { header, signature }: Lies = {}): Promise<string> {
    const now = Math.floor(this.#clock.now() / 1_000)
    const all = { iss: this.url, aud: this.clientId, sub: 'anna', iat: now, exp: now + 300, ...claims }
    const present = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
    if (signature === 'none') return new UnsecuredJWT(present).encode()
    const [own] = this.keys
    if (own === undefined) throw new Error('There is no key.')
    if (signature === 'client secret') {
      return new SignJWT(present).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(this.clientSecret))
    }
    const key = signature === 'unpublished' ? await newKey(own.kid) : own
    return new SignJWT(present).setProtectedHeader({ alg: 'ES256', kid: key.kid, ...header }).sign(key.privateKey)
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', this.url)
    this.requests.push(pathname)
    let body = ''
    for await (const piece of request) body += String(piece)
    const json = (value: unknown, status = 200) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    if (this.lies.isDown === true) return void response.writeHead(503).end('<html>')
    if (pathname === '/.well-known/openid-configuration')
      return void json({ ...this.#discovery(), ...this.lies.discovery })
    if (pathname === '/jwks') return void json({ keys: this.keys.map(({ jwk }) => jwk) })
    if (pathname === '/userinfo') return void json({ sub: 'anna', groups: ['approver'], ...this.lies.userInfo })
    if (pathname === '/token') return void (await this.#token(request, new URLSearchParams(body), json))
    response.writeHead(404).end()
  }

  #discovery() {
    return {
      issuer: this.url,
      authorization_endpoint: `${this.url}/authorize`,
      token_endpoint: `${this.url}/token`,
      jwks_uri: `${this.url}/jwks`,
      userinfo_endpoint: `${this.url}/userinfo`,
      end_session_endpoint: `${this.url}/end`,
      id_token_signing_alg_values_supported: ['ES256', 'none', 'HS256'],
      authorization_response_iss_parameter_supported: true,
    }
  }

  async #token(request: IncomingMessage, body: URLSearchParams, json: (value: unknown, status?: number) => unknown) {
    const [id, secret] = Buffer.from((request.headers.authorization ?? '').slice('Basic '.length), 'base64')
      .toString()
      .split(':')
      .map((text) => decodeURIComponent(text.replaceAll('+', ' ')))
    if (id !== this.clientId || secret !== this.clientSecret) return json({ error: 'invalid_client' }, 401)
    const code = body.get('code') ?? ''
    const asked = this.#codes.get(code)
    this.#codes.delete(code)
    const challenge = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url')
    if (asked?.challenge !== challenge || asked.redirectUri !== body.get('redirect_uri')) {
      return json({ error: 'invalid_grant' }, 400)
    }
    const idToken = await this.sign({ nonce: asked.nonce, sid: 'session-1', ...this.lies.claims }, this.lies)
    return json({
      access_token: 'opaque',
      token_type: 'Bearer',
      expires_in: 300,
      id_token: idToken,
      ...this.lies.token,
    })
  }
}

async function newKey(kid: string): Promise<Key> {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' } }
}
