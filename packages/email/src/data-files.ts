import type { Part } from '@cool-ai/beach-core'
import type { DataFormat } from './options.ts'

/** A file that is attached to a mail. */
export interface MailFile {
  readonly filename: string
  readonly contentType: string
  readonly sizeBytes: number
  readonly content: () => Promise<Buffer>
}

const maxColumns = 200

/** An answer's data as files, in the requested form; data that is no table is JSON in either case. */
export function dataFiles(parts: readonly Part[], format: DataFormat): MailFile[] {
  return parts.flatMap((part, index) => {
    const { data, metadata } = part
    if (data === undefined) return []
    const name = fileName(typeof metadata.kind === 'string' ? metadata.kind : 'data', index)
    const tables = format === 'csv' ? tablesIn(data) : []
    if (tables.length === 0) return [file(`${name}.json`, 'application/json', JSON.stringify(data, null, 2))]
    return tables.map(({ path, rows }) => {
      return file(`${path === '' ? name : `${name}-${fileName(path, 0)}`}.csv`, 'text/csv', csv(rows))
    })
  })
}

function file(filename: string, contentType: string, text: string): MailFile {
  const bytes = Buffer.from(text)
  return { filename, contentType, sizeBytes: bytes.byteLength, content: async () => bytes }
}

function fileName(text: string, index: number): string {
  const name =
    text
      .replaceAll(/[^A-Za-z0-9]+/g, '-')
      .slice(0, 60)
      .replaceAll(/^-|-$/g, '') || 'data'
  return index === 0 ? name : `${name}-${index + 1}`
}

type Row = Readonly<Record<string, unknown>>

/** The lists of objects in the data, at its top or one level below. */
function tablesIn(data: unknown): { readonly path: string; readonly rows: readonly Row[] }[] {
  if (isTable(data)) return [{ path: '', rows: data }]
  if (typeof data !== 'object' || data === null) return []
  return Object.entries(data).flatMap(([path, value]) => (isTable(value) ? [{ path, rows: value }] : []))
}

function isTable(value: unknown): value is readonly Row[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((row) => typeof row === 'object' && row !== null && !Array.isArray(row))
  )
}

/** Rows by RFC 4180, with a mark of their encoding for spreadsheets. */
function csv(rows: readonly Row[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].slice(0, maxColumns)
  const lines = rows.map((row) =>
    columns.map((column) => cell(Object.hasOwn(row, column) ? row[column] : '')).join(','),
  )
  return `\uFEFF${[columns.map(cell).join(','), ...lines].join('\r\n')}\r\n`
}

/** A cell; one that a spreadsheet would run as a formula is made a text. */
function cell(value: unknown): string {
  if (value === undefined || value === null) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
