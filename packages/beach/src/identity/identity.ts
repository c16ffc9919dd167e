import { hasForeignOrigin, noteRequest } from '@cool-ai/beach-channel/http'
import { BeachError, type Authenticator, type Principal, type Runtime, type Store } from '@cool-ai/beach-core'
import type { Audit, Authentication, Credential } from '@cool-ai/beach-core/ports'
import type { Secret } from '@cool-ai/beach-core/tokens'
import { generateCookie } from 'hono/cookie'
import { parse } from 'hono/utils/cookie'
import { Logins, type LoggedIn, type LoginOptions, type LoginTokens, type TokenTimes } from './logins.ts'
import type { Revocations } from './revocations.ts'

const bearer = /^Bearer +(\S+)$/i
const byToken: Credential = { type: 'agent-token' }
const byCookie: Credential = { type: 'agent-cookie' }

/** A login that a request brings, with the cookies that go with the answer where they were renewed. */
interface FromCookie extends LoggedIn {
  readonly cookies?: readonly string[] | undefined
}

/** Identifies callers by what the agent itself has signed: a bearer token, or the page's cookies. */
export class Identity {
  readonly logins: Logins
  readonly #runtime: Runtime
  readonly #tenant: string
  readonly cookieName: string
  readonly #isSecure: boolean
  readonly #publicUrl: string | undefined
  readonly #guests: boolean

  /** `isSecure` when browsers reach the agent by https, though a proxy may call it without. */
  constructor(options: {
    secret: Secret
    runtime: Runtime
    agentId: string
    tenant: string
    isSecure?: boolean
    cookieName?: string | undefined
    publicUrl?: string | undefined
    /** Where it is kept which refresh tokens were used; without it each may be used again. */
    store?: Store | undefined
    revocations?: Revocations | undefined
    audit?: Audit | undefined
    times?: TokenTimes | undefined
    /** Whether callers without a credential are let in; they are when left out. */
    guests?: boolean | undefined
  }) {
    this.#guests = options.guests ?? true
    this.#publicUrl = options.publicUrl
    this.logins = new Logins(options)
    this.#runtime = options.runtime
    this.#tenant = options.tenant
    this.#isSecure = options.isSecure ?? false
    // Cookies ignore ports: two agents on one host need two names.
    const { cookieName = `beach_${options.agentId.replaceAll(/[^A-Za-z0-9-]/g, '-')}` } = options
    if (!/^[\w-]+$/.test(cookieName)) {
      throw new BeachError(
        'INVALID_CONFIGURATION',
        '`cookieName` may have letters, digits, `_` and `-`, and nothing else.',
      )
    }
    this.cookieName = cookieName
  }

  /** A new anonymous caller. */
  guest(): Principal {
    if (!this.#guests) {
      throw new BeachError('UNAUTHENTICATED', 'This agent knows its callers: sign in, or send a credential.')
    }
    return { kind: 'anonymous', id: this.#runtime.id('anon'), tenant: this.#tenant }
  }

  /** A token of a new login, without the one that renews it. */
  async issueToken(principal: Principal): Promise<string> {
    return (await this.logins.begin(principal)).token
  }

  /** By `Authorization: Bearer`. A bad token is an error, not a guest. */
  readonly byBearer: Authenticator = async (request) => {
    const header = request.headers.get('authorization')
    if (header === null) return undefined
    const token = bearer.exec(header)?.[1]
    const known = token === undefined ? undefined : await this.logins.verify(token)
    if (known !== undefined) return { ...known, credential: byToken }
    throw new BeachError(
      'UNAUTHENTICATED',
      'This bearer token is not valid, or not any more. Get a new one from `POST /token`, or `POST /sessions`.',
    )
  }

  /** The same for endpoints that are closed to guests: a guest's token, or an invalid one, counts as none. */
  readonly byKnownBearer: Authenticator = async (request) => {
    const token = bearer.exec(request.headers.get('authorization') ?? '')?.[1]
    const known = token === undefined ? undefined : await this.logins.verify(token)
    return known === undefined || known.principal.kind === 'anonymous' ? undefined : { ...known, credential: byToken }
  }

  /**
   * By the cookies of the agent's own pages. Invalid ones count as none: the page will set new ones. So do those of a page
   * of another origin: browsers add them also to requests that the user knows nothing of. Where the token has ended, the
   * refresh token gets the browser new ones with the answer.
   */
  readonly byCookie: Authenticator = async (request) => {
    if (hasForeignOrigin(request, this.#publicUrl)) return undefined
    const known = await this.#fromCookies(request)
    if (known === undefined) return undefined
    if (known.cookies !== undefined) noteRequest(request, { cookies: known.cookies })
    const { principal, login } = known
    return { principal, login, credential: byCookie } satisfies Authentication
  }

  /** The headers that give a browser its identity, unless it has one of its own. */
  async pageCookies(request: Request): Promise<readonly string[]> {
    const known = await this.#fromCookies(request)
    // A token of an earlier release is good until its end: the browser gets one of today's in its place.
    if (known !== undefined && !known.login.isEarlier) return known.cookies ?? []
    if (!this.#guests && (known === undefined || known.principal.kind === 'anonymous')) return []
    return this.#cookies(await this.logins.begin(known?.principal ?? this.guest()), request)
  }

  /** The header that makes a browser this principal, by a new login; the answer gets the one that renews it by itself. */
  async cookieOf(principal: Principal, request: Request, options?: LoginOptions): Promise<string> {
    const [cookie = '', ...others] = await this.cookiesOf(principal, request, options)
    noteRequest(request, { cookies: others })
    return cookie
  }

  /** The headers that make a browser this principal, by a new login. */
  async cookiesOf(principal: Principal, request: Request, options?: LoginOptions): Promise<readonly string[]> {
    return this.#cookies(await this.logins.begin(principal, options), request)
  }

  /** True where cookies are for https only. */
  isSecureFor(request: Request): boolean {
    return this.#isSecure || new URL(request.url).protocol === 'https:'
  }

  /** The logins that a request brings: that of its bearer token, else that of its cookies. */
  async loginOf(request: Request): Promise<LoggedIn | undefined> {
    const header = request.headers.get('authorization')
    if (header !== null) {
      const token = bearer.exec(header)?.[1]
      return token === undefined ? undefined : this.logins.verify(token)
    }
    if (hasForeignOrigin(request, this.#publicUrl)) return undefined
    const { access, refresh } = this.#tokensIn(request)
    const known = access === undefined ? undefined : await this.logins.verify(access)
    return known ?? (refresh === undefined ? undefined : this.logins.loginOf(refresh))
  }

  /** The headers that make a browser forget who it is. */
  forget(request: Request): readonly string[] {
    return [this.cookieName, this.#refreshName].map((name) => this.#cookie(request, name, '', 0))
  }

  get #refreshName(): string {
    return `${this.cookieName}_refresh`
  }

  #tokensIn(request: Request) {
    const header = request.headers.get('cookie') ?? ''
    const cookies = header === '' ? {} : parse(header)
    return { access: cookies[this.cookieName] || undefined, refresh: cookies[this.#refreshName] || undefined }
  }

  async #fromCookies(request: Request): Promise<FromCookie | undefined> {
    const { access, refresh } = this.#tokensIn(request)
    const known = access === undefined ? undefined : await this.logins.verify(access)
    if (known !== undefined || refresh === undefined) return known
    const renewed = await this.logins.renew(refresh)
    return renewed && { ...renewed, cookies: this.#cookies(renewed.tokens, request) }
  }

  #cookies({ token, refreshToken }: LoginTokens, request: Request): readonly string[] {
    const maxAge = this.logins.refreshMs / 1_000
    return [
      this.#cookie(request, this.cookieName, token, maxAge),
      this.#cookie(request, this.#refreshName, refreshToken, maxAge),
    ]
  }

  #cookie(request: Request, name: string, value: string, maxAge: number): string {
    const secure = this.isSecureFor(request)
    return generateCookie(name, value, { path: '/', httpOnly: true, sameSite: 'Lax', maxAge, secure })
  }
}
