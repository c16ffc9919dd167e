import { createHash } from 'node:crypto'
import { BeachError, type Clock, type Logger, type Principal, type Store } from '@cool-ai/beach-core'
import { principalKey, type BoundKey, type TokenLogin } from '@cool-ai/beach-core/ports'
import { elapsed, LruMap } from '@cool-ai/beach-core/runtime'
import { z } from 'zod'

/** What is taken back: one login or token by its id, or all that a principal was given until now. */
export type Revoked = { readonly id: string } | { readonly principal: Principal }

/** A revocation, as operators see it. */
export interface Revocation {
  readonly at: number
  /** The id of a login or a token, or what stands for a principal. */
  readonly target: string
  readonly by: string
}

/** What the keys of revocations begin with; they are kept for longer than any token lives. */
export const revokedPrefix = 'revoked:'

/** How long a process may go without looking for what others have revoked. */
const lookEveryMs = 3_000
/** A process that cannot look for this long trusts no token any more. */
const maxBlindMs = 30_000
/** The clocks of processes differ: what was revoked a little before the last look is read again. */
const overlapMs = 10 * 60_000
const pageSize = 1_000
const maxListed = 200

const value = z.object({ tenant: z.string(), by: z.string() })

interface Watcher {
  readonly known: Known
  readonly end: () => void
}

/** Who is known, by which login of the agent's own; without one since when. */
interface Known {
  readonly principal: Principal
  readonly login?: TokenLogin | undefined
  readonly since: number
}

/**
 * What was taken back before its time. It is in the store, under keys in the order of time; each process reads what is new
 * of them when it needs to know, at most every three seconds, and asks its memory otherwise.
 */
export class Revocations {
  readonly #store: Pick<Store, 'bind' | 'list'>
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #ids = new Set<string>()
  readonly #principals = new Map<string, number>()
  readonly #names = new LruMap<string>(10_000)
  readonly #watchers = new Set<Watcher>()
  #lookedAt: number | undefined
  #newest = 0
  #looking: Promise<void> | undefined
  #isFollowing = false
  #isClosed = false

  constructor(options: { store: Pick<Store, 'bind' | 'list'>; clock: Clock; logger: Logger }) {
    this.#store = options.store
    this.#clock = options.clock
    this.#logger = options.logger
  }

  /** Takes something back: here at once, in other processes within seconds. Open streams end. */
  async revoke(revoked: Revoked, { tenant, by }: { tenant: string; by: string }): Promise<string> {
    const target = 'id' in revoked ? `id~${revoked.id}` : this.#nameOf(revoked.principal)
    if (!/^[\w.~-]{1,200}$/.test(target)) throw new BeachError('BAD_REQUEST', 'That is not the id of a token.')
    const at = this.#clock.now()
    await this.#store.bind(revokedPrefix + timeText(at) + target, JSON.stringify({ tenant, by }))
    this.#add(at, target)
    this.#endStreams()
    return target
  }

  /** True when the login or the token was taken back, or the principal after its issue. */
  async isRevoked(principal: Principal, login: TokenLogin): Promise<boolean> {
    const age = this.#lookedAt === undefined ? Infinity : elapsed(this.#clock) - this.#lookedAt
    if (age >= lookEveryMs) await this.#look()
    return this.#has({ principal, login, since: login.issuedAt })
  }

  /** Calls back once when what a stream was opened with is taken back; the returned function ends the watch. */
  watch(principal: Principal, login: TokenLogin | undefined, end: () => void): () => void {
    const watcher: Watcher = { known: { principal, login, since: login?.issuedAt ?? this.#clock.now() }, end }
    this.#watchers.add(watcher)
    this.#follow()
    return () => this.#watchers.delete(watcher)
  }

  /** Those of a tenant, the newest first. */
  async list(tenant: string): Promise<Revocation[]> {
    const all = await this.#store.list(revokedPrefix)
    return all
      .toReversed()
      .flatMap((bound) => {
        const parsed = value.parse(JSON.parse(bound.value))
        const { at, target } = partsOf(bound)
        return parsed.tenant === tenant ? [{ at, target, by: parsed.by }] : []
      })
      .slice(0, maxListed)
  }

  close(): void {
    this.#isClosed = true
    this.#watchers.clear()
  }

  /** One look at a time, however many wait for it. */
  #look(): Promise<void> {
    this.#looking ??= this.#read().finally(() => (this.#looking = undefined))
    return this.#looking
  }

  async #read(): Promise<void> {
    const began = elapsed(this.#clock)
    try {
      let after: string | undefined =
        this.#newest === 0 ? undefined : revokedPrefix + timeText(this.#newest - overlapMs)
      for (;;) {
        const page = await this.#store.list(revokedPrefix, after, pageSize)
        for (const bound of page) {
          const { at, target } = partsOf(bound)
          this.#add(at, target)
          after = bound.key
        }
        if (page.length > 0) this.#endStreams()
        if (page.length < pageSize) break
      }
      this.#lookedAt = began
    } catch (cause) {
      if (this.#lookedAt === undefined || began - this.#lookedAt > maxBlindMs) {
        throw new BeachError('STORE_UNAVAILABLE', 'Whether this token was revoked cannot be told now. Try again.', {
          cause,
        })
      }
      this.#logger.log('warn', 'revoked tokens could not be looked up', { error: cause })
    }
  }

  #add(at: number, target: string): void {
    this.#newest = Math.max(this.#newest, at)
    if (target.startsWith('id~')) this.#ids.add(target.slice('id~'.length))
    else this.#principals.set(target, Math.max(at, this.#principals.get(target) ?? 0))
  }

  #has({ principal, login, since }: Known): boolean {
    if (login !== undefined && (this.#ids.has(login.token) || this.#ids.has(login.id))) return true
    if (this.#principals.size === 0) return false
    return (this.#principals.get(this.#nameOf(principal)) ?? -1) >= since
  }

  #endStreams(): void {
    for (const watcher of this.#watchers) {
      if (!this.#has(watcher.known)) continue
      this.#watchers.delete(watcher)
      watcher.end()
    }
  }

  /** Looks again and again while a stream is open. */
  #follow(): void {
    if (this.#isFollowing) return
    this.#isFollowing = true
    this.#clock.timer(lookEveryMs, () => {
      this.#isFollowing = false
      if (this.#isClosed || this.#watchers.size === 0) return
      this.#look().then(
        () => this.#follow(),
        () => this.#follow(),
      )
    })
  }

  /** Not the name itself: these keys outlive the data of a person. */
  #nameOf(principal: Principal): string {
    const key = `${principal.tenant}\n${principalKey(principal)}`
    const known = this.#names.get(key)
    if (known !== undefined) return known
    const name = `who~${createHash('sha256').update(key).digest('base64url').slice(0, 32)}`
    this.#names.set(key, name)
    return name
  }
}

function timeText(at: number): string {
  return `${String(Math.max(0, Math.floor(at))).padStart(13, '0')}:`
}

function partsOf({ key }: BoundKey): { at: number; target: string } {
  const rest = key.slice(revokedPrefix.length)
  return { at: Number(rest.slice(0, 13)), target: rest.slice(14) }
}
