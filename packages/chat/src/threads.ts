import { createHash } from 'node:crypto'
import { conversationCount, type PersonLog, type PersonState } from '@cool-ai/beach-channel/people'
import { isBeachError, type Inbound, type Principal, type Sessions } from '@cool-ai/beach-core'
import { principalKey, type PostResult } from '@cool-ai/beach-core/ports'
import { encodeId, ifFound } from '@cool-ai/beach-core/runtime'

/** A person who writes in a thread. */
export interface ThreadWriter {
  /** The thread’s name in the store. */
  readonly place: string
  readonly principal: Principal
  readonly isDirect: boolean
}

/** A session, and the principal to whom it belongs, who has begun the thread. */
export interface ThreadSession {
  readonly session: string
  readonly owner: Principal
}

interface ThreadsOptions {
  readonly records: PersonLog
  readonly sessions: Sessions
  readonly tenant: string
  readonly newSessionAfterMs: number
}

/** The session of each thread. A thread in a channel has one for all who write there; direct messages begin anew. */
export class Threads {
  readonly #options: ThreadsOptions

  constructor(options: ThreadsOptions) {
    this.#options = options
  }

  /** The session of a message, the same one whenever it comes again. */
  async sessionFor(
    writer: ThreadWriter,
    message: { readonly id: string; readonly at: number },
    { isFresh = false }: { readonly isFresh?: boolean } = {},
  ): Promise<ThreadSession> {
    const { records } = this.#options
    const { place, principal, isDirect } = writer
    const before = await records.load(place)
    const begins = isFresh || (isDirect && (await this.#isIdle(before, message.at)))
    const state = await records.commit(place, (now) => {
      if (now.came.some(({ id }) => id === message.id)) return []
      const { current } = now
      // Another person’s direct conversation is never continued; a channel’s thread is everyone’s.
      const isTheirs = current !== undefined && (!isDirect || current.owner === principalKey(principal))
      const goesOn = isTheirs && !begins
      const ordinal = conversationCount(now) + (goesOn ? 0 : 1)
      const session = goesOn ? current.session : this.#sessionId(place, ordinal)
      const came = { type: 'came' as const, id: message.id, session, at: message.at }
      return goesOn ? [came] : [{ type: 'began', ordinal, session, owner: principalKey(principal) }, came]
    })
    const session = state.came.find(({ id }) => id === message.id)?.session || this.#sessionId(place, 1)
    return { session, owner: this.ownerIn(state, session) ?? principal }
  }

  /** Posts a message to its session; one that is full, or gone, is followed by a new one. Undefined for one that was posted. */
  async post(
    writer: ThreadWriter,
    { session, owner }: ThreadSession,
    inbound: Inbound,
  ): Promise<(ThreadSession & { readonly posted: PostResult }) | undefined> {
    const { sessions } = this.#options
    try {
      return { session, owner, posted: await sessions.post(session, inbound, owner, {}) }
    } catch (error) {
      // It was posted before: only its downloaded files have other names now.
      if (isBeachError(error, 'IDEMPOTENCY_MISMATCH')) return undefined
      if (!isBeachError(error, 'SESSION_FULL') && !isBeachError(error, 'NOT_FOUND')) throw error
      const next = { session: await this.#next(writer, session), owner: writer.principal }
      return { ...next, posted: await sessions.post(next.session, inbound, next.owner, {}) }
    }
  }

  /** To whom the session of a thread belongs; undefined for one that is not its current one. */
  ownerIn({ current }: PersonState, session: string): Principal | undefined {
    if (current?.session !== session) return undefined
    const [kind = '', id = ''] = current.owner.split('~').map((word) => decodeURIComponent(word))
    return { kind: kind as Principal['kind'], id, tenant: this.#options.tenant }
  }

  async #isIdle(state: PersonState, at: number): Promise<boolean> {
    const { current, lastCameAt } = state
    if (current === undefined || lastCameAt === undefined) return false
    if (at - lastCameAt <= this.#options.newSessionAfterMs) return false
    const owner = this.ownerIn(state, current.session)
    const view = owner && (await ifFound(this.#options.sessions.view(current.session, owner)))
    // A turn that waits for a person is not forgotten because they took their time.
    return view?.turn === undefined
  }

  async #next({ place, principal }: ThreadWriter, full: string): Promise<string> {
    const state = await this.#options.records.commit(place, (now) => {
      if (now.current !== undefined && now.current.session !== full) return []
      const ordinal = conversationCount(now) + 1
      return [{ type: 'began', ordinal, session: this.#sessionId(place, ordinal), owner: principalKey(principal) }]
    })
    return state.current?.session ?? full
  }

  #sessionId(place: string, ordinal: number): string {
    const key = JSON.stringify(['chat', this.#options.tenant, place, ordinal])
    return `sess_${encodeId(createHash('sha256').update(key).digest().subarray(0, 16))}`
  }
}
