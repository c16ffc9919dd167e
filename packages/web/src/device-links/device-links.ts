import { createHash } from 'node:crypto'
import { BeachError, type Principal, type Runtime, type Store } from '@cool-ai/beach-core'
import type { TokenLogin } from '@cool-ai/beach-core/ports'
import { isOver } from '@cool-ai/beach-core/runtime'
import { z } from 'zod'

const validForMs = 10 * 60 * 1_000
const maxOpen = 5

/** A link: the first device with the code is admitted. */
export interface DeviceLink {
  readonly code: string
  readonly expiresAt: number
}

/** The principal and the session that a code stands for. */
export interface Joined {
  readonly sessionId: string
  readonly principal: Principal
}

const entry = z.object({
  principal: z.object({ kind: z.literal('anonymous'), id: z.string(), tenant: z.string() }),
  expiresAt: z.number(),
  /** By which it was made, so that it ends with it. */
  login: z.object({ id: z.string(), token: z.string() }).optional(),
})

/** Whether what was made by a login then counts no more, because the login or all of the principal was taken back. */
export type IsTakenBack = (principal: Principal, login: TokenLogin) => Promise<boolean>
const usedEntry = z.object({ by: z.string(), at: z.number() })

/**
 * Links that join a second device to a session, each once. They are in the store, which all processes share and which
 * outlives them, with only the hash of a code. A link is marked as used by a key that only one process can be the first
 * to bind.
 */
export class DeviceLinks {
  readonly #store: Store
  readonly #runtime: Runtime
  readonly #isTakenBack: IsTakenBack
  #lastMade: Promise<unknown> = Promise.resolve()

  constructor(store: Store, runtime: Runtime, isTakenBack: IsTakenBack) {
    this.#store = store
    this.#runtime = runtime
    this.#isTakenBack = isTakenBack
  }

  /** One after the other: of several that are asked for at once, as many are made as may be open. */
  make(sessionId: string, principal: Principal, login?: TokenLogin): Promise<DeviceLink> {
    const made = this.#lastMade.then(() => this.#make(sessionId, principal, login))
    this.#lastMade = made.catch(() => {})
    return made
  }

  async #make(sessionId: string, principal: Principal, login?: TokenLogin): Promise<DeviceLink> {
    const { kind, id, tenant } = principal
    const by = login && { id: login.id, token: login.token }
    const code = `${sessionId}.${this.#runtime.id('link')}`
    const expiresAt = this.#runtime.clock.now() + validForMs
    const key = linkKey(sessionId, code)
    await this.#store.bind(key, JSON.stringify({ principal: { kind, id, tenant }, expiresAt, login: by }))
    // Counted with its own: of several that other processes make at once, none can miss all the others.
    if ((await this.#countOpen(sessionId)) > maxOpen) {
      await this.#store.unbind(key)
      throw new BeachError('TOO_MANY', `${maxOpen} links are open for this session. Use one, or wait ten minutes.`)
    }
    return { code, expiresAt }
  }

  /** Uses a code up; undefined when it was used before, is too old, or never was one. */
  async use(code: string): Promise<Joined | undefined> {
    // No code of ours has half a character, and no key can.
    if (!code.isWellFormed()) return undefined
    const sessionId = code.slice(0, Math.max(code.lastIndexOf('.'), 0))
    const key = linkKey(sessionId, code)
    const [found] = await this.#store.list(key, undefined, 1)
    if (found?.key !== key) return undefined
    const { principal, expiresAt, login = { id: '', token: '' } } = entry.parse(JSON.parse(found.value))
    const at = this.#runtime.clock.now()
    if (hasExpired(expiresAt, at)) return undefined
    const madeBy = { ...login, issuedAt: expiresAt - validForMs, isEarlier: false }
    if (await this.#isTakenBack(principal, madeBy)) return undefined
    const mine = JSON.stringify({ by: this.#runtime.id('use'), at })
    if ((await this.#store.bind(usedKey(sessionId, code), mine)) !== mine) return undefined
    await this.#store.unbind(key)
    return { sessionId, principal }
  }

  /** Counts what can still be used, and forgets what cannot. */
  async #countOpen(sessionId: string): Promise<number> {
    const now = this.#runtime.clock.now()
    const links = await this.#store.list(linkPrefix(sessionId))
    const isClosed = ({ value }: { value: string }) => hasExpired(entry.parse(JSON.parse(value)).expiresAt, now)
    const used = await this.#store.list(usedPrefix(sessionId))
    // A thief may have read the link just before it was used: the mark outlives it.
    const isOld = ({ value }: { value: string }) =>
      Math.abs(usedEntry.parse(JSON.parse(value)).at - now) >= 2 * validForMs
    for (const { key } of [...links.filter(isClosed), ...used.filter(isOld)]) await this.#store.unbind(key)
    return links.filter((link) => !isClosed(link)).length
  }
}

function hasExpired(expiresAt: number, now: number): boolean {
  return isOver({ since: expiresAt - validForMs, until: expiresAt }, now)
}

const linkPrefix = (sessionId: string) => `device-link:${encodeURIComponent(sessionId)}:`
const usedPrefix = (sessionId: string) => `device-link-used:${encodeURIComponent(sessionId)}:`
const linkKey = (sessionId: string, code: string) => linkPrefix(sessionId) + digest(code)
const usedKey = (sessionId: string, code: string) => usedPrefix(sessionId) + digest(code)

function digest(code: string): string {
  return createHash('sha256').update(code).digest('base64url')
}
