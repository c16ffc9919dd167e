import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { BeachError } from '../errors.ts'

const headerBytes = 32

/**
 * The journal next to a database: `missing` when the last process that had it open has closed it, or a program has removed
 * it; `empty` when all of it was copied into the database, or it was cut off to nothing; `cut` when it has no header.
 */
export type JournalState = 'missing' | 'empty' | 'cut' | 'filled'

export function journalState(path: string): JournalState {
  let file: number
  try {
    file = openSync(`${path}-wal`, 'r')
  } catch (error) {
    // Not looked for before: another process may remove it between the two.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 'missing'
    throw error
  }
  const header = Buffer.alloc(headerBytes)
  try {
    const bytes = readSync(file, header, 0, headerBytes, 0)
    if (bytes === 0) return 'empty'
    return bytes < headerBytes || header.readUInt32BE() === 0 ? 'cut' : 'filled'
  } finally {
    closeSync(file)
  }
}

/**
 * Refuses, by throwing, a database that was emptied while its journal is still there: SQLite would take it for a new one
 * and delete the journal, also for a process that only wants to read.
 */
export function refuseEmptied(path: string): void {
  if (sizeBesideJournal(path) === 0)
    throw new BeachError('STORE_DAMAGED', 'it is empty, though a journal is next to it')
}

/** Refuses, by throwing, to make a new database next to the journal of one that was removed or moved, for the same reason. */
export function refuseRemoved(path: string): void {
  if (sizeBesideJournal(path) !== 'missing') return
  throw new BeachError(
    'STORE_LOST',
    `The database ${path} is gone, though its journal ${path}-wal, which may have what was stored last, is still there. Put the database back; or, to begin without it, move the journal away.`,
  )
}

/** The size of a database that has something in its journal. */
function sizeBesideJournal(path: string): number | 'missing' | undefined {
  // The journal first: a new database has its first page before it has a journal.
  if (journalState(path) !== 'filled') return undefined
  return statSync(path, { throwIfNoEntry: false })?.size ?? 'missing'
}
