import { systemRuntime, type Part, type Runtime } from '@cool-ai/beach-core'
import type { Page } from '@cool-ai/beach-core/ports'
import type { SqliteFile } from '@cool-ai/beach-core/sqlite'
import type { Address } from '../identities/address.ts'
import { withLargeParts, type PartLog } from '../missives/large-parts.ts'
import { pageLimit, pageOf, toCursor } from '../missives/missive-page.ts'
import type {
  AgeQuery,
  Participation,
  MissiveChange,
  MissiveStore,
  ReadPosition,
  StoredQuery,
} from '../missives/missive-store.ts'
import { codecFor, readableMissives, tenantOfPlace, type MissiveCodec } from '../missives/missive-codec.ts'
import { indexed, textOf, type PartPosition } from '../missives/missive-parts.ts'
import type { Missive, MissiveDelivery } from '../missives/missive.ts'
import { openDatabase } from './database.ts'
import { ageFilter, missiveFilter, type Filter } from './missive-filter.ts'
import {
  codeOf,
  deliveryColumns,
  deliveryOf,
  directionOf,
  isPlace,
  packed,
  scopeOf,
  toKept,
  type StoredMissive,
  type Row,
} from '../missives/missive-row.ts'
import { missiveColumns, missiveSchema, missiveStatements, missiveTables } from './missive-schema.ts'

export interface SqliteMissiveStoreOptions {
  readonly path: string
  readonly runtime?: Runtime | undefined
  /** The sessions' logs: large parts are read from there, and kept a second time where this is left out. */
  readonly log?: PartLog | undefined
  /** How they are written; readable when left out. A file that was written in another way is made anew. */
  readonly codec?: MissiveCodec | undefined
}

/** Missives in a SQLite file of their own, with an index of their words. The file may be deleted: it is made anew. */
export class SqliteMissiveStore implements MissiveStore {
  readonly #file: SqliteFile
  readonly #log: PartLog | undefined
  readonly #codec: MissiveCodec
  readonly #sql: ReturnType<typeof missiveStatements>

  static async open(options: SqliteMissiveStoreOptions): Promise<SqliteMissiveStore> {
    const { path, log, codec = readableMissives, runtime = systemRuntime() } = options
    return new SqliteMissiveStore(await openDatabase(path, missiveSchema(codec.id), runtime), log, codec)
  }

  private constructor(file: SqliteFile, log: PartLog | undefined, codec: MissiveCodec) {
    this.#file = file
    this.#log = log
    this.#codec = codec
    this.#sql = missiveStatements(file.db)
  }

  async place(session: string): Promise<ReadPosition | undefined> {
    const row = await this.#file.read(() => this.#sql.place.get(session))
    if (row === undefined) return undefined
    const text = (await this.#codec.openAnyText?.(String(row.state))) ?? this.#codec.openText(String(row.state))
    return { seq: Number(row.seq), state: JSON.parse(text) as unknown }
  }

  async write(
    session: string,
    after: number,
    place: ReadPosition,
    changes: readonly MissiveChange[],
  ): Promise<boolean> {
    const codec = await codecFor(this.#codec, tenantOfPlace(place))
    const isWritten = await this.#file.write(() => {
      if (Number(this.#sql.place.get(session)?.seq ?? 0) !== after) return false
      for (const change of changes) this.#change(session, change, codec)
      this.#sql.setPlace.run(session, place.seq, codec.text(JSON.stringify(place.state)))
      return true
    })
    if (isWritten && changes.some(({ kind }) => kind === 'erased')) await this.#file.emptyJournal()
    return isWritten
  }

  async find(query: StoredQuery): Promise<Page<Missive>> {
    const codec = await codecFor(this.#codec, query.tenant)
    const page = await this.#file.read(() => {
      const limit = pageLimit(query.limit)
      const { sql, values } = missiveFilter(query, codec)
      const from = query.words === undefined ? 'missive m' : 'missive_text JOIN missive m ON m.id = missive_text.rowid'
      const rows = this.#file.db
        .prepare(
          `SELECT ${missiveColumns} FROM ${from} JOIN correspondent c ON c.id = m.correspondent WHERE ${sql}
           ORDER BY m.at DESC, m.id DESC LIMIT ?`,
        )
        .all(...values, limit + 1)
      return pageOf(
        rows,
        limit,
        (row) => toKept(row, codec),
        ({ at, id }) => toCursor({ at: Number(at), id: Number(id) }),
      )
    })
    return { ...page, items: await Promise.all(page.items.map((kept) => withLargeParts(kept, this.#log))) }
  }

  async get(missiveId: string, tenant: string): Promise<Missive | undefined> {
    const codec = await codecFor(this.#codec, tenant)
    const kept = await this.#file.read(() => this.#byMissive(missiveId, codec)?.kept)
    return kept?.tenant === tenant ? withLargeParts(kept, this.#log) : undefined
  }

  sessions(after = '', limit = 500): Promise<string[]> {
    return this.#file.read(() => column(this.#sql.sessions.all(after, limit), 'session'))
  }

  involving(tenant: string, persons: readonly Address[]): Promise<Participation[]> {
    const addresses = persons.map((address) => this.#codec.name(address))
    const marks = addresses.map(() => '?').join(', ')
    return this.#file.read(() =>
      this.#file.db
        .prepare(
          `SELECT session, originator, max(is_owner) AS is_owner FROM (
             SELECT session, originator, 1 AS is_owner FROM correspondent WHERE tenant = ? AND owner IN (${marks})
             UNION ALL
             SELECT session, originator, 0 FROM correspondent
             WHERE id IN (SELECT correspondent FROM correspondent_address WHERE tenant = ? AND address IN (${marks})))
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
    return this.#file.read(() => {
      const rows = this.#file.db
        .prepare(
          `SELECT DISTINCT c.session FROM correspondent c WHERE c.session > ? AND EXISTS (
             SELECT 1 FROM missive m WHERE m.correspondent = c.id AND ${sql}) ORDER BY c.session LIMIT ?`,
        )
        .all(after, ...values, limit)
      return column(rows, 'session')
    })
  }

  async forgetAged(session: string, query: AgeQuery): Promise<number> {
    const { sql, values } = ageFilter(query)
    const filter = { sql: `c.session = ? AND ${sql}`, values: [session, ...values] }
    const codec = await this.#codecOf(session)
    const count = await this.#file.write(() => this.#forget(session, filter, codec))
    if (count > 0) await this.#file.emptyJournal()
    return count
  }

  async forgetArtifacts(session: string, before: number): Promise<void> {
    await this.#file.write(() => this.#sql.unname.run(session, Math.floor(before)))
  }

  artifactsOf(session: string): Promise<string[]> {
    return this.#file.read(() => column(this.#sql.artifactsOf.all(session), 'artifact'))
  }

  unnamed(artifactIds: readonly string[], now: number): Promise<ReadonlyMap<string, number>> {
    return this.#file.write(() => {
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
    await this.#file.write(() => this.#sql.forgetUnnamed.run(artifactId))
  }

  async drop(session: string): Promise<void> {
    const codec = await this.#codecOf(session)
    await this.#file.write(() => {
      this.#erase(session, codec)
      this.#sql.dropPlace.run(session)
    })
    await this.#file.emptyJournal()
  }

  async clear(): Promise<void> {
    await this.#file.write(() => {
      for (const table of missiveTables) this.#file.db.exec(`DELETE FROM ${table}`)
      this.#sql.forgetAllText.run()
    })
    await this.#file.emptyJournal()
  }

  check(): Promise<void> {
    return this.#file.check()
  }

  async close(): Promise<void> {
    this.#file.close()
  }

  async #codecOf(session: string): Promise<MissiveCodec> {
    const row = await this.#file.read(() => this.#sql.tenantOf.get(session))
    return codecFor(this.#codec, row && String(row.tenant))
  }

  #change(session: string, change: MissiveChange, codec: MissiveCodec): void {
    switch (change.kind) {
      case 'missive':
        return this.#put(change.missive, change.places ?? [], codec)
      case 'delivery': {
        const { missiveId, delivery } = change
        const found = missiveId === undefined ? undefined : this.#byMissive(missiveId, codec)?.row
        const byId = missiveId === undefined ? this.#sql.byDelivery.all(session, delivery.deliveryId ?? '') : []
        const rows = found === undefined ? byId : [found]
        for (const row of rows) this.#setDelivery(row, delivery, codec)
        return
      }
      case 'left':
        for (const row of this.#sql.waitingFor.all(session, change.originatorId)) {
          if (deliveryOf(row, codec).state === 'queued')
            this.#setDelivery(row, { state: 'dropped', at: change.at }, codec)
        }
        return
      case 'artifacts':
        for (const id of change.artifactIds) this.#sql.name.run(id, session, Math.floor(change.at))
        return
      case 'erased':
        return this.#erase(session, codec, change.originatorIds)
    }
  }

  #put(missive: Missive, places: readonly (PartPosition | undefined)[], codec: MissiveCodec): void {
    const { missiveId, tenant, direction, delivery, parts, at, seq, turnId, turnState } = missive
    const before = this.#byMissive(missiveId, codec)
    if (before !== undefined) this.#forgetOne(before.row, codec)
    const text = indexed(textOf(parts))
    const kept = parts.map((part, index) => {
      const place = this.#log && places[index]
      return place === undefined ? part : { in: place }
    })
    const words = kept.every((part, index) => part === parts[index]) ? undefined : text
    this.#sql.addTenant.run(tenant)
    const { lastInsertRowid: id } = this.#sql.put.run(
      codeOf(missiveId),
      tenant,
      this.#correspondent(missive, codec),
      direction === 'in' ? 0 : 1,
      Math.floor(at),
      ...deliveryColumns(delivery, missive, codec),
      codec.bytes(packed({ missiveId, seq, turnId, turnState, parts: kept, words }), missive.sessionId),
    )
    if (text !== '') this.#sql.putText.run(id, scopeOf(tenant), codec.indexed(text))
  }

  #correspondent(missive: Missive, codec: MissiveCodec): number {
    const { tenant, sessionId, threadId, channel, correspondent, owner } = missive
    const about = codec.text(JSON.stringify({ tenant, sessionId, threadId, channel, correspondent, owner }))
    const known = this.#sql.correspondent.get(sessionId, about)
    if (known !== undefined) return Number(known.id)
    const { originatorId, addresses } = correspondent
    const added = this.#sql.putCorrespondent.run(
      tenant,
      sessionId,
      originatorId,
      threadId,
      channel,
      owner === undefined ? null : codec.name(owner),
      about,
    )
    const id = Number(added.lastInsertRowid)
    for (const address of new Set(addresses)) this.#sql.putAddress.run(tenant, codec.name(address), id)
    return id
  }

  #byMissive(missiveId: string, codec: MissiveCodec): { readonly row: Row; readonly kept: StoredMissive } | undefined {
    for (const row of this.#sql.byCode.all(codeOf(missiveId))) {
      const kept = toKept(row, codec)
      if (kept.missiveId === missiveId) return { row, kept }
    }
    return undefined
  }

  #setDelivery(row: Row, change: Partial<MissiveDelivery>, codec: MissiveCodec): void {
    const delivery = { ...deliveryOf(row, codec), ...change }
    const columns = deliveryColumns(delivery, { direction: directionOf(row), at: Number(row.at) }, codec)
    this.#sql.setDelivery.run(...columns, Number(row.id))
  }

  #erase(session: string, codec: MissiveCodec, originatorIds?: readonly string[]): void {
    if (originatorIds === undefined) {
      this.#forget(session, { sql: 'c.session = ?', values: [session] }, codec)
      this.#sql.unname.run(session, Number.MAX_SAFE_INTEGER)
      return
    }
    for (const id of originatorIds) {
      this.#forget(session, { sql: 'c.session = ? AND c.originator = ?', values: [session, id] }, codec)
    }
  }

  /** Deletes missives, m, of correspondents, c, of a session, with all that leads to them. */
  #forget(session: string, { sql, values }: Filter, codec: MissiveCodec): number {
    const ids = this.#file.db
      .prepare(`SELECT m.id FROM correspondent c JOIN missive m ON m.correspondent = c.id WHERE ${sql}`)
      .all(...values)
    for (const { id } of ids) {
      const row = this.#sql.byId.get(Number(id))
      if (row !== undefined) this.#forgetOne(row, codec)
    }
    for (const { id } of this.#sql.silent.all(session)) {
      this.#sql.forgetAddresses.run(Number(id))
      this.#sql.forgetCorrespondent.run(Number(id))
    }
    return ids.length
  }

  #forgetOne(row: Row, codec: MissiveCodec): void {
    const id = Number(row.id)
    const { tenant, parts, words } = toKept(row, codec)
    const text = words ?? indexed(textOf(parts.filter((part): part is Part => !isPlace(part))))
    if (text !== '') this.#sql.forgetText.run(id, scopeOf(tenant), codec.indexed(text))
    this.#sql.forgetMissive.run(id)
  }
}

function column(rows: readonly Row[], name: string): string[] {
  return rows.map((row) => String(row[name]))
}
