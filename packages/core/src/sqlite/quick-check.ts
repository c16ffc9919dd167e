import type { DatabaseSync } from 'node:sqlite'

// SQLite looks through about 1.5 GB a second of a file that is in memory, and as much as the disk gives otherwise.
const maxBytes = 256 * 1024 * 1024
const maxRows = 2_000

export interface QuickCheck {
  /** The first thing that is wrong, if any is. */
  readonly problem: string | undefined
  /** Only a part was looked at. */
  readonly isPartial: boolean
}

/**
 * Looks for damage in a time that does not grow with the file: the whole structure of one of up to 256 MB, otherwise the
 * newest rows of each table and what leads to them.
 */
export function quickProblem(db: DatabaseSync, bytes: number): QuickCheck {
  if (bytes <= maxBytes) return { problem: firstProblem(db), isPartial: false }
  for (const table of tables(db)) readNewest(db, table)
  return { problem: undefined, isPartial: true }
}

/** The structure of the whole file. */
function firstProblem(db: DatabaseSync): string | undefined {
  const [first] = Object.values(db.prepare('PRAGMA quick_check(1)').get() ?? {})
  // The row begins with a heading on a line of its own.
  return first === 'ok' ? undefined : String(first).split('\n').at(-1)
}

function tables(db: DatabaseSync): { name: string; order: string }[] {
  const own = `SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' AND name NOT LIKE 'sqlite_%'`
  return db
    .prepare(own)
    .all()
    .map(({ name, sql }) => ({
      name: String(name),
      order: /WITHOUT ROWID/i.test(String(sql)) ? '' : 'ORDER BY rowid DESC',
    }))
}

/** Throws when SQLite finds damage on its way to them. */
function readNewest(db: DatabaseSync, { name, order }: { name: string; order: string }): void {
  const rows = db.prepare(`SELECT * FROM "${name}" ${order} LIMIT ${maxRows}`).iterate()
  for (const _ of rows);
}
