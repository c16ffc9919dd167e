import { encodeKey, escapeNull, namedStatements, unescapeNull, type Transaction } from '@cool-ai/beach-core/postgres'
import type { IdentityEvent } from '../identities/identity-store.ts'
import { digest } from '../postgres/digest.ts'
import type { IdentityRecord } from './identity-records.ts'

type Rows = Transaction['rows']

const pageSize = 500

/** Gives everything that the identity store in a schema holds. */
export async function readPostgresIdentities(
  rows: Rows,
  schema: string,
  take: (record: IdentityRecord) => Promise<void>,
): Promise<void> {
  const sql = statements(schema)
  for (let after: unknown[] = ['', '00000000-0000-0000-0000-000000000000']; ;) {
    const page = await rows(sql.addresses, [...after, pageSize])
    for (const { tenant, address, person } of page) {
      const texts = { tenant: unescapeNull(String(tenant)), address: unescapeNull(String(address)) }
      await take({ kind: 'address', ...texts, person: String(person) })
    }
    if (page.length < pageSize) break
    after = [page.at(-1)?.tenant, page.at(-1)?.key]
  }
  let number = 0
  for (let after = 0; ;) {
    const page = await rows(sql.events, [after, pageSize])
    for (const { tenant, about } of page) {
      const event = JSON.parse(String(about)) as IdentityEvent
      await take({ kind: 'identityEvent', number: ++number, tenant: unescapeNull(String(tenant)), event })
    }
    if (page.length < pageSize) break
    after = Number(page.at(-1)?.id)
  }
}

/** Writes records of another store; in one transaction with the note that says so, since they may not be repeated. */
export async function writePostgresIdentities(
  rows: Rows,
  schema: string,
  records: readonly IdentityRecord[],
): Promise<void> {
  const sql = statements(schema)
  for (const record of records) {
    const tenant = encodeKey(record.tenant)
    if (record.kind === 'address') {
      await rows(sql.addAddress, [tenant, digest(record.address), escapeNull(record.address), record.person])
    } else {
      const { addresses, by } = record.event
      const named = new Set([...addresses, ...(by === undefined ? [] : [by])].map((address) => digest(address)))
      await rows(sql.addEvent, [tenant, JSON.stringify(record.event), [...named], `import ${record.number}`])
    }
  }
}

/** Whether a schema has no identities. */
export async function hasNoPostgresIdentities(rows: Rows, schema: string): Promise<boolean> {
  const [row] = await rows(statements(schema).isEmpty)
  return row?.empty === true
}

function statements(schema: string) {
  return namedStatements('moving_identities', {
    addresses: `
      SELECT tenant, key, address, person FROM ${schema}.identity_address
      WHERE (tenant, key) > ($1, $2::uuid) ORDER BY tenant, key LIMIT $3`,
    events: `SELECT id, tenant, about FROM ${schema}.identity_event WHERE id > $1 ORDER BY id LIMIT $2`,
    addAddress: `
      INSERT INTO ${schema}.identity_address (tenant, key, address, person) VALUES ($1, $2::uuid, $3, $4)`,
    addEvent: `
      INSERT INTO ${schema}.identity_event (tenant, about, named, operation) VALUES ($1, $2, $3::uuid[], $4)`,
    isEmpty: `
      SELECT NOT EXISTS (SELECT FROM ${schema}.identity_address)
        AND NOT EXISTS (SELECT FROM ${schema}.identity_event) AS empty`,
  })
}
