import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { BeachError } from '../errors.ts'

/** True when a journal with something in it stands beside a database: one that was cut off to nothing has no header. */
export function hasJournal(path: string): boolean {
  return sizeOf(path) !== undefined && headerOf(`${path}-wal`) !== 0
}

/** The first bytes of a journal, 0 when there is none: another process that closes the database last removes it. */
function headerOf(journal: string): number {
  const header = Buffer.alloc(4)
  let file: number
  try {
    file = openSync(journal, 'r')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 0
    throw error
  }
  try {
    readSync(file, header, 0, header.length, 0)
  } finally {
    closeSync(file)
  }
  return header.readUInt32BE()
}

/**
 * Refuses, by throwing, a database that was emptied while its journal is still there: SQLite would take it for a new one
 * and delete the journal, also for a process that only wants to read.
 */
export function refuseEmptied(path: string): void {
  // The journal first: a new database has its first page before it has a journal.
  if (hasJournal(path) && sizeOf(path) === 0) {
    throw new BeachError('STORE_DAMAGED', 'it is empty, though a journal is beside it')
  }
}

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size
}
