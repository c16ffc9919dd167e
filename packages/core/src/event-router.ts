import { contentHash } from './content-hash.ts'
import { BeachError } from './errors.ts'
import type { Inbound, Page, Posted, SessionQuery, SessionSummary } from './ports/sessions.ts'
import type { Store } from './ports/store.ts'
import { mayAccess, principalKey, type Principal } from './principal.ts'
import type { Runtime } from './runtime.ts'
import { sliceState, type SessionLog, type SessionRecord, type SessionState } from './session-log.ts'
import { alreadyReceived, sessionSlice } from './session-slice.ts'

/** Refuses, by throwing, a message that the session cannot take now. */
export type Admit = (state: SessionState, inbound: Inbound) => void

// Keys are listed in ascending order; counting down from here puts the newest session first.
const farFuture = 9_999_999_999_999

/** The boundary of a session: finds or makes it, checks who is calling, drops duplicates, appends and wakes. */
export class EventRouter {
  readonly #store: Store
  readonly #log: SessionLog
  readonly #runtime: Runtime
  readonly #admit: Admit

  constructor(options: { store: Store; log: SessionLog; runtime: Runtime; admit?: Admit }) {
    this.#store = options.store
    this.#log = options.log
    this.#runtime = options.runtime
    this.#admit = options.admit ?? (() => {})
  }

  /** A new session of this principal, or with `key` the one that was opened with that key before. */
  async open(options: { principal: Principal; key?: string }): Promise<string> {
    const { principal, key } = options
    const minted = this.#runtime.id('sess')
    const session =
      key === undefined ? minted : await this.#store.bind(`ext:${encodeURIComponent(principal.tenant)}:${key}`, minted)
    const time = farFuture - this.#runtime.clock.now()
    // The key comes first: without its session it is harmless, while a session without its key could not be listed.
    if (session === minted) await this.#store.bind(`${prefix(principal)}${time}:${session}`, session)
    await this.#log.commit(session, (state) => {
      const { tenant, owner } = sliceState(sessionSlice, state)
      if (tenant === undefined) {
        return [{ type: 'sessionOpened', tenant: principal.tenant, payload: { owner: principal } }]
      }
      if (owner === undefined || !mayAccess(owner, principal)) throw notFound()
      return []
    })
    return session
  }

  /** Appends the message and wakes the session, unless it was received before. */
  async receive(session: string, inbound: Inbound, by: Principal): Promise<Posted> {
    const hash = contentHash(inbound.parts)
    const minted = this.#runtime.id('msg')
    let earlier: Posted | undefined
    const committed = await this.#log.commit(
      session,
      (state) => {
        const known = access(state, by)
        const { dedupeKey } = inbound
        const before = dedupeKey === undefined ? undefined : alreadyReceived(known, dedupeKey)
        if (before !== undefined) {
          if (before.contentHash !== hash) {
            throw new BeachError(
              'IDEMPOTENCY_MISMATCH',
              'This idempotency key was used before with another content. Use a new key for a new message.',
            )
          }
          earlier = { seq: before.seq, messageId: before.messageId, duplicate: true }
          return []
        }
        this.#admit(state, inbound)
        return [
          {
            type: 'messageReceived',
            messageId: minted,
            originatorId: inbound.from.id,
            contentHash: hash,
            ...(dedupeKey !== undefined && { dedupeKey }),
            payload: { from: inbound.from, parts: inbound.parts },
          },
        ]
      },
      { wakeAt: this.#runtime.clock.now() },
    )
    if (committed.events.length === 0 && earlier !== undefined) return earlier
    return { seq: committed.events[0]?.seq ?? committed.head, messageId: minted, duplicate: false }
  }

  /** The session, if it exists and `by` may see it; otherwise it is not found. */
  async find(session: string, by: Principal): Promise<SessionRecord & { readonly owner: Principal }> {
    const record = await this.#log.load(session)
    const { owner } = access(record.state, by)
    return { ...record, owner }
  }

  /** The sessions of this principal, newest first; for an operator, all of the tenant. */
  async list(query: SessionQuery, by: Principal): Promise<Page<SessionSummary>> {
    const limit = Math.min(Math.max(query.limit ?? 50, 1), 200)
    const under = by.kind === 'operator' ? `session:${encodeURIComponent(by.tenant)}:` : prefix(by)
    if (query.after !== undefined && !query.after.startsWith(under)) {
      throw new BeachError('BAD_REQUEST', 'That page does not exist. Use the `next` value of the page before.')
    }
    const rows = await this.#store.list(under, query.after, limit + 1)
    const items = rows.slice(0, limit).map(({ key, value }) => ({
      sessionId: value,
      openedAt: farFuture - Number(key.split(':').at(-2)),
    }))
    const last = rows[limit - 1]
    return rows.length > limit && last !== undefined ? { items, next: last.key } : { items }
  }
}

function access(state: SessionState, by: Principal) {
  const known = sliceState(sessionSlice, state)
  const { owner } = known
  if (owner === undefined || !mayAccess(owner, by)) throw notFound()
  return { ...known, owner }
}

function notFound(): BeachError {
  return new BeachError('NOT_FOUND', 'There is no such session, or it is not yours.')
}

function prefix(principal: Principal): string {
  return `session:${encodeURIComponent(principal.tenant)}:${principalKey(principal)}:`
}
