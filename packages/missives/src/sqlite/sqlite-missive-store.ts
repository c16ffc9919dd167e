import type { SQLOutputValue } from 'node:sqlite'
import { systemRuntime, type Page, type Runtime } from '@cool-ai/beach-core'
import type { Address } from '../identities/address.ts'
import { pageLimit, pageOf, toCursor } from '../missives/missive-page.ts'
import type {
  AgeQuery,
  Involvement,
  MissiveChange,
  MissiveStore,
  Place,
  StoredQuery,
} from '../missives/missive-store.ts'
import { textOf } from '../missives/missive-text.ts'
import type { Missive, MissiveDelivery } from '../missives/missive.ts'
import { indexed } from '../missives/search-text.ts'
import { Database } from './database.ts'
import { ageFilter, missiveFilter, scopeOf, type Filter } from './missive-filter.ts'
import { missiveSchema } from './missive-schema.ts'
import { missiveStatements } from './missive-statements.ts'

type Row = Record<string, SQLOutputValue>

/** Missives in a SQLite file of their own, with an index of their words. The file may be deleted: it is made anew. */
export class SqliteMissiveStore implements MissiveStore {
  readonly #database: Database
  readonly #sql: ReturnType<typeof missiveStatements>

  static async open(options: { path: string; runtime?: Runtime }): Promise<SqliteMissiveStore> {
    const runtime = options.runtime ?? systemRuntime()
    return new SqliteMissiveStore(await Database.open(options.path, missiveSchema, runtime))
  }

  private constructor(database: Database) {
    this.#database = database
    this.#sql = missiveStatements(database.db)
  }

  place(session: string): Promise<Place | undefined> {
    return this.#database.read(() => {
      const row = this.#sql.place.get(session)
      return row && { seq: Number(row.seq), state: JSON.parse(String(row.state)) as unknown }
    })
  }

  async write(session: string, after: number, place: Place, changes: readonly MissiveChange[]): Promise<boolean> {
    const isWritten = await this.#database.write(() => {
      if (Number(this.#sql.place.get(session)?.seq ?? 0) !== after) return false
      for (const change of changes) this.#change(session, change)
      this.#sql.setPlace.run(session, place.seq, JSON.stringify(place.state))
      return true
    })
    if (isWritten && changes.some(({ kind }) => kind === 'erased')) await this.#database.emptyJournal()
    return isWritten
  }

  find(query: StoredQuery): Promise<Page<Missive>> {
    return this.#database.read(() => {
      const limit = pageLimit(query.limit)
      const { sql, values } = missiveFilter(query)
      const from = query.words === undefined ? 'missive m' : 'missive_text JOIN missive m ON m.id = missive_text.rowid'
      const rows = this.#database.db
        .prepare(
          `SELECT m.id, m.at, m.delivery, m.about FROM ${from} WHERE ${sql} ORDER BY m.at DESC, m.id DESC LIMIT ?`,
        )
        .all(...values, limit + 1)
      return pageOf(rows, limit, toMissive, ({ at, id }) => toCursor({ at: Number(at), id: Number(id) }))
    })
  }

  get(missiveId: string, tenant: string): Promise<Missive | undefined> {
    return this.#database.read(() => {
      const row = this.#sql.get.get(missiveId, tenant)
      return row && toMissive(row)
    })
  }

  sessions(after = '', limit = 500): Promise<string[]> {
    return this.#database.read(() => column(this.#sql.sessions.all(after, limit), 'session'))
  }

  involving(tenant: string, addresses: readonly Address[]): Promise<Involvement[]> {
    const marks = addresses.map(() => '?').join(', ')
    return this.#database.read(() =>
      this.#database.db
        .prepare(
          `SELECT session, originator, max(is_owner) AS is_owner FROM (
             SELECT session, originator, 1 AS is_owner FROM missive WHERE tenant = ? AND owner IN (${marks})
             UNION ALL
             SELECT session, originator, 0 FROM missive
             WHERE id IN (SELECT missive FROM missive_address WHERE tenant = ? AND address IN (${marks})))
           GROUP BY session, originator`,
        )
        .all(tenant, ...addresses, tenant, ...addresses)
        .map(({ session, originator, is_owner: isOwner }) => ({
          sessionId: String(session),
          originatorId: String(originator),
          isOwner: Number(isOwner) === 1,
        })),
    )
  }

  agedSessions(query: AgeQuery, after = '', limit = 500): Promise<string[]> {
    const { sql, values } = ageFilter(query)
    return this.#database.read(() => {
      const rows = this.#database.db
        .prepare(`SELECT DISTINCT session FROM missive WHERE ${sql} AND session > ? ORDER BY session LIMIT ?`)
        .all(...values, after, limit)
      return column(rows, 'session')
    })
  }

  async forgetAged(session: string, query: AgeQuery): Promise<number> {
    const { sql, values } = ageFilter(query)
    const filter = { sql: `session = ? AND ${sql}`, values: [session, ...values] }
    const count = await this.#database.write(() => this.#forget(filter))
    if (count > 0) await this.#database.emptyJournal()
    return count
  }

  async forgetArtifacts(session: string, before: number): Promise<void> {
    await this.#database.write(() => this.#sql.unname.run(session, Math.floor(before)))
  }

  artifactsOf(session: string): Promise<string[]> {
    return this.#database.read(() => column(this.#sql.artifactsOf.all(session), 'artifact'))
  }

  unnamed(artifactIds: readonly string[], now: number): Promise<ReadonlyMap<string, number>> {
    return this.#database.write(() => {
      const found = new Map<string, number>()
      for (const id of artifactIds) {
        if (this.#sql.isNamed.get(id) !== undefined) this.#sql.forgetUnnamed.run(id)
        else {
          this.#sql.setUnnamed.run(id, Math.floor(now))
          found.set(id, Number(this.#sql.unnamed.get(id)?.since))
        }
      }
      return found
    })
  }

  async collected(artifactId: string): Promise<void> {
    await this.#database.write(() => this.#sql.forgetUnnamed.run(artifactId))
  }

  async drop(session: string): Promise<void> {
    await this.#database.write(() => {
      this.#erase(session)
      this.#sql.dropPlace.run(session)
    })
    await this.#database.emptyJournal()
  }

  async clear(): Promise<void> {
    await this.#database.write(() => {
      for (const table of [
        'place',
        'missive',
        'missive_address',
        'artifact_named',
        'artifact_unnamed',
        'missive_text',
      ]) {
        this.#database.db.exec(`DELETE FROM ${table}`)
      }
    })
    await this.#database.emptyJournal()
  }

  check(): Promise<void> {
    return this.#database.check()
  }

  async close(): Promise<void> {
    this.#database.close()
  }

  #change(session: string, change: MissiveChange): void {
    switch (change.kind) {
      case 'missive':
        return this.#put(change.missive)
      case 'delivery': {
        const { missiveId, delivery } = change
        const rows =
          missiveId === undefined
            ? this.#sql.byDelivery.all(session, delivery.deliveryId ?? '')
            : this.#sql.byMissive.all(missiveId)
        for (const row of rows) this.#setDelivery(row, delivery)
        return
      }
      case 'left':
        for (const row of this.#sql.byOriginator.all(session, change.originatorId)) {
          const { state } = JSON.parse(String(row.delivery)) as MissiveDelivery
          if (state === 'queued') this.#setDelivery(row, { state: 'dropped', at: change.at })
        }
        return
      case 'artifacts':
        for (const id of change.artifactIds) this.#sql.name.run(id, session, Math.floor(change.at))
        return
      case 'erased':
        return this.#erase(session, change.originatorIds)
    }
  }

  #put(missive: Missive): void {
    const { delivery, ...about } = missive
    const { missiveId, tenant, sessionId, threadId, direction, channel, correspondent, owner } = about
    for (const { id } of this.#sql.byMissive.all(missiveId)) this.#forgetOne(Number(id))
    const { lastInsertRowid: id } = this.#sql.put.run(
      missiveId,
      tenant,
      sessionId,
      threadId,
      direction,
      channel,
      correspondent.originatorId,
      owner ?? null,
      Math.floor(missive.at),
      delivery.deliveryId ?? null,
      JSON.stringify(delivery),
      JSON.stringify(about),
    )
    for (const address of new Set(correspondent.addresses)) this.#sql.putAddress.run(tenant, address, id)
    const text = indexed(textOf(missive.parts))
    if (text !== '') this.#sql.putText.run(id, scopeOf(tenant), text)
  }

  #setDelivery(row: Row, change: Partial<MissiveDelivery>): void {
    const delivery = { ...(JSON.parse(String(row.delivery)) as MissiveDelivery), ...change }
    this.#sql.setDelivery.run(delivery.deliveryId ?? null, JSON.stringify(delivery), Number(row.id))
  }

  #erase(session: string, originatorIds?: readonly string[]): void {
    if (originatorIds === undefined) {
      this.#forget({ sql: 'session = ?', values: [session] })
      this.#sql.unname.run(session, Number.MAX_SAFE_INTEGER)
      return
    }
    for (const id of originatorIds) this.#forget({ sql: 'session = ? AND originator = ?', values: [session, id] })
  }

  /** Deletes missives with all that leads to them. */
  #forget({ sql, values }: Filter): number {
    const rows = this.#database.db.prepare(`SELECT id FROM missive WHERE ${sql}`).all(...values)
    for (const { id } of rows) this.#forgetOne(Number(id))
    return rows.length
  }

  #forgetOne(id: number): void {
    for (const statement of [this.#sql.forgetText, this.#sql.forgetAddresses, this.#sql.forgetMissive])
      statement.run(id)
  }
}

function toMissive(row: Row): Missive {
  const about = JSON.parse(String(row.about)) as Omit<Missive, 'delivery'>
  return { ...about, delivery: JSON.parse(String(row.delivery)) as MissiveDelivery }
}

function column(rows: readonly Row[], name: string): string[] {
  return rows.map((row) => String(row[name]))
}
