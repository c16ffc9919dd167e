import type { Schema } from '../sqlite/database.ts'

/** An index of documents. Words are cut to their English stems, which leaves words of most other languages as they are. */
export const documentSchema: Schema = {
  version: 1,
  refusal:
    'The index of documents was made by another version of Beach. Remove the file, and put the documents into a new one.',
  whenDamaged:
    'Stop every process that uses it, remove it with the files -wal and -shm next to it, and put the documents into a new one.',
  tables: `
    CREATE TABLE document (
      row INTEGER PRIMARY KEY AUTOINCREMENT, tenant TEXT NOT NULL, id TEXT NOT NULL, hash TEXT NOT NULL,
      title TEXT NOT NULL, about TEXT NOT NULL, at INTEGER NOT NULL, UNIQUE (tenant, id)) STRICT;
    CREATE TABLE passage (
      id INTEGER PRIMARY KEY AUTOINCREMENT, document INTEGER NOT NULL, number INTEGER NOT NULL, text TEXT NOT NULL) STRICT;
    CREATE INDEX passage_document ON passage (document);
    CREATE VIRTUAL TABLE passage_text USING fts5(
      title, text, content = '', tokenize = 'porter unicode61 remove_diacritics 2');
    INSERT INTO passage_text (passage_text, rank) VALUES ('secure-delete', 1);
  `,
}
