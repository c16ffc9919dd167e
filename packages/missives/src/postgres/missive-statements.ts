import { namedStatements, relaxed } from '@cool-ai/beach-core/postgres'
import { tablesOf } from './missive-tables.ts'

export type MissiveStatements = ReturnType<typeof missiveStatements>

/** The columns of a missive, here called m, with those of its correspondent, c. */
export const missiveColumns = 'm.id, m.at, m.direction, m.delivery, m.body, c.about'

/** The tables of a version with their schema. */
export function missiveNames(schema: string, version: number) {
  const { place, correspondent, address, missive, artifact } = tablesOf(version)
  return {
    place: `${schema}.${place}`,
    correspondent: `${schema}.${correspondent}`,
    address: `${schema}.${address}`,
    missive: `${schema}.${missive}`,
    artifact: `${schema}.${artifact}`,
    unnamed: `${schema}.artifact_unnamed`,
  }
}

/** The statements that are always the same. Those that write may run twice. */
export function missiveStatements(names: ReturnType<typeof missiveNames>) {
  const { place, correspondent, address, missive, artifact, unnamed } = names
  const ofCorrespondent = 'c.session = m.session AND c.correspondent = m.correspondent'
  const isMoved = 'EXISTS (SELECT FROM moved)'

  return namedStatements('missives', {
    place: `SELECT seq, state, token FROM ${place} WHERE session = $1`,
    // A transaction that waits for it sees afterwards what the one before has done.
    lockPlace: `SELECT FROM ${place} WHERE session = $1 FOR UPDATE`,
    sessions: `SELECT coalesce(long, session) AS session FROM ${place} WHERE session > $1 ORDER BY session LIMIT $2`,
    get: `
      SELECT ${missiveColumns} FROM ${missive} m JOIN ${correspondent} c ON ${ofCorrespondent}
      WHERE m.missive = $1 AND m.tenant = $2 LIMIT 1`,
    // $2 missives: those, and all of the session whose delivery may still come further.
    deliverable: `
      SELECT m.missive, m.direction, m.at, m.delivery, c.originator FROM ${missive} m
      JOIN ${correspondent} c ON ${ofCorrespondent}
      WHERE m.session = $1 AND (m.delivery_id IS NOT NULL OR m.missive = ANY($2::uuid[]))`,
    // $1 session, $2 where it was read to, $3 where it is read to now, $4 state, $5 token, $6 its id when that is long,
    // $7 missives, $8 correspondents, $9 addresses, $10 deliveries, $11 whether all is erased, or $12 which originators,
    // $13 artifacts
    write: `
      WITH updated AS (
        UPDATE ${place} SET seq = $3, state = $4, token = $5
        WHERE session = $1 AND seq = $2::bigint AND token <> $5 RETURNING 1),
      inserted AS (
        INSERT INTO ${place} (session, seq, state, token, long)
        SELECT $1, $3, $4, $5, $6 WHERE $2::bigint = 0 AND NOT EXISTS (SELECT FROM updated)
        ON CONFLICT DO NOTHING RETURNING 1),
      moved AS (SELECT 1 FROM updated UNION ALL SELECT 1 FROM inserted),
      given AS (
        SELECT * FROM json_to_recordset($7::json) AS given (
          missive uuid, tenant text, correspondent uuid, direction smallint, at bigint, "deliveryId" text,
          delivery text, body text, words text)
        WHERE ${isMoved}),
      speaking AS (
        SELECT * FROM json_to_recordset($8::json) AS speaking (
          correspondent uuid, tenant text, originator uuid, thread uuid, channel text, owner uuid, about text)
        WHERE ${isMoved}),
      naming AS (
        SELECT * FROM json_to_recordset($13::json) AS naming (artifact uuid, name text, at bigint) WHERE ${isMoved}),
      gone AS (
        SELECT c.correspondent FROM ${correspondent} c
        WHERE c.session = $1 AND ($11::boolean OR c.originator = ANY($12::uuid[])) AND ${isMoved}),
      erased AS (
        DELETE FROM ${missive} m USING gone WHERE m.session = $1 AND m.correspondent = gone.correspondent
        AND NOT EXISTS (SELECT FROM given WHERE given.missive = m.missive)),
      silenced AS (
        DELETE FROM ${correspondent} c USING gone WHERE c.session = $1 AND c.correspondent = gone.correspondent
        AND NOT EXISTS (SELECT FROM speaking WHERE speaking.correspondent = c.correspondent)),
      unaddressed AS (
        DELETE FROM ${address} a USING gone WHERE a.session = $1 AND a.correspondent = gone.correspondent
        AND NOT EXISTS (SELECT FROM speaking WHERE speaking.correspondent = a.correspondent)),
      correspondents AS (
        INSERT INTO ${correspondent} (session, correspondent, tenant, originator, thread, channel, owner, about)
        SELECT $1, correspondent, tenant, originator, thread, channel, owner, about FROM speaking
        ON CONFLICT DO NOTHING),
      addresses AS (
        INSERT INTO ${address} (session, correspondent, address)
        SELECT $1, correspondent, address FROM json_to_recordset($9::json) AS reached (correspondent uuid, address uuid)
        WHERE ${isMoved} ON CONFLICT DO NOTHING),
      missives AS (
        INSERT INTO ${missive} AS own (
          session, missive, tenant, correspondent, direction, at, delivery_id, delivery, body, words)
        SELECT $1, missive, tenant, correspondent, direction, at, "deliveryId", delivery, decode(body, 'base64'),
          array_to_tsvector(string_to_array(words, ' ')) FROM given
        ON CONFLICT (session, missive) DO UPDATE SET tenant = excluded.tenant,
          correspondent = excluded.correspondent, direction = excluded.direction, at = excluded.at,
          delivery_id = excluded.delivery_id, delivery = excluded.delivery, body = excluded.body,
          words = excluded.words),
      delivered AS (
        UPDATE ${missive} m SET delivery_id = news."deliveryId", delivery = news.delivery
        FROM json_to_recordset($10::json) AS news (missive uuid, "deliveryId" text, delivery text)
        WHERE m.session = $1 AND m.missive = news.missive AND ${isMoved}),
      unnamed AS (
        DELETE FROM ${artifact} a WHERE a.session = $1 AND $11 AND ${isMoved}
        AND NOT EXISTS (SELECT FROM naming WHERE naming.artifact = a.artifact)),
      named AS (
        INSERT INTO ${artifact} (session, artifact, name, at) SELECT $1, artifact, name, at FROM naming
        ON CONFLICT (session, artifact) DO UPDATE SET at = excluded.at)
      SELECT ${relaxed(14)} FROM moved`,
    // $1 addresses
    involving: `
      SELECT about, owner IS NOT NULL AND owner = ANY($1::uuid[]) AS is_owner FROM ${correspondent}
      WHERE owner = ANY($1::uuid[]) OR (session, correspondent) IN (
        SELECT session, correspondent FROM ${address} WHERE address = ANY($1::uuid[]))`,
    forgetSilentAddresses: `
      DELETE FROM ${address} a WHERE a.session = $1 AND NOT EXISTS (
        SELECT FROM ${missive} m WHERE m.session = $1 AND m.correspondent = a.correspondent)`,
    forgetSilent: `
      DELETE FROM ${correspondent} c WHERE c.session = $1 AND NOT EXISTS (
        SELECT FROM ${missive} m WHERE m.session = $1 AND m.correspondent = c.correspondent)`,
    forgetArtifacts: `DELETE FROM ${artifact} WHERE session = $1 AND at < $2::bigint RETURNING ${relaxed(3)}`,
    artifactsOf: `
      SELECT name FROM ${artifact} own WHERE session = $1 AND NOT EXISTS (
        SELECT FROM ${artifact} other WHERE other.artifact = own.artifact AND other.session <> $1)`,
    // $1 artifacts in their order, $2 now
    unnamed: `
      WITH asked AS (
        SELECT artifact, EXISTS (SELECT FROM ${artifact} a WHERE a.artifact = asked.artifact) AS is_named
        FROM unnest($1::uuid[]) AS asked (artifact)),
      found AS (DELETE FROM ${unnamed} u USING asked WHERE is_named AND u.artifact = asked.artifact),
      lost AS (
        INSERT INTO ${unnamed} (artifact, since) SELECT artifact, $2::bigint FROM asked WHERE NOT is_named
        ON CONFLICT DO NOTHING)
      SELECT asked.artifact, coalesce(u.since, $2) AS since, ${relaxed(3)}
      FROM asked LEFT JOIN ${unnamed} u ON u.artifact = asked.artifact WHERE NOT is_named`,
    collected: `DELETE FROM ${unnamed} WHERE artifact = $1 RETURNING ${relaxed(2)}`,
    clear: `TRUNCATE ${[place, correspondent, address, missive, artifact, unnamed].join(', ')}`,
  })
}
