import { createHash } from 'node:crypto'
import type { Runtime } from '@cool-ai/beach-core'
import { Tokens, type Secret } from '@cool-ai/beach-core/tokens'
import { generateCookie } from 'hono/cookie'
import { parse } from 'hono/utils/cookie'
import { z } from 'zod'
import type { PendingSignIn } from './provider.ts'

/** A person may take their time at the provider, with a second factor. */
const pendingMs = 15 * 60_000
/** So many tabs may sign in side by side; more cookies could drive others out of the browser. */
const slots = 8
/** Larger ones may not fit into a cookie; the provider then asks before it ends its session. */
const maxIdToken = 3_500
const tooLarge = 'none'

const pendingClaims = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  redirectUri: z.string(),
  to: z.string(),
})

/** A sign-in that has begun in a browser, and where that goes afterwards. */
export type BegunSignIn = z.infer<typeof pendingClaims> & PendingSignIn

interface CookieOptions {
  readonly secret: Secret
  readonly runtime: Runtime
  /** What the names of all cookies of the agent begin with. */
  readonly cookieName: string
  /** The path that the agent is reached below, without a slash at its end. */
  readonly base: string
  readonly isSecure: (request: Request) => boolean
}

/** What a browser keeps while it signs in, and to sign out: signed, for the agent only, and sent to the two paths that need it. */
export class SignInCookies {
  readonly #options: CookieOptions
  readonly #tokens: Tokens

  constructor(options: CookieOptions) {
    this.#options = options
    this.#tokens = new Tokens({ secret: options.secret, clock: options.runtime.clock, kind: 'beach-sign-in' })
  }

  /** A new sign-in with its secrets, and the cookie by which only this browser can end it. */
  async begin(request: Request, redirectUri: string, to: string): Promise<{ begun: BegunSignIn; cookie: string }> {
    const secret = () => this.#random()
    const begun = { state: secret(), nonce: secret(), verifier: secret(), redirectUri, to }
    const issuedAt = this.#options.runtime.clock.now()
    const token = await this.#tokens.sign(begun, { issuedAt, expiresAt: issuedAt + pendingMs })
    return { begun, cookie: this.#cookie(request, this.#nameOf(begun.state), token, 'login', pendingMs / 1_000) }
  }

  /** The sign-in of this browser that a state belongs to; undefined when there is none, or not any more. */
  async begun(request: Request, state: string): Promise<BegunSignIn | undefined> {
    const verified = await this.#tokens.verify(this.#read(request, this.#nameOf(state)))
    const begun = verified.status === 'valid' ? pendingClaims.parse(verified.claims) : undefined
    return begun?.state === state ? begun : undefined
  }

  /** Forgets a sign-in, which counts once. */
  ended(request: Request, state: string): string {
    return this.#cookie(request, this.#nameOf(state), '', 'login', 0)
  }

  /** What tells the provider later whose session to end; it is kept by the browser and by nothing else. */
  keepIdToken(request: Request, idToken: string, maxMs: number): string {
    const kept = idToken.length <= maxIdToken ? idToken : tooLarge
    return this.#cookie(request, this.#idName, kept, 'logout', Math.floor(maxMs / 1_000))
  }

  /** What was kept, in a browser that has signed in; without an ID token where that was too large. */
  kept(request: Request): { readonly idToken: string | undefined } | undefined {
    const kept = this.#read(request, this.#idName)
    return kept === '' ? undefined : { idToken: kept === tooLarge ? undefined : kept }
  }

  forgetIdToken(request: Request): string {
    return this.#cookie(request, this.#idName, '', 'logout', 0)
  }

  get #idName(): string {
    return `${this.#options.cookieName}_id`
  }

  #nameOf(state: string): string {
    const slot = (createHash('sha256').update(state).digest()[0] ?? 0) % slots
    return `${this.#options.cookieName}_login${slot}`
  }

  #random(): string {
    const { runtime } = this.#options
    return createHash('sha256')
      .update(runtime.id('sign') + runtime.id('in'))
      .digest('base64url')
  }

  #read(request: Request, name: string): string {
    return parse(request.headers.get('cookie') ?? '', name)[name] ?? ''
  }

  #cookie(request: Request, name: string, value: string, path: string, maxAge: number): string {
    const { base, isSecure } = this.#options
    const about = { httpOnly: true, sameSite: 'Lax', maxAge, secure: isSecure(request) } as const
    return generateCookie(name, value, { path: `${base}/${path}`, ...about })
  }
}
