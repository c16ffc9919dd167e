import type { DatabaseSync } from 'node:sqlite'

/** The statements of the store that are always the same, prepared once. */
export function missiveStatements(db: DatabaseSync) {
  return {
    place: db.prepare('SELECT seq, state FROM place WHERE session = ?'),
    setPlace: db.prepare('INSERT OR REPLACE INTO place (session, seq, state) VALUES (?, ?, ?)'),
    dropPlace: db.prepare('DELETE FROM place WHERE session = ?'),
    sessions: db.prepare('SELECT session FROM place WHERE session > ? ORDER BY session LIMIT ?'),
    get: db.prepare('SELECT delivery, about FROM missive WHERE missive_id = ? AND tenant = ?'),
    put: db.prepare(
      `INSERT INTO missive (missive_id, tenant, session, thread, direction, channel, originator, owner, at,
         delivery_id, delivery, about) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    putAddress: db.prepare('INSERT INTO missive_address (tenant, address, missive) VALUES (?, ?, ?)'),
    putText: db.prepare('INSERT INTO missive_text (rowid, scope, text) VALUES (?, ?, ?)'),
    byDelivery: db.prepare('SELECT id, delivery FROM missive WHERE session = ? AND delivery_id = ?'),
    byMissive: db.prepare('SELECT id, delivery FROM missive WHERE missive_id = ?'),
    byOriginator: db.prepare('SELECT id, delivery FROM missive WHERE session = ? AND originator = ?'),
    setDelivery: db.prepare('UPDATE missive SET delivery_id = ?, delivery = ? WHERE id = ?'),
    forgetText: db.prepare('DELETE FROM missive_text WHERE rowid = ?'),
    forgetAddresses: db.prepare('DELETE FROM missive_address WHERE missive = ?'),
    forgetMissive: db.prepare('DELETE FROM missive WHERE id = ?'),
    name: db.prepare('INSERT OR REPLACE INTO artifact_named (artifact, session, at) VALUES (?, ?, ?)'),
    unname: db.prepare('DELETE FROM artifact_named WHERE session = ? AND at < ?'),
    isNamed: db.prepare('SELECT 1 FROM artifact_named WHERE artifact = ? LIMIT 1'),
    artifactsOf: db.prepare(
      `SELECT artifact FROM artifact_named AS own WHERE session = ?1 AND NOT EXISTS (
         SELECT 1 FROM artifact_named AS other WHERE other.artifact = own.artifact AND other.session <> ?1)`,
    ),
    unnamed: db.prepare('SELECT since FROM artifact_unnamed WHERE artifact = ?'),
    setUnnamed: db.prepare('INSERT OR IGNORE INTO artifact_unnamed (artifact, since) VALUES (?, ?)'),
    forgetUnnamed: db.prepare('DELETE FROM artifact_unnamed WHERE artifact = ?'),
  }
}
