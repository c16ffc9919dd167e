import type { DatabaseSync } from 'node:sqlite'

/** The columns of a missive, here called m, with those of its correspondent, c. */
export const missiveColumns = 'm.id, m.at, m.direction, m.delivery, m.body, c.about'

/** The statements of the store that are always the same, prepared once. */
export function missiveStatements(db: DatabaseSync) {
  const whole = `SELECT ${missiveColumns} FROM missive m JOIN correspondent c ON c.id = m.correspondent`
  return {
    place: db.prepare('SELECT seq, state FROM place WHERE session = ?'),
    setPlace: db.prepare('INSERT OR REPLACE INTO place (session, seq, state) VALUES (?, ?, ?)'),
    dropPlace: db.prepare('DELETE FROM place WHERE session = ?'),
    sessions: db.prepare('SELECT session FROM place WHERE session > ? ORDER BY session LIMIT ?'),
    byCode: db.prepare(`${whole} WHERE m.code = ?`),
    byId: db.prepare(`${whole} WHERE m.id = ?`),
    addTenant: db.prepare('INSERT INTO tenant (name) VALUES (?) ON CONFLICT (name) DO NOTHING'),
    correspondent: db.prepare('SELECT id FROM correspondent WHERE session = ? AND about = ?'),
    putCorrespondent: db.prepare(
      'INSERT INTO correspondent (tenant, session, originator, thread, channel, owner, about) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ),
    putAddress: db.prepare('INSERT INTO correspondent_address (tenant, address, correspondent) VALUES (?, ?, ?)'),
    put: db.prepare(
      `INSERT INTO missive (code, tenant, correspondent, direction, at, delivery_id, delivery, body)
       VALUES (?, (SELECT id FROM tenant WHERE name = ?), ?, ?, ?, ?, ?, ?)`,
    ),
    putText: db.prepare('INSERT INTO missive_text (rowid, scope, text) VALUES (?, ?, ?)'),
    byDelivery: db.prepare(`${whole} WHERE m.delivery_id = ?2 AND c.session = ?1`),
    waitingFor: db.prepare(`${whole} WHERE c.session = ? AND c.originator = ? AND m.delivery_id IS NOT NULL`),
    setDelivery: db.prepare('UPDATE missive SET delivery_id = ?, delivery = ? WHERE id = ?'),
    forgetText: db.prepare(`INSERT INTO missive_text (missive_text, rowid, scope, text) VALUES ('delete', ?, ?, ?)`),
    forgetMissive: db.prepare('DELETE FROM missive WHERE id = ?'),
    silent: db.prepare(
      `SELECT id FROM correspondent AS c WHERE session = ? AND NOT EXISTS (
         SELECT 1 FROM missive AS m WHERE m.correspondent = c.id)`,
    ),
    forgetCorrespondent: db.prepare('DELETE FROM correspondent WHERE id = ?'),
    forgetAddresses: db.prepare('DELETE FROM correspondent_address WHERE correspondent = ?'),
    forgetAllText: db.prepare(`INSERT INTO missive_text (missive_text) VALUES ('delete-all')`),
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
