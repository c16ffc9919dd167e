import type { Page } from '@cool-ai/beach-core/ports'
import type { Address } from '../identities/address.ts'
import { fromCursor, pageLimit, pageOf, toCursor } from './missive-page.ts'
import type {
  AgeQuery,
  Participation,
  MissiveChange,
  MissiveStore,
  ReadPosition,
  StoredQuery,
} from './missive-store.ts'
import { indexed, plainWords, textOf } from './missive-parts.ts'
import type { Missive } from './missive.ts'

interface Row {
  readonly id: number
  missive: Missive
}

/** Missives that end with the process; for tests and first tries. */
export class MemoryMissiveStore implements MissiveStore {
  readonly #places = new Map<string, string>()
  readonly #rows = new Map<string, Row>()
  /** The sessions that name an artifact, and when each did last. */
  readonly #named = new Map<string, Map<string, number>>()
  readonly #unnamed = new Map<string, number>()
  #lastId = 0

  async place(session: string): Promise<ReadPosition | undefined> {
    const text = this.#places.get(session)
    return text === undefined ? undefined : (JSON.parse(text) as ReadPosition)
  }

  async write(
    session: string,
    after: number,
    place: ReadPosition,
    changes: readonly MissiveChange[],
  ): Promise<boolean> {
    if (((await this.place(session))?.seq ?? 0) !== after) return false
    for (const change of changes) this.#change(session, change)
    this.#places.set(session, JSON.stringify(place))
    return true
  }

  async find(query: StoredQuery): Promise<Page<Missive>> {
    const limit = pageLimit(query.limit)
    const start = query.after === undefined ? undefined : fromCursor(query.after)
    const rows = [...this.#rows.values()]
      .filter((row) => matches(row.missive, query))
      .toSorted((one, other) => other.missive.at - one.missive.at || other.id - one.id)
      .filter(({ id, missive: { at } }) => {
        return start === undefined || at < start.at || (at === start.at && id < start.id)
      })
    return pageOf(
      rows.slice(0, limit + 1),
      limit,
      ({ missive }) => structuredClone(missive),
      ({ id, missive }) => toCursor({ at: missive.at, id }),
    )
  }

  async get(missiveId: string, tenant: string): Promise<Missive | undefined> {
    const missive = this.#rows.get(missiveId)?.missive
    return missive?.tenant === tenant ? structuredClone(missive) : undefined
  }

  async sessions(after = '', limit = 500): Promise<string[]> {
    return [...this.#places.keys()]
      .filter((session) => session > after)
      .toSorted()
      .slice(0, limit)
  }

  async involving(tenant: string, addresses: readonly Address[]): Promise<Participation[]> {
    const found = new Map<string, Participation>()
    for (const { missive } of this.#rows.values()) {
      if (missive.tenant !== tenant) continue
      const { sessionId, correspondent, owner } = missive
      const isOwner = owner !== undefined && addresses.includes(owner)
      if (!isOwner && !correspondent.addresses.some((one) => addresses.includes(one))) continue
      const { originatorId } = correspondent
      found.set(JSON.stringify([sessionId, originatorId]), { sessionId, originatorId, isOwner })
    }
    return [...found.values()]
  }

  async agedSessions(query: AgeQuery, after = '', limit = 500): Promise<string[]> {
    const found = [...this.#rows.values()].filter(({ missive }) => isAged(missive, query))
    return [...new Set(found.map(({ missive }) => missive.sessionId))]
      .filter((session) => session > after)
      .toSorted()
      .slice(0, limit)
  }

  async forgetAged(session: string, query: AgeQuery): Promise<number> {
    return this.#forget((missive) => missive.sessionId === session && isAged(missive, query))
  }

  async forgetArtifacts(session: string, before: number): Promise<void> {
    this.#unname(session, before)
  }

  async artifactsOf(session: string): Promise<string[]> {
    return [...this.#named].flatMap(([id, sessions]) => (sessions.has(session) && sessions.size === 1 ? [id] : []))
  }

  async unnamed(artifactIds: readonly string[], now: number): Promise<ReadonlyMap<string, number>> {
    const found = new Map<string, number>()
    for (const id of artifactIds) {
      if (this.#named.has(id)) this.#unnamed.delete(id)
      else {
        const since = this.#unnamed.get(id) ?? now
        this.#unnamed.set(id, since)
        found.set(id, since)
      }
    }
    return found
  }

  async collected(artifactId: string): Promise<void> {
    this.#unnamed.delete(artifactId)
  }

  async drop(session: string): Promise<void> {
    this.#erase(session)
    this.#places.delete(session)
  }

  async clear(): Promise<void> {
    for (const table of [this.#places, this.#rows, this.#named, this.#unnamed]) table.clear()
  }

  async close(): Promise<void> {}

  #change(session: string, change: MissiveChange): void {
    switch (change.kind) {
      case 'missive': {
        const { missive } = change
        const id = this.#rows.get(missive.missiveId)?.id ?? ++this.#lastId
        this.#rows.set(missive.missiveId, { id, missive: structuredClone(missive) })
        return
      }
      case 'delivery':
        for (const row of this.#rows.values()) {
          const { missiveId, sessionId, delivery } = row.missive
          const isIt =
            change.missiveId === undefined
              ? sessionId === session && delivery.deliveryId === change.delivery.deliveryId
              : missiveId === change.missiveId
          if (isIt) row.missive = { ...row.missive, delivery: { ...delivery, ...change.delivery } }
        }
        return
      case 'left':
        for (const row of this.#rows.values()) {
          const { sessionId, correspondent, delivery } = row.missive
          if (sessionId !== session || correspondent.originatorId !== change.originatorId) continue
          if (delivery.state !== 'queued') continue
          row.missive = { ...row.missive, delivery: { ...delivery, state: 'dropped', at: change.at } }
        }
        return
      case 'artifacts':
        for (const id of change.artifactIds) {
          this.#named.set(id, (this.#named.get(id) ?? new Map<string, number>()).set(session, change.at))
        }
        return
      case 'erased':
        return this.#erase(session, change.originatorIds)
    }
  }

  #erase(session: string, originatorIds?: readonly string[]): void {
    this.#forget(({ sessionId, correspondent }) => {
      return sessionId === session && (originatorIds?.includes(correspondent.originatorId) ?? true)
    })
    if (originatorIds === undefined) this.#unname(session, Infinity)
  }

  #forget(isGone: (missive: Missive) => boolean): number {
    const gone = [...this.#rows.values()].filter(({ missive }) => isGone(missive))
    for (const { missive } of gone) this.#rows.delete(missive.missiveId)
    return gone.length
  }

  #unname(session: string, before: number): void {
    for (const [id, sessions] of this.#named) {
      if ((sessions.get(session) ?? Infinity) < before) sessions.delete(session)
      if (sessions.size === 0) this.#named.delete(id)
    }
  }
}

function matches(missive: Missive, query: StoredQuery): boolean {
  const { correspondent, owner, at } = missive
  const known = (addresses: readonly Address[]) => correspondent.addresses.some((one) => addresses.includes(one))
  const isMine = (mine: readonly Address[]) => known(mine) || (owner !== undefined && mine.includes(owner))
  return (
    missive.tenant === query.tenant &&
    (query.sessionId ?? missive.sessionId) === missive.sessionId &&
    (query.threadId ?? missive.threadId) === missive.threadId &&
    (query.channel ?? missive.channel) === missive.channel &&
    (query.direction ?? missive.direction) === missive.direction &&
    at >= (query.since ?? -Infinity) &&
    at < (query.until ?? Infinity) &&
    (query.persons === undefined || known(query.persons)) &&
    (query.mine === undefined || isMine(query.mine)) &&
    (query.words === undefined || hasWords(missive, query.words))
  )
}

function hasWords({ parts }: Missive, words: readonly string[]): boolean {
  const there = plainWords(indexed(textOf(parts)))
  return words.flatMap(plainWords).every((word) => there.some((one) => one.startsWith(word)))
}

function isAged({ tenant, channel, at }: Missive, query: AgeQuery): boolean {
  const fits = (rule: Pick<AgeQuery, 'tenant' | 'channel'>) =>
    (rule.tenant ?? tenant) === tenant && (rule.channel ?? channel) === channel
  return at < query.before && fits(query) && !(query.except ?? []).some(fits)
}
