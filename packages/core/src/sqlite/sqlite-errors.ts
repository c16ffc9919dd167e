import { BeachError, isBeachError } from '../errors.ts'

/** The primary result codes of SQLite for what may go wrong with a file: https://sqlite.org/rescode.html. */
const failures: Readonly<Record<number, string>> = {
  3: 'access to it is denied',
  7: 'there is no memory left',
  8: 'it is read-only',
  10: 'the disk reports an error',
  13: 'the disk is full',
  14: 'its file cannot be opened',
}
const damage: ReadonlySet<number> = new Set([11, 26])
// BUSY, LOCKED, and PROTOCOL: several processes that start at once have got in each other's way.
const busy: ReadonlySet<number> = new Set([5, 6, 15])

function codeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined
  return error.errcode & 0xff
}

/** True when another process holds the lock that was needed; the same call may succeed a moment later. */
export function isBusy(error: unknown): boolean {
  return busy.has(codeOf(error) ?? -1)
}

/** True when SQLite says that the file is not what it should be. */
export function isDamage(error: unknown): boolean {
  return damage.has(codeOf(error) ?? -1) || isBeachError(error, 'STORE_DAMAGED')
}

/** An error of SQLite with a code of ours where the file or its disk is at fault; anything else as it is. */
export function toStoreError(error: unknown): unknown {
  if (isDamage(error)) {
    return new BeachError('STORE_DAMAGED', 'The database is damaged. Its operator can rescue what is readable.', {
      cause: error,
    })
  }
  const reason = failures[codeOf(error) ?? -1]
  if (reason === undefined) return error
  return new BeachError('STORE_UNAVAILABLE', `The database cannot be used right now: ${reason}. Try again later.`, {
    cause: error,
  })
}
