import { createHash } from 'node:crypto'
import { BeachError, systemRuntime, type Runtime } from '@cool-ai/beach-core'
import { mergedOrigins, originName } from '@cool-ai/beach-core/ports'
import { DatabaseSync, type SqliteFile } from '@cool-ai/beach-core/sqlite'
import { z } from 'zod'
import { indexed } from '../missives/missive-parts.ts'
import { openDatabase } from '../sqlite/database.ts'
import { documentSchema } from './document-schema.ts'
import type { DocumentQuery, DocumentSource, Passage } from './document-source.ts'
import { passagesOf } from './passages-of.ts'

/** A document as it is put into the index. */
export interface StoredDocument {
  /** The same for the same document: putting it again replaces it. */
  readonly id: string
  readonly title: string
  readonly text: string
  /** Where people can read it: an http(s) URL, or a path of the agent. */
  readonly url?: string | undefined
  /** The document, when it is an artifact. */
  readonly artifactId?: string | undefined
  /**
   * Where it is from, such as `web:news.example`, or the `origins` of a tool's context. What is found in it is foreign
   * content then (docs/origins.md). Left out, it is the agent's own.
   */
  readonly origins?: string | readonly string[] | undefined
  /** The only tenant that may find it; all may when left out. It takes the place of one for all with the same id. */
  readonly tenant?: string | undefined
}

/** Where the index is. */
export interface DocumentsOptions {
  /** The file, such as `.beach/documents.db`, which is made when it is missing; or `memory`. */
  readonly path: string
  readonly runtime?: Runtime | undefined
}

const given = z.strictObject({
  id: z.string().min(1).max(300),
  title: z.string().trim().min(1).max(300),
  text: z.string().max(5_000_000),
  url: z
    .string()
    .regex(/^(https?:\/\/|\/(?![/\\]))/i, "is neither an http(s) URL nor a path that starts with '/'")
    .optional(),
  artifactId: z.string().min(1).max(300).optional(),
  origins: z.union([z.string(), z.array(z.string())]).optional(),
  tenant: z.string().min(1).max(300).optional(),
})

const maxWords = 30
/** Shorter words stand for themselves: as beginnings they would be those of too many others. */
const shortestBeginning = 4

type Database = Pick<SqliteFile, 'db' | 'read' | 'write' | 'close'>

/** Opens an index of documents, in SQLite's full text, for one or several processes of a machine. */
export async function openDocuments({ path, runtime = systemRuntime() }: DocumentsOptions): Promise<SqliteDocuments> {
  const database = path === 'memory' ? inMemory() : await openDatabase(path, documentSchema, runtime)
  return new SqliteDocuments(database, runtime)
}

/** Documents in passages, which are found by their words. */
export class SqliteDocuments implements DocumentSource {
  readonly #database: Database
  readonly #runtime: Runtime

  constructor(database: Database, runtime: Runtime) {
    this.#database = database
    this.#runtime = runtime
  }

  /** Puts a document into the index, in place of the one of that id; one that has not changed costs next to nothing. */
  async put(document: StoredDocument): Promise<void> {
    const parsed = given.safeParse(document)
    if (!parsed.success) throw new BeachError('BAD_REQUEST', z.prettifyError(parsed.error))
    const { id, title, text, url, artifactId, origins: named = [], tenant = '' } = parsed.data
    const origins = mergedOrigins([named].flat().map(originName))
    const about = JSON.stringify({ title, url, artifactId, origins })
    const hash = createHash('sha256')
      .update(JSON.stringify([about, text]))
      .digest('base64url')
    const { db } = this.#database
    await this.#database.write(() => {
      const known = db.prepare('SELECT hash FROM document WHERE tenant = ? AND id = ?').get(tenant, id)
      if (known?.hash === hash) return
      this.#forget(tenant, id)
      const { lastInsertRowid } = db
        .prepare('INSERT INTO document (tenant, id, hash, title, about, at) VALUES (?, ?, ?, ?, ?, ?)')
        .run(tenant, id, hash, title, about, Math.floor(this.#runtime.clock.now()))
      const add = db.prepare('INSERT INTO passage (document, number, text) VALUES (?, ?, ?)')
      const index = db.prepare('INSERT INTO passage_text (rowid, title, text) VALUES (?, ?, ?)')
      for (const [place, passage] of passagesOf(text).entries()) {
        const { lastInsertRowid: row } = add.run(lastInsertRowid, place + 1, passage)
        index.run(row, indexed(title), indexed(passage))
      }
    })
  }

  /** Takes a document out; false when there is none of that id. */
  async remove(id: string, { tenant = '' }: Pick<StoredDocument, 'tenant'> = {}): Promise<boolean> {
    return this.#database.write(() => this.#forget(tenant, id))
  }

  /** The ids of all documents of a tenant, or of those for all. */
  async ids({ tenant = '' }: Pick<StoredDocument, 'tenant'> = {}): Promise<readonly string[]> {
    const rows = await this.#database.read(() =>
      this.#database.db.prepare('SELECT id FROM document WHERE tenant = ? ORDER BY id').all(tenant),
    )
    return rows.map(({ id }) => String(id))
  }

  /** Passages with any of the words, or words that begin with them; those of rare words and of titles come first. */
  async search({ text, limit, by }: DocumentQuery): Promise<readonly Passage[]> {
    const match = matchOf(text)
    if (match === '') return []
    const tenant = by?.tenant ?? ''
    const rows = await this.#database.read(() =>
      this.#database.db
        .prepare(
          `SELECT d.id, p.number, p.text, d.about, d.at
           FROM passage_text JOIN passage p ON p.id = passage_text.rowid JOIN document d ON d.row = p.document
           WHERE passage_text MATCH ?1 AND (d.tenant = ?2 OR (d.tenant = '' AND NOT EXISTS (
             SELECT 1 FROM document own WHERE own.tenant = ?2 AND own.id = d.id)))
           ORDER BY bm25(passage_text, 3.0, 1.0), p.id LIMIT ?3`,
        )
        .all(match, tenant, limit),
    )
    return rows.map(({ id, number, text: found, about, at }) => {
      const known = JSON.parse(String(about)) as Omit<Passage, 'id' | 'text'>
      return { id: `${String(id)}#${Number(number)}`, text: String(found), ...known, readAt: Number(at) }
    })
  }

  close(): void {
    this.#database.close()
  }

  #forget(tenant: string, id: string): boolean {
    const { db } = this.#database
    const known = db.prepare('SELECT row, title FROM document WHERE tenant = ? AND id = ?').get(tenant, id)
    if (known === undefined) return false
    // The index has no text of its own: it is told what to take out.
    const unindex = db.prepare("INSERT INTO passage_text (passage_text, rowid, title, text) VALUES ('delete', ?, ?, ?)")
    const row = Number(known.row)
    for (const { id: passage, text } of db.prepare('SELECT id, text FROM passage WHERE document = ?').all(row)) {
      unindex.run(Number(passage), indexed(String(known.title)), indexed(String(text)))
    }
    db.prepare('DELETE FROM passage WHERE document = ?').run(row)
    db.prepare('DELETE FROM document WHERE row = ?').run(row)
    return true
  }
}

/** Any of the words, each in quotes: nothing in it is a sign of the query language. */
function matchOf(text: string): string {
  const words = indexed(text.slice(0, 2_000))
    .toLowerCase()
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
  return [...new Set(words)]
    .slice(0, maxWords)
    .map((word) => `"${word}"${word.length < shortestBeginning ? '' : ' *'}`)
    .join(' OR ')
}

function inMemory(): Database {
  const db = new DatabaseSync(':memory:')
  db.exec(documentSchema.tables)
  const run = async <Value>(work: () => Value): Promise<Value> => work()
  return { db, read: run, write: run, close: () => db.close() }
}
