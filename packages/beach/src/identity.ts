import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto'
import { BeachError, type Authenticator, type Principal, type Runtime } from '@cool-ai/beach-core'
import type { Authentication, Credential } from '@cool-ai/beach-core/ports'
import { z } from 'zod'

const validForMs = 180 * 24 * 60 * 60 * 1_000
const renewAfterMs = 24 * 60 * 60 * 1_000

const byToken: Credential = { type: 'agent-token' }
const byCookie: Credential = { type: 'agent-cookie' }

const claims = z.object({
  kind: z.enum(['anonymous', 'user', 'peer', 'operator']),
  id: z.string().min(1),
  tenant: z.string().min(1),
  issuedAt: z.number(),
})

/** Who a request comes from, by what the agent itself has signed: a bearer token, or the page's cookie. */
export class Identity {
  readonly #secret: KeyObject
  readonly #runtime: Runtime
  readonly #tenant: string
  readonly #cookieName: string
  readonly #isSecure: boolean

  /** `isSecure` when browsers reach the agent by https, though a proxy may call it without. */
  constructor(options: { secret: Uint8Array; runtime: Runtime; agentId: string; tenant: string; isSecure?: boolean }) {
    if (options.secret.byteLength < 32) {
      throw new BeachError('INVALID_CONFIGURATION', 'The secret that signs tokens needs at least 32 bytes.')
    }
    this.#secret = createSecretKey(options.secret)
    this.#runtime = options.runtime
    this.#tenant = options.tenant
    this.#isSecure = options.isSecure ?? false
    // Cookies ignore ports: two agents on one host need two names.
    this.#cookieName = `beach_${options.agentId.replaceAll(/[^A-Za-z0-9-]/g, '-')}`
  }

  /** Somebody new, of whom nothing is known. */
  guest(): Principal {
    return { kind: 'anonymous', id: this.#runtime.id('anon'), tenant: this.#tenant }
  }

  issueToken({ kind, id, tenant }: Principal): string {
    const payload = JSON.stringify({ kind, id, tenant, issuedAt: this.#runtime.clock.now() })
    const body = Buffer.from(payload).toString('base64url')
    return `v1.${body}.${this.#sign(body)}`
  }

  /** By `Authorization: Bearer`. A bad token is an error, not a guest. */
  readonly byBearer: Authenticator = async (request) => {
    if (!request.headers.has('authorization')) return undefined
    const verified = this.#fromBearer(request)
    if (verified !== undefined) return verified.known
    throw new BeachError('UNAUTHENTICATED', 'This bearer token is not valid. Get a new one from `POST /sessions`.')
  }

  /** By the same, for ways in that are not open to guests: a token of theirs, or one that is not valid, counts as none. */
  readonly byKnownBearer: Authenticator = async (request) => {
    const known = this.#fromBearer(request)?.known
    return known?.principal.kind === 'anonymous' ? undefined : known
  }

  /** By the page's cookie. A bad or old one counts as none: the page will give a new one. */
  readonly byCookie: Authenticator = async (request) => this.#fromCookie(request)?.known

  /** The header that gives a browser its identity, unless it has a recent one. */
  pageCookie(request: Request): string | undefined {
    const known = this.#fromCookie(request)
    if (known !== undefined && Math.abs(this.#runtime.clock.now() - known.issuedAt) < renewAfterMs) return undefined
    return this.cookieOf(known?.known.principal ?? this.guest(), request)
  }

  /** The header that makes a browser this principal. */
  cookieOf(principal: Principal, request: Request): string {
    const token = this.issueToken(principal)
    const secure = this.#isSecure || new URL(request.url).protocol === 'https:' ? '; Secure' : ''
    return `${this.#cookieName}=${token}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${validForMs / 1_000}${secure}`
  }

  #fromBearer(request: Request) {
    const token = /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]
    return token === undefined ? undefined : this.#verify(token, byToken)
  }

  #fromCookie(request: Request) {
    const cookies = request.headers.get('cookie') ?? ''
    for (const cookie of cookies.split(';')) {
      const [name, value] = cookie.trim().split('=', 2)
      if (name === this.#cookieName && value !== undefined) return this.#verify(value, byCookie)
    }
    return undefined
  }

  #verify(token: string, credential: Credential): { known: Authentication; issuedAt: number } | undefined {
    const [version, body, signature, ...rest] = token.split('.')
    if (version !== 'v1' || body === undefined || signature === undefined || rest.length > 0) return undefined
    const given = Buffer.from(signature)
    const expected = Buffer.from(this.#sign(body))
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
    const { issuedAt, ...principal } = claims.parse(JSON.parse(Buffer.from(body, 'base64url').toString()))
    // Also one that a clock far ahead has issued: it would be good for longer than any other.
    if (Math.abs(this.#runtime.clock.now() - issuedAt) > validForMs) return undefined
    return { known: { principal, credential }, issuedAt }
  }

  #sign(body: string): string {
    return createHmac('sha256', this.#secret).update(`beach-token:${body}`).digest('base64url')
  }
}
