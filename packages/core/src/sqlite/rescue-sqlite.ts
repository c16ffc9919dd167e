import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from './node-sqlite.ts'
import { BeachError } from '../errors.ts'
import { refuseEmptied } from './emptied-file.ts'
import { rowsAround, type Row, type SortedTable } from './rows-around.ts'

/** How many rows of a table could be read. */
export interface RescuedTable {
  readonly table: string
  readonly rows: number
  /** Nothing of it was unreadable. */
  readonly isWhole: boolean
}

/** Copies all rows that can be read of a damaged SQLite file into a new one, which is whole. The old one stays as it is. */
export function rescueSqlite(from: string, to: string): RescuedTable[] {
  refuseEmptied(from)
  const source = new DatabaseSync(from, { readOnly: true })
  // Readable by its owner only; it must not be there yet.
  closeSync(openSync(to, 'wx', 0o600))
  const target = new DatabaseSync(to)
  try {
    target.exec('PRAGMA synchronous = OFF')
    const { tables, indexes, version } = schemaOf(source, from)
    const rescued = tables.map(({ sql, ...table }) => {
      target.exec(sql)
      return copied(source, target, table)
    })
    for (const sql of indexes) target.exec(sql)
    target.exec(`PRAGMA user_version = ${version}; PRAGMA synchronous = FULL; PRAGMA journal_mode = WAL`)
    return rescued
  } finally {
    source.close()
    target.close()
  }
}

function schemaOf(db: DatabaseSync, path: string) {
  try {
    const rows = db.prepare(`SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'`).all()
    const texts = rows.map(({ type, name, sql }) => ({ type, name: String(name), sql: String(sql) }))
    const tables = texts
      .filter(({ type, sql }) => type === 'table' && !/^CREATE VIRTUAL/i.test(sql))
      .map(({ name, sql }) => ({ name, sql, key: keyOf(db, name, sql) }))
    const indexes = texts.filter(({ type, sql }) => type === 'index' && sql !== 'null').map(({ sql }) => sql)
    return { tables, indexes, version: Number(db.prepare('PRAGMA user_version').get()?.user_version) }
  } catch (cause) {
    const message = `Nothing of ${path} can be read: the part that says what is in it is damaged. Restore a backup.`
    throw new BeachError('STORE_DAMAGED', message, { cause })
  }
}

/** What the rows are sorted by on the disk, so that reading them in that order needs nothing else. */
function keyOf(db: DatabaseSync, name: string, sql: string): string[] {
  if (!/WITHOUT ROWID/i.test(sql)) return ['rowid']
  const columns = db.prepare(`PRAGMA table_info("${name}")`).all()
  return columns
    .filter(({ pk }) => Number(pk) > 0)
    .toSorted((one, other) => Number(one.pk) - Number(other.pk))
    .map((column) => String(column.name))
}

function copied(source: DatabaseSync, target: DatabaseSync, table: SortedTable): RescuedTable {
  const columns = target
    .prepare(`PRAGMA table_info("${table.name}")`)
    .all()
    .map((column) => String(column.name))
  const marks = columns.map(() => '?').join(', ')
  const insert = target.prepare(`INSERT OR IGNORE INTO "${table.name}" (${columns.join(', ')}) VALUES (${marks})`)
  let rows = 0
  let isFit = true
  const take = (row: Row) => {
    try {
      rows += Number(insert.run(...columns.map((column) => row[column] ?? null)).changes)
    } catch {
      // A value that is not of its column's type is damage as well.
      isFit = false
    }
  }
  target.exec('BEGIN')
  const isRead = rowsAround(source, table, take)
  target.exec('COMMIT')
  return { table: table.name, rows, isWhole: isRead && isFit }
}
