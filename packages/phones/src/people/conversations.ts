import { conversationCount, type PersonLog, type PersonState } from '@cool-ai/beach-channel/people'
import { createHash } from 'node:crypto'
import { isBeachError, type Inbound, type Principal, type Sessions } from '@cool-ai/beach-core'
import { principalKey } from '@cool-ai/beach-core/ports'
import { encodeId, ifFound } from '@cool-ai/beach-core/runtime'

/** A sender, and its principal. */
export interface Writer {
  readonly person: string
  readonly principal: Principal
}

interface ConversationsOptions {
  readonly transport: string
  readonly people: PersonLog
  readonly sessions: Sessions
  /** After so long without a message the next one begins a new session. */
  readonly newSessionAfterMs: number
}

/**
 * The session that a person's message is for: one at a time, and a new one when they ask for it or come back after a
 * while.
 */
export class Conversations {
  readonly #options: ConversationsOptions

  constructor(options: ConversationsOptions) {
    this.#options = options
  }

  /**
   * The session of a message, the same one whenever it comes again; `elsewhere` is one that it explicitly refers to.
   */
  async sessionFor(
    writer: Writer,
    message: { readonly id: string; readonly at: number },
    { isFresh = false, elsewhere }: { readonly isFresh?: boolean; readonly elsewhere?: string | undefined } = {},
  ): Promise<string> {
    const { people, newSessionAfterMs } = this.#options
    const { person, principal } = writer
    const before = await people.load(person)
    const isIdle = before.lastCameAt !== undefined && message.at - before.lastCameAt > newSessionAfterMs
    const begins = isFresh || (isIdle && !(await this.#isWaiting(before, principal)))
    const state = await people.commit(person, (now) => {
      if (cameBefore(now, message.id) !== undefined) return []
      if (elsewhere !== undefined) return [{ type: 'came', id: message.id, session: elsewhere, at: message.at }]
      const { current } = now
      const goesOn = current !== undefined && current.owner === principalKey(principal) && !begins
      const ordinal = conversationCount(now) + (goesOn ? 0 : 1)
      const session = goesOn ? current.session : this.#sessionId(writer, ordinal)
      const came = { type: 'came' as const, id: message.id, session, at: message.at }
      return goesOn ? [came] : [{ type: 'began', ordinal, session, owner: principalKey(principal) }, came]
    })
    return cameBefore(state, message.id)?.session ?? state.current?.session ?? this.#sessionId(writer, 1)
  }

  /**
   * The session of another channel that has written to them last, if that was recently: their next message is for that.
   */
  lastElsewhere({ person, principal }: Writer, state: PersonState, now: number): string | undefined {
    const { latest } = state
    if (latest === undefined || now - latest.at > this.#options.newSessionAfterMs) return undefined
    for (let ordinal = conversationCount(state); ordinal > 0; ordinal--) {
      if (this.#sessionId({ person, principal }, ordinal) === latest.session) return undefined
    }
    return latest.session
  }

  /** Posts a message to its session; a session that is full is followed by a new one. */
  async post(writer: Writer, session: string, inbound: Inbound): Promise<void> {
    const { sessions } = this.#options
    try {
      await sessions.post(session, inbound, writer.principal, {})
    } catch (error) {
      // It was posted before: only its downloaded files have other names now.
      if (isBeachError(error, 'IDEMPOTENCY_MISMATCH')) return
      if (!isBeachError(error, 'SESSION_FULL') && !isBeachError(error, 'NOT_FOUND')) throw error
      await sessions.post(await this.#next(writer, session), inbound, writer.principal, {})
    }
  }

  /** The session after one that accepts nothing any more. */
  async #next(writer: Writer, full: string): Promise<string> {
    const { person, principal } = writer
    const state = await this.#options.people.commit(person, (now) => {
      if (now.current !== undefined && now.current.session !== full) return []
      const ordinal = conversationCount(now) + 1
      return [{ type: 'began', ordinal, session: this.#sessionId(writer, ordinal), owner: principalKey(principal) }]
    })
    return state.current?.session ?? full
  }

  /** A turn that waits for a person is not forgotten because they took their time. */
  async #isWaiting({ current }: PersonState, principal: Principal): Promise<boolean> {
    if (current === undefined) return false
    return (await ifFound(this.#options.sessions.view(current.session, principal)))?.turn !== undefined
  }

  #sessionId({ person, principal }: Writer, ordinal: number): string {
    const key = JSON.stringify([this.#options.transport, principal.tenant, principalKey(principal), person, ordinal])
    return `sess_${encodeId(createHash('sha256').update(key).digest().subarray(0, 16))}`
  }
}

export function cameBefore(state: PersonState, id: string): PersonState['came'][number] | undefined {
  return state.came.find((entry) => entry.id === id)
}
