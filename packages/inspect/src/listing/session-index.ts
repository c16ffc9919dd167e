import { BeachError, type Clock, type Principal, type Store } from '@cool-ai/beach-core'
import { principalKey, type Page } from '@cool-ai/beach-core/ports'
import { yieldToEventLoop } from '@cool-ai/beach-core/runtime'
import type { SessionRow } from './session-row.ts'

/** Which sessions are listed. */
export interface SessionFilter {
  readonly state?: string | undefined
  /** A principal as `kind~id`, or an id of any kind. */
  readonly principal?: string | undefined
  readonly channel?: string | undefined
  /** Last used at this time or later, and before that one. */
  readonly from?: number | undefined
  readonly to?: number | undefined
  /** Words of the title, the session's id or the principal's. */
  readonly words?: string | undefined
}

const farFuture = 9_999_999_999_999
const keyPage = 200
/** How old an entry is before a reader takes it away: one that is younger may be that of a row which is just being put. */
const outdatedAfterMs = 60_000
/** How many rows one request looks at before it answers with what it has found. */
const maxLooked = 2_000

/**
 * The rows of all sessions in the keys of the store, filed by the time of their last use under what they can be looked
 * for by. It is never authority: an entry that was left behind by a process that died is found to be outdated.
 */
export class SessionIndex {
  readonly #store: Store
  readonly #clock: Clock

  constructor(store: Store, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  async row(session: string): Promise<SessionRow | undefined> {
    const found = await this.#store.list(rowPrefix(session), undefined, 20)
    const [last] = found.slice(-1)
    return last && (JSON.parse(last.value) as SessionRow)
  }

  /** Replaces a session's row: the new one first, so that there always is one. */
  async put(row: SessionRow, before: SessionRow | undefined): Promise<void> {
    const next = filedUnder(row)
    const old = before === undefined ? [] : filedUnder(before).filter((key) => !next.includes(key))
    const nextKey = rowKey(row)
    await Promise.all(next.map((key) => this.#store.bind(key, row.sessionId)))
    await this.#store.bind(nextKey, JSON.stringify(row))
    await Promise.all(old.map((key) => this.#store.unbind(key)))
    const rows = await this.#store.list(rowPrefix(row.sessionId), undefined, 20)
    const others = rows.filter(({ key }) => key < nextKey)
    await Promise.all(others.map(({ key }) => this.#store.unbind(key)))
  }

  async remove(session: string): Promise<void> {
    const rows = await this.#store.list(rowPrefix(session), undefined, 20)
    const keys = rows.flatMap(({ key, value }) => [...filedUnder(JSON.parse(value) as SessionRow), key])
    await Promise.all(keys.map((key) => this.#store.unbind(key)))
  }

  /** The sessions of a tenant, last used first. A page may have fewer than `limit`, or none, and still a next one. */
  async list(
    { tenant }: Principal,
    filter: SessionFilter,
    { after, limit }: { readonly after?: string | undefined; readonly limit: number },
  ): Promise<Page<SessionRow>> {
    const under = filePrefix(tenant, filter)
    if (after !== undefined && !/^\d{13}:[^\s]+$/.test(after)) {
      throw new BeachError('BAD_REQUEST', 'That page does not exist. Use the `next` value of the page before.')
    }
    const items: SessionRow[] = []
    let at = after ?? (filter.to === undefined ? undefined : timeKey(filter.to))
    for (let looked = 0; looked < maxLooked;) {
      const keys = await this.#store.list(under, at === undefined ? undefined : under + at, keyPage)
      const rows = await Promise.all(keys.map(({ value }) => this.row(value)))
      for (const [index, { key }] of keys.entries()) {
        at = key.slice(under.length)
        const row = rows[index]
        if (row === undefined || !filedUnder(row).includes(key)) {
          if (this.#clock.now() - timeIn(at) > outdatedAfterMs) await this.#store.unbind(key)
          continue
        }
        if (filter.from !== undefined && row.lastAt < filter.from) return { items }
        if (fits(row, filter)) items.push(row)
        if (items.length === limit) return { items, next: at }
      }
      looked += keys.length
      if (keys.length < keyPage) return { items }
      await yieldToEventLoop()
    }
    return { items, next: at }
  }
}

function fits(row: SessionRow, { state, principal, channel, words }: SessionFilter): boolean {
  if (state !== undefined && row.state !== state) return false
  if (channel !== undefined && !row.channels.includes(channel)) return false
  if (principal !== undefined && row.owner?.id !== principal && ownerKey(row) !== principal) return false
  if (words === undefined) return true
  const text = [row.sessionId, row.title, row.owner?.id ?? ''].join('\n').toLowerCase()
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

/** The keys by which a row is found, each ending with its time, the latest first, and its session. */
function filedUnder(row: SessionRow): string[] {
  const end = `${timeKey(row.lastAt)}${row.sessionId}`
  const owner = ownerKey(row)
  return [
    fileKey(row.tenant, 'all', ''),
    fileKey(row.tenant, 'state', row.state),
    ...(owner === undefined ? [] : [fileKey(row.tenant, 'owner', owner)]),
    ...row.channels.map((channel) => fileKey(row.tenant, 'channel', channel)),
  ].map((key) => key + end)
}

/** Where the filter has the fewest to look at. */
function filePrefix(tenant: string, { state, principal, channel }: SessionFilter): string {
  if (principal?.includes('~') === true) return fileKey(tenant, 'owner', principal)
  if (state !== undefined) return fileKey(tenant, 'state', state)
  return channel === undefined ? fileKey(tenant, 'all', '') : fileKey(tenant, 'channel', channel)
}

function fileKey(tenant: string, kind: string, value: string): string {
  return `inspect:by:${encodeURIComponent(tenant)}:${kind}:${encodeURIComponent(value)}:`
}

function timeKey(at: number): string {
  return `${String(farFuture - Math.floor(at)).padStart(13, '0')}:`
}

/** The time in what follows the prefix of a key. */
function timeIn(end: string): number {
  return farFuture - Number(end.slice(0, 13))
}

function ownerKey({ owner, tenant }: SessionRow): string | undefined {
  return owner && principalKey({ kind: owner.kind as Principal['kind'], id: owner.id, tenant })
}

function rowPrefix(session: string): string {
  return `inspect:row:${session}:`
}

function rowKey({ sessionId, seq }: SessionRow): string {
  return `${rowPrefix(sessionId)}${String(seq).padStart(16, '0')}`
}
