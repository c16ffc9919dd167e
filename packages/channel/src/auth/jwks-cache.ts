import type { BeachError, Clock } from '@cool-ai/beach-core'
import { elapsed } from '@cool-ai/beach-core/runtime'
import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose'
import type { Fetch } from './fetch.ts'
import { fetchJson } from './fetch-json.ts'
import { failureName, unavailable } from './unavailable.ts'

const timeoutMs = 5_000
/** After this keys are fetched anew. */
const freshMs = 10 * 60_000
/** For so long after that they are still used when they cannot be fetched. */
const staleMs = 60 * 60_000
/** A key that is not there is looked for once in this time, so that made-up key ids cost the issuer nothing. */
const cooldownMs = 30_000
/** After a failure no request is made for so long. */
const pauseMs = 1_000

type KeySet = ReturnType<typeof createLocalJWKSet>

/** An issuer's keys: fetched when first needed, kept for a while, and looked at again when a token names another one. */
export class JwksCache {
  readonly #uri: string
  readonly #fetch: Fetch
  readonly #clock: Clock
  #keys: KeySet | undefined
  #fetchedAt = -Infinity
  #failure: { readonly at: number; readonly error: BeachError } | undefined
  #pending: Promise<KeySet> | undefined

  constructor(options: { readonly uri: string; readonly fetch: Fetch; readonly clock: Clock }) {
    this.#uri = options.uri
    this.#fetch = options.fetch
    this.#clock = options.clock
  }

  /** Finds the key of a token, in the form that jose asks for it. */
  readonly keyFor: JWTVerifyGetKey = async (header, token) => {
    const keys = await this.#current()
    try {
      return await keys(header, token)
    } catch (error) {
      const isUnknown = error instanceof errors.JWKSNoMatchingKey
      if (!isUnknown || this.#age() < cooldownMs) throw error
    }
    const newer = await this.#load()
    return newer(header, token)
  }

  async #current(): Promise<KeySet> {
    const keys = this.#keys
    if (keys === undefined) return this.#load()
    if (this.#age() < freshMs) return keys
    try {
      return await this.#load()
    } catch (error) {
      if (this.#age() < freshMs + staleMs) return keys
      throw error
    }
  }

  /** One request at a time, however many wait for it. */
  async #load(): Promise<KeySet> {
    const failure = this.#failure
    if (failure !== undefined && elapsed(this.#clock) - failure.at < pauseMs) throw failure.error
    this.#pending ??= this.#fetchKeys().finally(() => {
      this.#pending = undefined
    })
    return this.#pending
  }

  async #fetchKeys(): Promise<KeySet> {
    try {
      const init = { headers: { accept: 'application/jwk-set+json, application/json' } }
      const { status, value } = await fetchJson(this.#uri, { fetch: this.#fetch, clock: this.#clock, timeoutMs, init })
      if (status !== 200) throw Object.assign(new Error('No keys.'), { code: `HTTP_${status}` })
      // jose checks that it is a set of keys.
      this.#keys = createLocalJWKSet(value as Parameters<typeof createLocalJWKSet>[0])
    } catch (cause) {
      const error = unavailable('The keys that tokens are checked with cannot be fetched.', failureName(cause))
      this.#failure = { at: elapsed(this.#clock), error }
      throw error
    }
    this.#failure = undefined
    this.#fetchedAt = elapsed(this.#clock)
    return this.#keys
  }

  #age(): number {
    return elapsed(this.#clock) - this.#fetchedAt
  }
}
