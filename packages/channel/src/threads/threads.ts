import { hash, type KeyObject } from 'node:crypto'
import { BeachError, type Originator, type Principal, type Sessions } from '@cool-ai/beach-core'
import { principalKey, type ShownCalls } from '@cool-ai/beach-core/ports'
import { encodeId, ifFound, LruMap } from '@cool-ai/beach-core/runtime'
import { hmacOf, secretKeys, type Secret } from '@cool-ai/beach-core/tokens'
import { requireHardToGuess } from '../live/guest-name.ts'

/** A thread: the session that it is, and who talks in it. */
export interface ThreadSession {
  readonly session: string
  readonly principal: Principal
  readonly to: Originator
  /** The same as a listener: with what it is shown of tools. */
  readonly viewer: Originator
}

/** How a channel finds the sessions of its threads. */
export interface ThreadsOptions {
  /** The transport of its channel: the same name on two channels is two threads. */
  readonly transport: string
  /** What the protocol calls the name of a thread; `threadId` when left out. */
  readonly field?: string | undefined
  readonly sessions: Sessions
  /** Makes it impossible to tell whose a guest's thread is without its id. */
  readonly secret: Secret
  readonly tenant: string
  /** What is shown of the agent's tool calls; `names` when left out. */
  readonly toolCalls?: ShownCalls | undefined
}

const guestThreads = 'https://github.com/cool-ai/beach/blob/main/docs/http.md#threads-of-guests'
const minted = /^sess_/
const maxGuests = 1_000

/**
 * Finds the sessions of threads. Clients name their threads themselves: the session follows from the caller and the
 * name, so a caller cannot get into another's thread by using its name. A guest has no credential, so the name itself is one,
 * and must be hard to guess.
 */
export class Threads {
  readonly #options: ThreadsOptions
  readonly #keys: readonly [KeyObject, ...KeyObject[]]
  /** Those that were used last: signing is expensive compared with an event of a flow. */
  readonly #guests = new LruMap<ThreadSession>(maxGuests)

  constructor(options: ThreadsOptions) {
    this.#options = options
    this.#keys = secretKeys(options.secret)
  }

  /** The place of a thread, which need not have begun. */
  async find(threadId: string, principal: Principal | undefined): Promise<ThreadSession> {
    if (principal === undefined) return this.#guest(threadId)
    if (minted.test(threadId)) {
      const own = this.#place(threadId, principal)
      if (await this.#exists(own)) return own
      throw new BeachError('NOT_FOUND', 'There is no such thread, or it is not yours. Use a name of your own.')
    }
    const key = JSON.stringify([this.#options.transport, principal.tenant, principalKey(principal), threadId])
    return this.#place(`sess_${encodeId(hash('sha256', key, 'buffer').subarray(0, 16))}`, principal)
  }

  async #guest(threadId: string): Promise<ThreadSession> {
    requireHardToGuess(this.#options.field ?? 'threadId', threadId, 'thread', guestThreads)
    const known = this.#guests.get(threadId)
    if (known !== undefined) return known
    const place = (await this.#earlierGuest(threadId)) ?? this.#guestPlace(threadId, this.#keys[0])
    this.#guests.set(threadId, place)
    return place
  }

  /** The thread that was begun with an earlier secret, if it was. */
  async #earlierGuest(threadId: string): Promise<ThreadSession | undefined> {
    for (const key of this.#keys.slice(1)) {
      const place = this.#guestPlace(threadId, key)
      if (await this.#exists(place)) return place
    }
    return undefined
  }

  #guestPlace(threadId: string, key: KeyObject): ThreadSession {
    const { tenant, transport } = this.#options
    const digest = hmacOf(key, `beach-${transport}-guest:${threadId}`).toString('hex')
    return this.#place(`sess_${digest.slice(32)}`, {
      kind: 'anonymous',
      id: `${transport}_${digest.slice(0, 32)}`,
      tenant,
    })
  }

  #place(session: string, principal: Principal): ThreadSession {
    const { transport } = this.#options
    const id = `${transport}:${session}:${principalKey(principal)}`
    const to: Originator = { id, transport, deliveryClass: 'streaming', principal }
    return { session, principal, to, viewer: { ...to, toolCalls: this.#options.toolCalls ?? 'names' } }
  }

  async #exists({ session, principal }: ThreadSession): Promise<boolean> {
    return (await ifFound(this.#options.sessions.checkAccess(session, principal))) !== undefined
  }
}
