import type { Schema } from './database.ts'

/**
 * Raised whenever the tables or the projection change: the file is then emptied and made anew from the logs. A power cut
 * may cost the last moments, which are read again, so writes need no sync of their own.
 */
export const missiveSchema: Schema = {
  version: 1,
  settings: 'PRAGMA synchronous = NORMAL',
  whenDamaged:
    'Stop every process that uses it and remove it, with the files -wal and -shm beside it: it is made anew from the logs.',
  tables: `
    CREATE TABLE place (session TEXT PRIMARY KEY, seq INTEGER NOT NULL, state TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE missive (
      id INTEGER PRIMARY KEY AUTOINCREMENT, missive_id TEXT NOT NULL UNIQUE, tenant TEXT NOT NULL, session TEXT NOT NULL,
      thread TEXT NOT NULL, direction TEXT NOT NULL, channel TEXT NOT NULL, originator TEXT NOT NULL, owner TEXT,
      at INTEGER NOT NULL, delivery_id TEXT, delivery TEXT NOT NULL, about TEXT NOT NULL) STRICT;
    CREATE INDEX missive_time ON missive (tenant, at, id);
    CREATE INDEX missive_session ON missive (session, at, id);
    CREATE INDEX missive_thread ON missive (thread, at, id);
    CREATE INDEX missive_owner ON missive (tenant, owner, at, id);
    CREATE INDEX missive_delivery ON missive (session, delivery_id);
    CREATE INDEX missive_age ON missive (at);
    CREATE TABLE missive_address (
      tenant TEXT NOT NULL, address TEXT NOT NULL, missive INTEGER NOT NULL,
      PRIMARY KEY (tenant, address, missive)) STRICT, WITHOUT ROWID;
    CREATE INDEX missive_address_of ON missive_address (missive);
    CREATE TABLE artifact_named (
      artifact TEXT NOT NULL, session TEXT NOT NULL, at INTEGER NOT NULL,
      PRIMARY KEY (artifact, session)) STRICT, WITHOUT ROWID;
    CREATE INDEX artifact_named_in ON artifact_named (session, at);
    CREATE TABLE artifact_unnamed (artifact TEXT PRIMARY KEY, since INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE VIRTUAL TABLE missive_text USING fts5(scope, text, tokenize = 'unicode61 remove_diacritics 2');
    INSERT INTO missive_text (missive_text, rank) VALUES ('secure-delete', 1);
  `,
}
