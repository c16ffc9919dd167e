import type { Runtime } from '@cool-ai/beach-core'
import { DatabaseSync, type SqliteFile } from '@cool-ai/beach-core/sqlite'
import { openDatabase } from '../sqlite/database.ts'
import { identitySchema } from '../sqlite/sqlite-identity-store.ts'
import type { IdentityRecord } from './identity-records.ts'

/** Gives everything that a file of identities holds; processes may use the file meanwhile. */
export async function readSqliteIdentities(
  path: string,
  take: (record: IdentityRecord) => Promise<void>,
): Promise<void> {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 10_000 })
  try {
    db.exec('BEGIN')
    const addresses = db.prepare('SELECT tenant, address, person FROM address ORDER BY tenant, address')
    for (const { tenant, address, person } of addresses.iterate()) {
      await take({ kind: 'address', tenant: String(tenant), address: String(address), person: String(person) })
    }
    let number = 0
    for (const { tenant, about } of db.prepare('SELECT tenant, about FROM identity_event ORDER BY id').iterate()) {
      await take({ kind: 'identityEvent', number: ++number, tenant: String(tenant), event: JSON.parse(String(about)) })
    }
  } finally {
    db.close()
  }
}

/** A file that identities of another store are written to. The same record may be written again. */
export class SqliteIdentities {
  readonly #file: SqliteFile

  static async open(options: { path: string; runtime: Runtime }): Promise<SqliteIdentities> {
    return new SqliteIdentities(await openDatabase(options.path, identitySchema, options.runtime))
  }

  private constructor(file: SqliteFile) {
    this.#file = file
  }

  isEmpty(): Promise<boolean> {
    const empty = 'SELECT NOT EXISTS (SELECT 1 FROM address) AND NOT EXISTS (SELECT 1 FROM identity_event) AS empty'
    return this.#file.read(() => this.#file.db.prepare(empty).get()?.empty === 1)
  }

  write(records: readonly IdentityRecord[]): Promise<void> {
    const { db } = this.#file
    const address = db.prepare('INSERT OR REPLACE INTO address (tenant, address, person) VALUES (?, ?, ?)')
    const event = db.prepare('INSERT OR REPLACE INTO identity_event (id, tenant, about) VALUES (?, ?, ?)')
    return this.#file.write(() => {
      for (const record of records) {
        if (record.kind === 'address') address.run(record.tenant, record.address, record.person)
        else event.run(record.number, record.tenant, JSON.stringify(record.event))
      }
    })
  }

  close(): void {
    this.#file.close()
  }
}
