import { createHash } from 'node:crypto'

/** A name of any length as the value of a uuid column, which fits every index. */
export function digest(...names: readonly string[]): string {
  const hex = createHash('sha256').update(JSON.stringify(names)).digest('hex').slice(0, 32)
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
