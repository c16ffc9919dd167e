/** The tokens by which an agent knows a caller: one lets it in for an hour, the other gets both anew. */
export interface LoginTokens {
  readonly token: string
  readonly refreshToken: string
}

/** Gets new tokens by a refresh token; undefined when the agent gives none any more. */
type Renewal = (refreshToken: string) => Promise<LoginTokens | undefined>

/** Where the tokens of a login are kept that outlive this page, and that its other pages renew too. */
export interface KeptTokens {
  get(): LoginTokens | undefined
  set(tokens: LoginTokens): void
}

/** The tokens of one login, which all conversations of this page share. */
export class Login {
  #tokens: LoginTokens
  #renewing: Promise<boolean> | undefined
  #kept: KeptTokens | undefined

  constructor(tokens: LoginTokens) {
    this.#tokens = tokens
  }

  get token(): string {
    return this.#tokens.token
  }

  keep(kept: KeptTokens): void {
    this.#kept = kept
  }

  /** Gets new tokens in the place of one that was refused, once for all who ask at the same time; false when there are none. */
  renew(refused: string, renewal: Renewal): Promise<boolean> {
    if (refused !== this.token) return Promise.resolve(true)
    this.#renewing ??= this.#renew(refused, renewal).finally(() => (this.#renewing = undefined))
    return this.#renewing
  }

  async #renew(refused: string, renewal: Renewal): Promise<boolean> {
    // Another page may have renewed them meanwhile: a refresh token that was used ends the login.
    const elsewhere = this.#kept?.get()
    if (elsewhere !== undefined && elsewhere.token !== refused) {
      this.#tokens = elsewhere
      return true
    }
    const tokens = await renewal(this.#tokens.refreshToken)
    if (tokens === undefined) return false
    this.#tokens = tokens
    this.#kept?.set(tokens)
    return true
  }
}

const logins = new Map<string, Login>()
const maxLogins = 100

/** Remembers how the token of a session is renewed, for conversations that are given the token alone. */
export function rememberLogin(tokens: {
  readonly token?: string | undefined
  readonly refreshToken?: string | undefined
}): Login | undefined {
  const { token, refreshToken } = tokens
  if (token === undefined || refreshToken === undefined) return undefined
  const login = logins.get(token) ?? new Login({ token, refreshToken })
  logins.set(token, login)
  for (const oldest of logins.keys()) {
    if (logins.size <= maxLogins) break
    logins.delete(oldest)
  }
  return login
}

/** The login that a token was given with, if it was on this page. */
export function loginOf(token: string | undefined): Login | undefined {
  return token === undefined ? undefined : logins.get(token)
}
