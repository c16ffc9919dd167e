import { createHash, timingSafeEqual } from 'node:crypto'
import { GuessLimit, remoteNetwork } from '@cool-ai/beach-channel/http'
import { systemClock } from '@cool-ai/beach-core'
import { hmacOf, secretKeys, type Secret } from '@cool-ai/beach-core/tokens'
import { generateCookie } from 'hono/cookie'
import { parse } from 'hono/utils/cookie'

const parameter = 'key'
const cookieOptions = { path: '/local', httpOnly: true, sameSite: 'Strict', maxAge: 30 * 24 * 60 * 60 } as const

/**
 * The key to the pages of the local people. The start prints a link with it; a browser that opens the link gets a cookie in
 * its place, so that the key leaves the address. That a request comes from this machine proves nothing: a proxy on it
 * passes on those of others.
 */
export class LocalKey {
  readonly #key: string
  readonly #url: URL
  readonly #cookie: string
  readonly #guesses = new GuessLimit({ clock: systemClock, name: 'local pages' })

  /** The same secret gives the same key, so that links and cookies outlive a restart. */
  constructor(secret: Secret, url: string) {
    this.#key = hmacOf(secretKeys(secret)[0], 'neighbourhood-pages').toString('base64url')
    this.#url = new URL(url)
    // Cookies ignore ports: two agents on one machine need two names.
    this.#cookie = `beach_local_${this.#url.port}`
  }

  /** An address of a page, for the person who started the agent. */
  link(path: string): string {
    const url = new URL(path, this.#url)
    url.searchParams.set(parameter, this.#key)
    return url.href
  }

  /** What a link with the key leads to: the same address without it, and a cookie. Undefined without the right key. */
  async exchange(request: Request): Promise<Response | undefined> {
    const url = new URL(request.url)
    const given = url.searchParams.get(parameter)
    if (given === null || request.method !== 'GET' || !(await this.#isRight(request, given))) return undefined
    url.searchParams.delete(parameter)
    const headers = {
      location: url.pathname + url.search,
      'set-cookie': generateCookie(this.#cookie, this.#key, cookieOptions),
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    }
    return new Response(null, { status: 303, headers })
  }

  /** Whether a request has the cookie. */
  async opens(request: Request): Promise<boolean> {
    const given = parse(request.headers.get('cookie') ?? '', this.#cookie)[this.#cookie]
    return given !== undefined && (await this.#isRight(request, given))
  }

  /** The right key is always let in; wrong ones are counted. */
  async #isRight(request: Request, given: string): Promise<boolean> {
    const [one, other] = [given, this.#key].map((key) => createHash('sha256').update(key).digest())
    if (one !== undefined && other !== undefined && timingSafeEqual(one, other)) return true
    await this.#guesses.begin(remoteNetwork(request))
    return false
  }
}
