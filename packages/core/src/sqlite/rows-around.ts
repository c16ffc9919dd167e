import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite'

export type Row = Record<string, SQLOutputValue>

/** A table by its name, and the columns that it is sorted by. */
export interface SortedTable {
  readonly name: string
  readonly key: readonly string[]
}

type RowKey = SQLOutputValue | undefined

// A page that leads to others makes all of them unreadable: their rows are not asked for one by one for ever.
const maxFailures = 5_000
const maxDepth = 60
const beyond = 1_000_000

/**
 * Reads the rows of a damaged table: from both ends to where SQLite fails, and then into what is between, by halves, as
 * long as the table is sorted by one column. Returns whether all of it could be read.
 */
export function rowsAround(db: DatabaseSync, table: SortedTable, take: (row: Row) => void): boolean {
  const state = { isWhole: true, failures: 0 }
  between({ db, table, take, state }, undefined, undefined, 0)
  return state.isWhole
}

interface Reading {
  readonly db: DatabaseSync
  readonly table: SortedTable
  readonly take: (row: Row) => void
  readonly state: { isWhole: boolean; failures: number }
}

function between(reading: Reading, low: RowKey, high: RowKey, depth: number): void {
  const { table, state } = reading
  if (state.failures > maxFailures || depth > maxDepth) return
  const up = scan(reading, { low, high, order: 'ASC' })
  if (up.isDone) return
  state.isWhole = false
  state.failures++
  const down = scan(reading, { low: up.last ?? low, high, order: 'DESC' })
  if (down.isDone || table.key.length > 1) return
  const [from, to] = [up.last ?? low, down.last ?? high]
  // Any other table of ours is sorted by a text.
  const isText = table.key[0] !== 'rowid'
  const middle = isText ? middleText(String(from ?? ''), String(to ?? '\u{7F}')) : middleNumber(from, to)
  if (middle === undefined) return
  between(reading, from, middle, depth + 1)
  between(reading, middle, to, depth + 1)
}

interface Range {
  readonly low: RowKey
  readonly high: RowKey
  readonly order: 'ASC' | 'DESC'
}

/** Reads a range from one of its ends until SQLite fails; `last` is the key of the last row before that. */
function scan({ db, table, take }: Reading, { low, high, order }: Range): { isDone: boolean; last: RowKey } {
  const { name, key } = table
  const [first = 'rowid'] = key
  const isOne = key.length === 1
  const bounds = [isOne && low !== undefined && `${first} >= ?`, isOne && high !== undefined && `${first} <= ?`]
  const where = bounds.filter((bound) => bound !== false).join(' AND ')
  const values = isOne ? [low, high].filter((value): value is SQLInputValue & RowKey => value !== undefined) : []
  const sorted = key.map((column) => `${column} ${order}`).join(', ')
  let last: RowKey
  try {
    const sql = `SELECT ${first} AS "place of row", * FROM "${name}" ${where && `WHERE ${where}`} ORDER BY ${sorted}`
    for (const { 'place of row': place, ...row } of db.prepare(sql).iterate(...values)) {
      take(row)
      last = place
    }
    return { isDone: true, last }
  } catch {
    return { isDone: false, last }
  }
}

/** A key between two others, if there is one. */
function middleNumber(low: RowKey, high: RowKey): number | undefined {
  const from = Number(low ?? 0)
  const middle = Math.floor((from + Number(high ?? from + beyond)) / 2)
  return middle > from ? middle : undefined
}

function middleText(low: string, high: string): string | undefined {
  let same = 0
  while (same < low.length && low[same] === high[same]) same++
  const from = low.charCodeAt(same) || 0
  const middle = (from + (high.charCodeAt(same) || 0)) >> 1
  if (middle > from) return low.slice(0, same) + String.fromCharCode(middle)
  const next = low.charCodeAt(same + 1) || 0
  const deeper = (next + 0x7f) >> 1
  if (deeper > next) return low.slice(0, same + 1) + String.fromCharCode(deeper)
  // Nothing is left that begins as the lower one does.
  const start = high.slice(0, same + 1)
  return low < start && start < high ? start : undefined
}
