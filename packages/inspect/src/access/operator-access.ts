import { createHash, timingSafeEqual } from 'node:crypto'
import { GuessLimit, hasForeignOrigin, isLoopback, jsonResponse, remoteNetwork } from '@cool-ai/beach-channel/http'
import { requireOperator } from '@cool-ai/beach-channel/rights'
import { BeachError, type Principal } from '@cool-ai/beach-core'
import { askAuthenticator, type Authentication } from '@cool-ai/beach-core/ports'
import { Tokens } from '@cool-ai/beach-core/tokens'
import { z } from 'zod'
import type { InspectOptions, InspectorParts, NamedOperator } from '../options.ts'

const cookieMs = 12 * 60 * 60 * 1_000
const minTokenLength = 32
const localId = 'local'
const everything = ['admin']
const claimsSchema = z.object({ id: z.string().min(1), via: z.enum(['token', 'link']) })

type AccessParts = Pick<
  InspectorParts,
  | 'agent'
  | 'tenant'
  | 'secret'
  | 'store'
  | 'runtime'
  | 'publicUrl'
  | 'authenticate'
  | 'byCookie'
  | 'signIn'
  | 'scopesOf'
  | 'audit'
>

interface KnownOperator {
  readonly digest: Buffer
  readonly roles: readonly string[]
}

/**
 * Who may use the inspector: operators by token or credential, people who have signed in and have a role, and users of this
 * machine by the link of the start.
 */
export class OperatorAccess {
  readonly #parts: AccessParts
  readonly #operators: ReadonlyMap<string, KnownOperator>
  readonly #isLocal: boolean
  readonly #tokens: Tokens
  readonly #guesses: GuessLimit
  readonly #cookieName: string
  /** Digests of one-time tokens that were given out and not used. */
  readonly #oneTime = new Set<string>()

  constructor(options: InspectOptions, parts: AccessParts) {
    this.#parts = parts
    this.#operators = new Map(
      checkedOperators(options).map(([name, { token, roles }]) => [name, { digest: digest(token), roles }]),
    )
    this.#isLocal = options.localLink ?? (process.env.NODE_ENV !== 'production' && isOwnMachine(parts.publicUrl))
    this.#tokens = new Tokens({ secret: parts.secret, clock: parts.runtime.clock, kind: 'beach-inspect' })
    this.#guesses = new GuessLimit({ clock: parts.runtime.clock, name: 'operators', store: parts.store })
    // Cookies ignore ports: two agents on one host need two names.
    this.#cookieName = `beach_inspect_${parts.agent.id.replaceAll(/[^A-Za-z0-9-]/g, '-')}`
  }

  /** A link for the person who starts the agent, good for one use; undefined where there is none. */
  link(url: string): string | undefined {
    if (!this.#isLocal || !isOwnMachine(url)) return undefined
    const token = this.#parts.runtime.id('one') + this.#parts.runtime.id('time')
    this.#oneTime.add(digest(token).toString('base64url'))
    const link = new URL('inspect/', url.endsWith('/') ? url : `${url}/`)
    link.searchParams.set('token', token)
    return link.href
  }

  /** Where the link of the start leads to: the page, without the token, and with a cookie. */
  async exchange(request: Request): Promise<Response | undefined> {
    const url = new URL(request.url)
    const token = url.searchParams.get('token')
    if (token === null || request.method !== 'GET') return undefined
    const guess = await this.#guesses.begin(remoteNetwork(request))
    const isAllowed = this.#isLocal && isFromThisMachine(request)
    if (!isAllowed || !this.#oneTime.delete(digest(token).toString('base64url'))) {
      const message = 'This link was used, or is of an earlier start. Start the agent again for a new one.'
      throw new BeachError('UNAUTHENTICATED', message)
    }
    await guess.wasRight()
    await this.#parts.audit.act(this.#principal(localId), 'operator.login', { detail: 'link' })
    return this.#withCookie(request, { id: localId, via: 'link' }, new Response(null, { status: 303, headers: away }))
  }

  /**
   * Where the browser signs in before it gets the page; undefined for one that is known, and for `?by=token`, which asks for
   * the token of an operator.
   */
  async signInUrl(request: Request): Promise<string | undefined> {
    const isByToken = new URL(request.url).searchParams.get('by') === 'token'
    if (isByToken || (await this.#byCookie(request)) !== undefined) return undefined
    return this.#parts.signIn?.(request, '/inspect/')
  }

  /** A page's user gives a token, and gets a cookie. */
  async signIn(request: Request, token: string): Promise<Response> {
    const name = await this.#operatorOf(request, token)
    if (name === undefined) throw new BeachError('UNAUTHENTICATED', 'No operator has this token.')
    await this.#parts.audit.act(this.#principal(name), 'operator.login', { detail: 'token' })
    return this.#withCookie(request, { id: name, via: 'token' }, new Response(null, { status: 204 }))
  }

  async signOut(request: Request): Promise<Response> {
    const by = await this.#byCookie(request)
    if (by !== undefined) await this.#parts.audit.act(by, 'operator.logout')
    const headers = { 'set-cookie': this.#cookie(request, '', 0) }
    // People who have signed in with a provider sign out at the page for that.
    if (by === undefined && this.#parts.signIn !== undefined) return jsonResponse({ next: '../logout' }, 200, headers)
    return new Response(null, { status: 204, headers })
  }

  /** The operator who calls; throws for every other caller, and for one without the scope. */
  async operator(request: Request, scope: string): Promise<Principal> {
    const principal =
      (await this.#byCookie(request)) ?? (await this.#byCredential(request)) ?? (await this.#bySignIn(request))
    if (principal === undefined) {
      throw new BeachError(
        'UNAUTHENTICATED',
        'Send the credential of an operator, such as `Authorization: Bearer` with a token.',
      )
    }
    return requireOperator(principal, scope)
  }

  /** The operator of the options whose token a request has as its credential. */
  byToken(request: Request): Authentication | undefined {
    const token = /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]
    const name = token === undefined || this.#operators.size === 0 ? undefined : this.#nameOf(token)
    return name === undefined ? undefined : { principal: this.#principal(name), credential: { type: 'operator-token' } }
  }

  async #byCookie(request: Request): Promise<Principal | undefined> {
    const token = cookieOf(request, this.#cookieName)
    if (token === undefined || request.headers.has('authorization')) return undefined
    // Also pages that may call the agent may not look into it with the cookie of an operator.
    if (hasForeignOrigin(request, this.#parts.publicUrl)) return undefined
    const verified = await this.#tokens.verify(token)
    if (verified.status !== 'valid') return undefined
    const { id, via } = claimsSchema.parse(verified.claims)
    // Operators who were removed, and links where there are none any more, do not count.
    const isStill = via === 'link' ? this.#isLocal && isFromThisMachine(request) : this.#operators.has(id)
    if (!isStill) return undefined
    refuseOtherSites(request)
    return this.#principal(id)
  }

  /** A person who has signed in at the agent's pages; guests are no one here. */
  async #bySignIn(request: Request): Promise<Principal | undefined> {
    if (request.headers.has('authorization') || hasForeignOrigin(request, this.#parts.publicUrl)) return undefined
    const principal = (await this.#parts.byCookie(request))?.principal
    if (principal === undefined || principal.kind === 'anonymous') return undefined
    refuseOtherSites(request)
    return principal
  }

  async #byCredential(request: Request): Promise<Principal | undefined> {
    return (this.byToken(request) ?? (await askAuthenticator(this.#parts.authenticate, request)))?.principal
  }

  async #operatorOf(request: Request, token: string): Promise<string | undefined> {
    const guess = await this.#guesses.begin(remoteNetwork(request))
    const name = this.#nameOf(token)
    if (name !== undefined) await guess.wasRight()
    return name
  }

  #nameOf(token: string): string | undefined {
    const given = digest(token)
    let found: string | undefined
    for (const [name, known] of this.#operators) if (timingSafeEqual(known.digest, given)) found = name
    return found
  }

  #principal(id: string): Principal {
    const roles = this.#operators.get(id)?.roles ?? everything
    return { kind: 'operator', id, tenant: this.#parts.tenant, roles, scopes: [...this.#parts.scopesOf(roles)] }
  }

  async #withCookie(request: Request, claims: z.infer<typeof claimsSchema>, response: Response): Promise<Response> {
    const issuedAt = this.#parts.runtime.clock.now()
    const token = await this.#tokens.sign(claims, { issuedAt, expiresAt: issuedAt + cookieMs })
    response.headers.set('set-cookie', this.#cookie(request, token, cookieMs / 1_000))
    return response
  }

  #cookie(request: Request, value: string, maxAge: number): string {
    const { publicUrl = request.url } = this.#parts
    const secure = publicUrl.startsWith('https:') ? '; Secure' : ''
    return `${this.#cookieName}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAge}${secure}`
  }
}

const away = { location: './', 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }

function checkedOperators({ operators = {} }: InspectOptions): [string, NamedOperator][] {
  return Object.entries(operators).map(([name, given]) => {
    const { token, roles } = typeof given === 'string' ? { token: given, roles: everything } : given
    if (typeof token !== 'string' || token.length < minTokenLength || name === '' || name === localId) {
      const message = `\`inspect.operators\` needs a token of at least ${minTokenLength} characters for '${name}', and a name that is not '${localId}'.`
      throw new BeachError('INVALID_CONFIGURATION', message)
    }
    if (Array.isArray(roles)) return [name, { token, roles }]
    const message = `\`inspect.operators.${name}\` needs \`roles\`, such as ['reader'], next to its token.`
    throw new BeachError('INVALID_CONFIGURATION', message)
  })
}

/** With a cookie, changes need a header that no page of another site can send. */
function refuseOtherSites(request: Request): void {
  const isChange = request.method !== 'GET' && request.method !== 'HEAD'
  if (isChange && !request.headers.has('x-beach-inspect'))
    throw new BeachError('FORBIDDEN', 'Another site may not do this here.')
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

function isOwnMachine(url: string | undefined): boolean {
  return url === undefined || isLoopback(url)
}

/** True for a request of this machine itself; one that a proxy passes on may come from any machine. */
function isFromThisMachine(request: Request): boolean {
  const network = remoteNetwork(request)
  const isHere = network !== undefined && (network.startsWith('127.') || network === '0:0:0:0')
  const isForwarded = ['forwarded', 'x-forwarded-for', 'x-real-ip'].some((name) => request.headers.has(name))
  return isHere && !isForwarded && isLoopback(request.url)
}

function cookieOf(request: Request, name: string): string | undefined {
  const pairs = (request.headers.get('cookie') ?? '').split(';').map((pair) => pair.trim())
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)
}
