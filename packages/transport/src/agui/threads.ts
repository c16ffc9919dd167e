import { createHmac, hash } from 'node:crypto'
import {
  BeachError,
  encodeId,
  isBeachError,
  principalKey,
  RecentMap,
  type Originator,
  type Principal,
  type Sessions,
} from '@cool-ai/beach-core'
import { remoteNetwork } from '../http/remote-address.ts'
import { requireHardToGuess } from '../live/guest-name.ts'

/** A thread: the session that it is, and who talks in it. */
export interface ThreadPlace {
  readonly session: string
  readonly principal: Principal
  /** The caller as somebody whom answers go to. */
  readonly to: Originator
}

export interface ThreadsOptions {
  readonly sessions: () => Sessions
  /** Makes it impossible to tell whose a guest's thread is without its id. */
  readonly secret: Uint8Array
  readonly tenant: string
  /** Refuses, by throwing, one more thread of a guest's from a network that has begun too many. */
  readonly admitGuest: (network: string) => void
}

const minted = /^sess_/
const mostGuests = 1_000

/**
 * Finds the sessions of threads. Clients name their threads themselves: the session follows from the caller and the
 * name, so nobody gets into another's thread by using its name. A guest has no credential, so the name itself is one,
 * and must be hard to guess.
 */
export class Threads {
  readonly #options: ThreadsOptions
  /** Those that were used last: to sign is dear, beside what an event of a flow costs. */
  readonly #guests = new RecentMap<ThreadPlace>(mostGuests)

  constructor(options: ThreadsOptions) {
    this.#options = options
  }

  /** The place of a thread; one of a guest's that is new counts for the network that it comes from. */
  async find(threadId: string, principal: Principal | undefined, request?: Request): Promise<ThreadPlace> {
    if (principal === undefined) return this.#guest(threadId, request)
    if (minted.test(threadId)) return placeOf(await this.#own(threadId, principal), principal)
    const key = JSON.stringify(['agui', principal.tenant, principalKey(principal), threadId])
    return placeOf(`sess_${encodeId(hash('sha256', key, 'buffer').subarray(0, 16))}`, principal)
  }

  async #guest(threadId: string, request: Request | undefined): Promise<ThreadPlace> {
    requireHardToGuess('threadId', threadId, 'thread')
    const known = this.#guests.get(threadId)
    if (known !== undefined) return known
    const { secret, tenant } = this.#options
    const digest = createHmac('sha256', secret).update(`beach-agui-guest:${threadId}`).digest('hex')
    const place = placeOf(`sess_${digest.slice(32)}`, { kind: 'anonymous', id: `agui_${digest.slice(0, 32)}`, tenant })
    const network = request && remoteNetwork(request)
    if (network !== undefined && !(await this.#exists(place))) this.#options.admitGuest(network)
    this.#guests.set(threadId, place)
    return place
  }

  async #exists({ session, principal }: ThreadPlace): Promise<boolean> {
    try {
      await this.#options.sessions().view(session, principal)
      return true
    } catch (error) {
      if (!isBeachError(error, 'NOT_FOUND')) throw error
      return false
    }
  }

  /** A session by its own id, which must be the caller's. */
  async #own(session: string, principal: Principal): Promise<string> {
    try {
      return (await this.#options.sessions().view(session, principal)).sessionId
    } catch (error) {
      if (!isBeachError(error, 'NOT_FOUND')) throw error
      throw new BeachError('NOT_FOUND', 'There is no such thread, or it is not yours. Use a name of your own.')
    }
  }
}

function placeOf(session: string, principal: Principal): ThreadPlace {
  const id = `agui:${session}:${principalKey(principal)}`
  return { session, principal, to: { id, transport: 'agui', deliveryClass: 'streaming', principal } }
}
