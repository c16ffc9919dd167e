import { BeachError, systemRuntime, type Runtime } from '@cool-ai/beach-core'
import type { Page } from '@cool-ai/beach-core/ports'
import { isOver } from '@cool-ai/beach-core/runtime'
import type { SqliteFile } from '@cool-ai/beach-core/sqlite'
import type { Address } from '../identities/address.ts'
import {
  codeMs,
  maxAddresses,
  maxEvents,
  maxTries,
  type IdentityEvent,
  type IdentityStore,
  type JoinLimits,
  type PendingJoin,
  type Person,
  type TriedCode,
} from '../identities/identity-store.ts'
import { withoutAddresses } from '../identities/memory-identity-store.ts'
import { pageLimit, pageOf } from '../missives/missive-page.ts'
import { openDatabase, type Schema } from './database.ts'

/** The tables of identities. */
export const identitySchema: Schema = {
  version: 1,
  settings: 'PRAGMA synchronous = FULL',
  refusal: 'The identities are of another version. Use the Beach version that wrote them, or another data folder.',
  whenDamaged:
    'Stop every process that uses it and copy what is readable into a new data folder: `npm run data -- rescue <folder> <new folder>`, or rescueData() of @cool-ai/beach.',
  tables: `
    CREATE TABLE address (
      tenant TEXT NOT NULL, address TEXT NOT NULL, person TEXT NOT NULL,
      PRIMARY KEY (tenant, address)) STRICT, WITHOUT ROWID;
    CREATE INDEX address_person ON address (tenant, person);
    CREATE TABLE open_join (
      tenant TEXT NOT NULL, sender TEXT NOT NULL, receiver TEXT NOT NULL, code_hash TEXT NOT NULL,
      expires_at INTEGER NOT NULL, tries INTEGER NOT NULL, PRIMARY KEY (tenant, sender)) STRICT, WITHOUT ROWID;
    CREATE TABLE join_started (
      tenant TEXT NOT NULL, sender TEXT NOT NULL, receiver TEXT NOT NULL, at INTEGER NOT NULL) STRICT;
    CREATE INDEX join_started_at ON join_started (at);
    CREATE TABLE identity_event (
      id INTEGER PRIMARY KEY AUTOINCREMENT, tenant TEXT NOT NULL, about TEXT NOT NULL) STRICT;
    CREATE INDEX identity_event_tenant ON identity_event (tenant, id);
  `,
}

/** Identities in a SQLite file of their own: it is not to be deleted, since nothing else has what is in it. */
export class SqliteIdentityStore implements IdentityStore {
  readonly #file: SqliteFile
  readonly #sql: ReturnType<typeof prepare>

  static async open(options: { path: string; runtime?: Runtime }): Promise<SqliteIdentityStore> {
    return new SqliteIdentityStore(await openDatabase(options.path, identitySchema, options.runtime ?? systemRuntime()))
  }

  private constructor(file: SqliteFile) {
    this.#file = file
    this.#sql = prepare(file)
  }

  personOf(tenant: string, address: Address): Promise<Person | undefined> {
    return this.#file.read(() => {
      const personId = this.#personId(tenant, address)
      return personId === undefined ? undefined : { personId, addresses: this.#addresses(tenant, personId) }
    })
  }

  join(
    tenant: string,
    addresses: readonly Address[],
    event: IdentityEvent,
    personId: string,
  ): Promise<Person | undefined> {
    return this.#file.write(() => {
      const known = addresses.flatMap((address) => this.#personId(tenant, address) ?? [])
      const all = new Set([...addresses, ...known.flatMap((id) => this.#addresses(tenant, id))])
      if (all.size > maxAddresses) return undefined
      const kept = known[0] ?? personId
      for (const address of all) this.#sql.set.run(tenant, address, kept)
      this.#note(tenant, event)
      return { personId: kept, addresses: this.#addresses(tenant, kept) }
    })
  }

  split(tenant: string, address: Address, event: IdentityEvent): Promise<boolean> {
    return this.#file.write(() => {
      const isSplit = this.#remove(tenant, address)
      if (isSplit) this.#note(tenant, event)
      return isSplit
    })
  }

  openJoin(tenant: string, join: PendingJoin, limits: JoinLimits, event: IdentityEvent): Promise<boolean> {
    return this.#file.write(() => {
      const { from, to, codeHash, startedAt, expiresAt } = join
      const since = Math.floor(limits.since)
      this.#sql.forgetStarted.run(since, Math.floor(startedAt))
      this.#sql.forgetExpired.run(Math.floor(startedAt))
      const { sent, received } = this.#sql.countStarted.get(from, to, tenant) ?? {}
      if (Number(sent ?? 0) >= limits.maxPerSender || Number(received ?? 0) >= limits.maxPerTarget) return false
      this.#sql.started.run(tenant, from, to, Math.floor(startedAt))
      this.#sql.openJoin.run(tenant, from, to, codeHash, Math.floor(expiresAt))
      this.#note(tenant, event)
      return true
    })
  }

  tryCode(tenant: string, from: Address, codeHash: string, now: number, refused: IdentityEvent): Promise<TriedCode> {
    return this.#file.write((): TriedCode => {
      const row = this.#sql.joinOf.get(tenant, from)
      if (row === undefined || isOver({ since: Number(row.expires_at) - codeMs, until: Number(row.expires_at) }, now))
        return { outcome: 'none' }
      if (row.code_hash === codeHash) {
        this.#sql.closeJoin.run(tenant, from)
        return { outcome: 'right', to: String(row.receiver) }
      }
      const triesLeft = maxTries - Number(row.tries) - 1
      this.#note(tenant, refused)
      if (triesLeft <= 0) this.#sql.closeJoin.run(tenant, from)
      else this.#sql.tried.run(tenant, from)
      return { outcome: 'wrong', triesLeft }
    })
  }

  async erase(tenant: string, addresses: readonly Address[], event: IdentityEvent): Promise<void> {
    const gone = new Set(addresses)
    await this.#file.write(() => {
      for (const address of gone) {
        this.#remove(tenant, address)
        this.#sql.forgetJoins.run(tenant, address, address)
        this.#sql.forgetStartedOf.run(tenant, address, address)
      }
      for (const { id, about } of this.#sql.allEvents.all(tenant)) {
        const before = JSON.parse(String(about)) as IdentityEvent
        const left = withoutAddresses(before, gone)
        if (left !== before) this.#sql.setEvent.run(JSON.stringify(left), Number(id))
      }
      this.#note(tenant, event)
    })
    await this.#file.emptyJournal()
  }

  events(tenant: string, after?: string, limit?: number): Promise<Page<IdentityEvent>> {
    const max = pageLimit(limit)
    if (after !== undefined && !/^\d{1,15}$/.test(after)) {
      throw new BeachError('BAD_REQUEST', 'That page does not exist. Use the `next` value of the page before.')
    }
    return this.#file.read(() => {
      const rows = this.#sql.events.all(tenant, after === undefined ? Number.MAX_SAFE_INTEGER : Number(after), max + 1)
      return pageOf(
        rows,
        max,
        ({ about }) => JSON.parse(String(about)) as IdentityEvent,
        ({ id }) => String(id),
      )
    })
  }

  check(): Promise<void> {
    return this.#file.check()
  }

  async close(): Promise<void> {
    this.#file.close()
  }

  #personId(tenant: string, address: Address): string | undefined {
    const row = this.#sql.personOf.get(tenant, address)
    return row && String(row.person)
  }

  #addresses(tenant: string, personId: string): Address[] {
    return this.#sql.addresses.all(tenant, personId).map(({ address }) => String(address))
  }

  /** A person with one address left is no person any more: that address stands alone. */
  #remove(tenant: string, address: Address): boolean {
    const personId = this.#personId(tenant, address)
    if (personId === undefined) return false
    this.#sql.remove.run(tenant, address)
    const [only, ...others] = this.#addresses(tenant, personId)
    if (only !== undefined && others.length === 0) this.#sql.remove.run(tenant, only)
    return true
  }

  #note(tenant: string, event: IdentityEvent): void {
    this.#sql.note.run(tenant, JSON.stringify(event))
    this.#sql.forgetEvents.run(tenant, maxEvents)
  }
}

function prepare({ db }: SqliteFile) {
  return {
    personOf: db.prepare('SELECT person FROM address WHERE tenant = ? AND address = ?'),
    addresses: db.prepare('SELECT address FROM address WHERE tenant = ? AND person = ? ORDER BY address'),
    set: db.prepare(
      `INSERT INTO address (tenant, address, person) VALUES (?, ?, ?)
       ON CONFLICT (tenant, address) DO UPDATE SET person = excluded.person`,
    ),
    remove: db.prepare('DELETE FROM address WHERE tenant = ? AND address = ?'),
    started: db.prepare('INSERT INTO join_started (tenant, sender, receiver, at) VALUES (?, ?, ?, ?)'),
    forgetStarted: db.prepare('DELETE FROM join_started WHERE at <= ? OR at > ?'),
    forgetStartedOf: db.prepare('DELETE FROM join_started WHERE tenant = ? AND (sender = ? OR receiver = ?)'),
    countStarted: db.prepare(
      'SELECT sum(sender = ?1) AS sent, sum(receiver = ?2) AS received FROM join_started WHERE tenant = ?3',
    ),
    openJoin: db.prepare(
      'INSERT OR REPLACE INTO open_join (tenant, sender, receiver, code_hash, expires_at, tries) VALUES (?, ?, ?, ?, ?, 0)',
    ),
    joinOf: db.prepare('SELECT receiver, code_hash, expires_at, tries FROM open_join WHERE tenant = ? AND sender = ?'),
    tried: db.prepare('UPDATE open_join SET tries = tries + 1 WHERE tenant = ? AND sender = ?'),
    closeJoin: db.prepare('DELETE FROM open_join WHERE tenant = ? AND sender = ?'),
    forgetJoins: db.prepare('DELETE FROM open_join WHERE tenant = ? AND (sender = ? OR receiver = ?)'),
    forgetExpired: db.prepare('DELETE FROM open_join WHERE expires_at <= ?'),
    forgetEvents: db.prepare(
      `DELETE FROM identity_event WHERE tenant = ?1 AND id <= (
         SELECT id FROM identity_event WHERE tenant = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)`,
    ),
    note: db.prepare('INSERT INTO identity_event (tenant, about) VALUES (?, ?)'),
    allEvents: db.prepare('SELECT id, about FROM identity_event WHERE tenant = ?'),
    setEvent: db.prepare('UPDATE identity_event SET about = ? WHERE id = ?'),
    events: db.prepare('SELECT id, about FROM identity_event WHERE tenant = ? AND id < ? ORDER BY id DESC LIMIT ?'),
  }
}
