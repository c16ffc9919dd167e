import { plainLine } from './plain-text.ts'
import { terminal } from './terminal.ts'

/** Prints rows in columns; what others wrote is on one line and without escape sequences. Ids stay whole: only the last column is shortened. */
export function printTable(names: readonly string[], rows: readonly (readonly string[])[], none: string): void {
  if (rows.length === 0) return terminal.line(none)
  const cells = rows.map((row) => row.map((cell, column) => plainLine(cell, column === names.length - 1 ? 60 : 1_000)))
  const widths = names.map((name, column) => Math.max(name.length, ...cells.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  terminal.line(terminal.bold(line(names)))
  for (const row of cells) terminal.line(line(row))
}

export function moment(at: number | undefined): string {
  return at === undefined ? '' : new Date(at).toISOString().slice(0, 19).replace('T', ' ')
}
