import { namedStatements } from '@cool-ai/beach-core/postgres'
import { maxEvents } from '../identities/identity-store.ts'

export type IdentityStatements = ReturnType<typeof identityStatements>

/** Rows of all tenants that have had their time are removed a few at a time, and not while another process does it. */
const removedAtOnce = 100

export function identityStatements(schema: string) {
  const address = `${schema}.identity_address`
  const join = `${schema}.identity_join`
  const started = `${schema}.identity_join_started`
  const event = `${schema}.identity_event`
  return namedStatements('identities', {
    // In the order that is given.
    lock: 'SELECT pg_advisory_xact_lock(key) FROM unnest($1::bigint[]) AS key',
    personOf: `
      SELECT person, address FROM ${address} WHERE tenant = $1
      AND person = (SELECT person FROM ${address} WHERE tenant = $1 AND key = $2) ORDER BY address`,
    persons: `SELECT key, person FROM ${address} WHERE tenant = $1 AND key = ANY($2::uuid[])`,
    addresses: `SELECT key, address, person FROM ${address} WHERE tenant = $1 AND person = ANY($2) ORDER BY address`,
    set: `
      INSERT INTO ${address} (tenant, key, address, person)
      SELECT $1, key, address, $4 FROM unnest($2::uuid[], $3::text[]) AS given (key, address)
      ON CONFLICT (tenant, key) DO UPDATE SET person = excluded.person`,
    remove: `DELETE FROM ${address} WHERE tenant = $1 AND key = ANY($2::uuid[])`,
    // $2 sender, $3 receiver, $4 from when, $5 until when
    countStarted: `
      SELECT count(*) FILTER (WHERE sender_key = $2) AS sent, count(*) FILTER (WHERE receiver_key = $3) AS received
      FROM ${started} WHERE tenant = $1 AND (sender_key = $2 OR receiver_key = $3) AND at > $4::bigint AND at <= $5::bigint`,
    started: `INSERT INTO ${started} (tenant, sender_key, receiver_key, at) VALUES ($1, $2, $3, $4)`,
    forgetStarted: `
      DELETE FROM ${started} WHERE id IN (
        SELECT id FROM ${started} WHERE at <= $1::bigint LIMIT ${removedAtOnce} FOR UPDATE SKIP LOCKED)`,
    forgetExpired: `
      DELETE FROM ${join} WHERE (tenant, sender_key) IN (
        SELECT tenant, sender_key FROM ${join} WHERE expires_at <= $1::bigint
        LIMIT ${removedAtOnce} FOR UPDATE SKIP LOCKED)`,
    openJoin: `
      INSERT INTO ${join} (tenant, sender_key, receiver_key, sender, receiver, code_hash, expires_at, tries)
      VALUES ($1, $2, $3, $4, $5, $6, $7, 0)
      ON CONFLICT (tenant, sender_key) DO UPDATE SET receiver_key = excluded.receiver_key,
        receiver = excluded.receiver, code_hash = excluded.code_hash, expires_at = excluded.expires_at, tries = 0,
        used_by = NULL`,
    joinOf: `
      SELECT receiver, code_hash, expires_at, tries, used_by FROM ${join} WHERE tenant = $1 AND sender_key = $2`,
    tried: `UPDATE ${join} SET tries = tries + 1 WHERE tenant = $1 AND sender_key = $2`,
    used: `UPDATE ${join} SET used_by = $3 WHERE tenant = $1 AND sender_key = $2`,
    forgetJoins: `
      DELETE FROM ${join} WHERE tenant = $1 AND (sender_key = ANY($2::uuid[]) OR receiver_key = ANY($2))`,
    forgetStartedOf: `
      DELETE FROM ${started} WHERE tenant = $1 AND (sender_key = ANY($2::uuid[]) OR receiver_key = ANY($2))`,
    note: `INSERT INTO ${event} (tenant, about, named, operation) VALUES ($1, $2, $3::uuid[], $4)`,
    isDone: `SELECT FROM ${event} WHERE tenant = $1 AND operation = $2`,
    forgetEvents: `
      DELETE FROM ${event} WHERE id IN (
        SELECT id FROM ${event} WHERE tenant = $1 AND id <= (
          SELECT id FROM ${event} WHERE tenant = $1 ORDER BY id DESC LIMIT 1 OFFSET ${maxEvents})
        ORDER BY id LIMIT ${removedAtOnce} FOR UPDATE SKIP LOCKED)`,
    eventsNaming: `
      SELECT id, about FROM ${event} WHERE tenant = $1 AND named && $2::uuid[] ORDER BY id FOR UPDATE`,
    setEvent: `UPDATE ${event} SET about = $2, named = $3::uuid[] WHERE id = $1`,
    events: `SELECT id, about FROM ${event} WHERE tenant = $1 AND id < $2 ORDER BY id DESC LIMIT $3`,
  })
}
