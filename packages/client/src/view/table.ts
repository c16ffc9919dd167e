import { inWords, longDay, timeOfDay } from './format.ts'
import { isFields, type Fields } from './fields.ts'

const maxRows = 20
const maxColumns = 6

export interface Table {
  readonly columns: readonly string[]
  readonly rows: readonly Fields[]
  /** How many rows are not shown. */
  readonly left: number
}

/** The first list of objects in the data, which is what a table is for; undefined when there is none. */
export function tableOf(data: unknown): Table | undefined {
  const lists = Array.isArray(data) ? [data] : isFields(data) ? Object.values(data) : []
  const rows = lists.find((list): list is Fields[] => Array.isArray(list) && list.length > 0 && list.every(isFields))
  if (rows === undefined) return undefined
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
    .filter((name) => !name.endsWith('Id') && rows.some((row) => isScalar(row[name])))
    .slice(0, maxColumns)
  return { columns, rows: rows.slice(0, maxRows), left: Math.max(0, rows.length - maxRows) }
}

/** A value in a few words: days and times as people write them, what has parts within parts as JSON. */
export function cellText(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value) && value.every(isScalar)) return value.map(cellText).join(', ')
  if (isFields(value) && Object.values(value).every(isScalar)) {
    return Object.entries(value)
      .map(([name, item]) => `${inWords(name)}: ${cellText(item)}`)
      .join(', ')
  }
  if (!isScalar(value)) return JSON.stringify(value)
  const text = String(value)
  const [isTime] = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}.*)?$/.exec(text) ?? []
  return isTime === undefined ? text : [longDay(text), timeOfDay(text)].filter(Boolean).join(', ')
}

function isScalar(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}
