import type { DatabaseSync } from 'node:sqlite'
import type { Schema } from './database.ts'

/**
 * Raised whenever the tables, the projection or the words of a missive (`textOf`, `indexed`) change: the file is then
 * emptied and made anew from the logs. A power cut may cost the last moments, which are read again, so writes need no
 * sync of their own.
 *
 * What all missives of a correspondent share stands once, in `correspondent`; a missive has its own facts in `body`,
 * compressed (`missives/missive-row.ts`), and encrypted where they are (`missives/missive-codec.ts`). The index of words keeps no text: the code that removes a missive gives its text again.
 */
export function missiveSchema(codec: number): Schema {
  return { ...schema, version: codec === 0 ? schemaVersion : schemaVersion * 0x1000000 + codec }
}

const schemaVersion = 2

const schema: Omit<Schema, 'version'> = {
  settings: 'PRAGMA synchronous = NORMAL',
  whenDamaged:
    'Stop every process that uses it and remove it, with the files -wal and -shm next to it: it is rebuilt from the logs.',
  tables: `
    CREATE TABLE place (session TEXT PRIMARY KEY, seq INTEGER NOT NULL, state TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE correspondent (
      id INTEGER PRIMARY KEY AUTOINCREMENT, tenant TEXT NOT NULL, session TEXT NOT NULL, originator TEXT NOT NULL,
      thread TEXT NOT NULL, channel TEXT NOT NULL, owner TEXT, about TEXT NOT NULL) STRICT;
    CREATE INDEX correspondent_session ON correspondent (session);
    CREATE INDEX correspondent_thread ON correspondent (thread);
    CREATE INDEX correspondent_owner ON correspondent (tenant, owner);
    CREATE TABLE correspondent_address (
      tenant TEXT NOT NULL, address TEXT NOT NULL, correspondent INTEGER NOT NULL,
      PRIMARY KEY (tenant, address, correspondent)) STRICT, WITHOUT ROWID;
    CREATE INDEX correspondent_address_of ON correspondent_address (correspondent);
    CREATE TABLE tenant (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
    CREATE TABLE missive (
      id INTEGER PRIMARY KEY AUTOINCREMENT, code INTEGER NOT NULL, tenant INTEGER NOT NULL,
      correspondent INTEGER NOT NULL, direction INTEGER NOT NULL, at INTEGER NOT NULL,
      delivery_id TEXT, delivery TEXT, body BLOB NOT NULL) STRICT;
    CREATE INDEX missive_code ON missive (code);
    CREATE INDEX missive_time ON missive (tenant, at);
    CREATE INDEX missive_correspondent ON missive (correspondent, at);
    CREATE INDEX missive_delivery ON missive (delivery_id) WHERE delivery_id IS NOT NULL;
    CREATE TABLE artifact_named (
      artifact TEXT NOT NULL, session TEXT NOT NULL, at INTEGER NOT NULL,
      PRIMARY KEY (artifact, session)) STRICT, WITHOUT ROWID;
    CREATE INDEX artifact_named_in ON artifact_named (session, at);
    CREATE TABLE artifact_unnamed (artifact TEXT PRIMARY KEY, since INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE VIRTUAL TABLE missive_text USING fts5(
      scope, text, content = '', tokenize = 'unicode61 remove_diacritics 2');
    INSERT INTO missive_text (missive_text, rank) VALUES ('secure-delete', 1);
  `,
}

/** All tables with something of missives in them, for the code that empties them. */
export const missiveTables = [
  'place',
  'missive',
  'correspondent',
  'correspondent_address',
  'tenant',
  'artifact_named',
  'artifact_unnamed',
] as const

/** The columns of a missive, here called m, with those of its correspondent, c. */
export const missiveColumns = 'm.id, m.at, m.direction, m.delivery, m.body, c.about'

/** The statements of the store that are always the same, prepared once. */
export function missiveStatements(db: DatabaseSync) {
  const whole = `SELECT ${missiveColumns} FROM missive m JOIN correspondent c ON c.id = m.correspondent`
  return {
    place: db.prepare('SELECT seq, state FROM place WHERE session = ?'),
    setPlace: db.prepare('INSERT OR REPLACE INTO place (session, seq, state) VALUES (?, ?, ?)'),
    dropPlace: db.prepare('DELETE FROM place WHERE session = ?'),
    tenantOf: db.prepare('SELECT tenant FROM correspondent WHERE session = ? LIMIT 1'),
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
