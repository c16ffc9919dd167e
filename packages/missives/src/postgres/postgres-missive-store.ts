import { BeachError, systemRuntime, type Runtime } from '@cool-ai/beach-core'
import type { Page } from '@cool-ai/beach-core/ports'
import {
  encodeKey,
  escapeNull,
  unescapeNull,
  type PostgresDatabase,
  type Statement,
} from '@cool-ai/beach-core/postgres'
import type { Address } from '../identities/address.ts'
import { withLargeParts, type PartLog } from '../missives/large-parts.ts'
import { pageLimit, pageOf, toCursor } from '../missives/missive-page.ts'
import { codecFor, readableMissives, tenantOfPlace, type MissiveCodec } from '../missives/missive-codec.ts'
import { toKept } from '../missives/missive-row.ts'
import type {
  AgeQuery,
  MissiveChange,
  MissiveStore,
  Participation,
  ReadPosition,
  StoredQuery,
} from '../missives/missive-store.ts'
import type { Missive } from '../missives/missive.ts'
import { digest } from './digest.ts'
import { MissiveChanges, needsDeliveries } from './missive-changes.ts'
import { addAge, Filter, missiveFilter, wholeMs } from './missive-filter.ts'
import { missiveColumns, missiveNames, missiveStatements, type MissiveStatements } from './missive-statements.ts'
import { missiveTables, versionFor } from './missive-tables.ts'
import { ProjectionVersions } from './projection-versions.ts'

/** Whose clock and ids a store of missives has. */
export interface PostgresMissiveStoreOptions {
  readonly database: PostgresDatabase
  readonly runtime?: Runtime | undefined
  /** The sessions' logs: large parts are read from there, and kept a second time where this is left out. */
  readonly log?: PartLog | undefined
  /** How they are written; readable when left out. Those that are encrypted have tables of their own. */
  readonly codec?: MissiveCodec | undefined
}

/** Missives in a PostgreSQL database, for any number of processes, with an index of their words. */
export class PostgresMissiveStore implements MissiveStore {
  readonly #database: PostgresDatabase
  readonly #runtime: Runtime
  readonly #log: PartLog | undefined
  readonly #codec: MissiveCodec
  readonly #names: ReturnType<typeof missiveNames>
  readonly #sql: MissiveStatements
  readonly #versions: ProjectionVersions
  #closed = false

  /** Opens the store in a database, and makes its tables if they are missing. */
  static async open(options: PostgresMissiveStoreOptions): Promise<PostgresMissiveStore> {
    await options.database.use(missiveTables)
    const store = new PostgresMissiveStore(options)
    try {
      await store.#versions.use()
      return store
    } catch (error) {
      await store.close()
      throw error
    }
  }

  private constructor({
    database,
    runtime = systemRuntime(),
    log,
    codec = readableMissives,
  }: PostgresMissiveStoreOptions) {
    const version = versionFor(codec)
    this.#database = database
    this.#runtime = runtime
    this.#log = log
    this.#codec = codec
    this.#names = missiveNames(database.schema, version)
    this.#sql = missiveStatements(this.#names)
    this.#versions = new ProjectionVersions(database, runtime, version)
  }

  async place(session: string): Promise<ReadPosition | undefined> {
    const [row] = await this.#rows(this.#sql.place, [encodeKey(session)])
    this.#versions.touch()
    if (row === undefined) return undefined
    const text = await (this.#codec.openAnyText?.(String(row.state)) ?? this.#codec.openText(String(row.state)))
    return { seq: Number(row.seq), state: JSON.parse(text) as unknown }
  }

  async write(
    session: string,
    after: number,
    place: ReadPosition,
    changes: readonly MissiveChange[],
  ): Promise<boolean> {
    const id = encodeKey(session)
    const long = id.length < session.length ? escapeNull(session) : null
    const token = this.#runtime.id('write')
    const codec = await codecFor(this.#codec, tenantOfPlace(place))
    if (changes.some(({ kind }) => kind === 'erased')) await this.#versions.dropElsewhere(id)
    const { rows, isRepeated } = await this.#write(this.#sql.write, [
      id,
      after,
      place.seq,
      codec.text(JSON.stringify(place.state)),
      token,
      long,
      ...(await this.#folded(id, changes, codec)).parameters(),
    ])
    // Its answer may have been lost, and it was sent again.
    return rows.length > 0 || (isRepeated && (await this.#rows(this.#sql.place, [id]))[0]?.token === token)
  }

  /** Read before the write: that does nothing when another process has come in between. */
  async #folded(id: string, changes: readonly MissiveChange[], codec: MissiveCodec): Promise<MissiveChanges> {
    const missives = changes.flatMap((change) =>
      change.kind === 'delivery' && change.missiveId !== undefined ? digest(change.missiveId) : [],
    )
    const stored = changes.some(needsDeliveries) ? await this.#rows(this.#sql.deliverable, [id, missives]) : []
    const folded = new MissiveChanges(stored, { readsLog: this.#log !== undefined, codec })
    for (const change of changes) folded.add(change)
    return folded
  }

  async find(query: StoredQuery): Promise<Page<Missive>> {
    const limit = pageLimit(query.limit)
    const { missive, correspondent } = this.#names
    const codec = await codecFor(this.#codec, query.tenant)
    const filter = missiveFilter(query, this.#names, codec)
    const text = `
      SELECT ${missiveColumns} FROM ${missive} m
      JOIN ${correspondent} c ON c.session = m.session AND c.correspondent = m.correspondent
      WHERE ${filter.sql} ORDER BY m.at DESC, m.id DESC LIMIT ${limit + 1}`
    const rows = await this.#rows(unnamed(text), filter.values)
    const page = pageOf(
      rows,
      limit,
      (row) => toKept(row, codec),
      ({ at, id }) => toCursor({ at: Number(at), id: Number(id) }),
    )
    return { ...page, items: await Promise.all(page.items.map((kept) => withLargeParts(kept, this.#log))) }
  }

  async get(missiveId: string, tenant: string): Promise<Missive | undefined> {
    const [row] = await this.#rows(this.#sql.get, [digest(missiveId), encodeKey(tenant)])
    return row && withLargeParts(toKept(row, await codecFor(this.#codec, tenant)), this.#log)
  }

  async sessions(after = '', limit = 500): Promise<string[]> {
    return texts(await this.#rows(this.#sql.sessions, [encodeKey(after), limit]), 'session')
  }

  async involving(tenant: string, addresses: readonly Address[]): Promise<Participation[]> {
    const codec = await codecFor(this.#codec, tenant)
    const rows = await this.#rows(this.#sql.involving, [
      addresses.map((address) => digest(tenant, codec.name(address))),
    ])
    const found = new Map<string, Participation>()
    for (const { about, is_owner: isOwner } of rows) {
      const { sessionId, correspondent } = JSON.parse(codec.openText(String(about))) as Missive
      const { originatorId } = correspondent
      const key = digest(sessionId, originatorId)
      found.set(key, { sessionId, originatorId, isOwner: isOwner === true || found.get(key)?.isOwner === true })
    }
    return [...found.values()]
  }

  async agedSessions(query: AgeQuery, after = '', limit = 500): Promise<string[]> {
    const { missive, correspondent, place } = this.#names
    const filter = addAge(new Filter(encodeKey(after), limit), query)
    const text = `
      SELECT coalesce(p.long, aged.session) AS session FROM (
        SELECT DISTINCT m.session FROM ${missive} m
        JOIN ${correspondent} c ON c.session = m.session AND c.correspondent = m.correspondent
        WHERE m.session > $1 AND ${filter.sql} ORDER BY m.session LIMIT $2) AS aged
      LEFT JOIN ${place} p ON p.session = aged.session ORDER BY aged.session`
    return texts(await this.#rows(unnamed(text), filter.values), 'session')
  }

  async forgetAged(session: string, query: AgeQuery): Promise<number> {
    const id = encodeKey(session)
    const { missive, correspondent } = this.#names
    const filter = addAge(new Filter(id), query)
    const text = `
      DELETE FROM ${missive} m USING ${correspondent} c
      WHERE m.session = $1 AND c.session = $1 AND c.correspondent = m.correspondent AND ${filter.sql} RETURNING 1`
    let count = 0
    await this.#changeSession(id, async (rows) => {
      // When it runs again after a commit whose answer was lost, nothing is left to delete.
      count = Math.max(count, (await rows(unnamed(text), filter.values)).length)
      await rows(this.#sql.forgetSilentAddresses, [id])
      await rows(this.#sql.forgetSilent, [id])
    })
    return count
  }

  async forgetArtifacts(session: string, before: number): Promise<void> {
    await this.#write(this.#sql.forgetArtifacts, [encodeKey(session), wholeMs(Math.floor(before))])
  }

  async artifactsOf(session: string): Promise<string[]> {
    return texts(await this.#rows(this.#sql.artifactsOf, [encodeKey(session)]), 'name')
  }

  async unnamed(artifactIds: readonly string[], now: number): Promise<ReadonlyMap<string, number>> {
    const ids = new Map(artifactIds.map((id) => [digest(id), id]))
    // In one order, so that two processes do not wait for each other.
    const sorted = [...ids.keys()].toSorted()
    const { rows } = await this.#write(this.#sql.unnamed, [sorted, Math.floor(now)])
    const since = new Map(rows.map((row) => [String(row.artifact), Number(row.since)]))
    return new Map([...ids].flatMap(([key, id]) => (since.has(key) ? [[id, since.get(key) ?? now]] : [])))
  }

  async collected(artifactId: string): Promise<void> {
    await this.#write(this.#sql.collected, [digest(artifactId)])
  }

  async drop(session: string): Promise<void> {
    const id = encodeKey(session)
    await this.#versions.dropElsewhere(id)
    const { place, correspondent, address, missive, artifact } = this.#names
    await this.#changeSession(id, async (rows) => {
      for (const table of [place, missive, address, correspondent, artifact]) {
        await rows({ name: `missives.drop.${table}`, text: `DELETE FROM ${table} WHERE session = $1` }, [id])
      }
    })
  }

  async clear(): Promise<void> {
    this.#open()
    await this.#database.transaction(({ rows }) => rows(this.#sql.clear))
  }

  async check(): Promise<void> {
    this.#open()
    await this.#database.check()
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.#database.close()
  }

  /** Runs statements that no write to the session comes in between. */
  async #changeSession(
    id: string,
    run: (rows: (statement: Statement, values?: readonly unknown[]) => Promise<readonly unknown[]>) => Promise<void>,
  ): Promise<void> {
    this.#open()
    await this.#database.transaction(async ({ rows }) => {
      await rows(this.#sql.lockPlace, [id])
      await run(rows)
    })
  }

  #open(): void {
    if (this.#closed) throw new BeachError('STORE_CLOSED', 'The store is closed.')
  }

  async #rows(statement: Statement, values: readonly unknown[]) {
    this.#open()
    return this.#database.rows(statement, values)
  }

  async #write(statement: Statement, values: readonly unknown[]) {
    this.#open()
    return this.#database.write(statement, values, { durable: true })
  }
}

/** A statement that is planned anew each time, for the values that it is about. */
function unnamed(text: string): Statement {
  return { name: '', text }
}

function texts(rows: readonly Readonly<Record<string, unknown>>[], column: string): string[] {
  return rows.map((row) => unescapeNull(String(row[column])))
}
