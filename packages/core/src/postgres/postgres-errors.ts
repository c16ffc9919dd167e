import { BeachError } from '../errors.ts'

/** SQLSTATEs of a server that goes away or comes up: https://www.postgresql.org/docs/current/errcodes-appendix.html. */
const goneCodes: ReadonlySet<string> = new Set(['57P01', '57P02', '57P03', '57P05'])
// A standby: the connection leads to the wrong server, as after a failover.
const readOnly = '25006'
/** The transaction was rolled back, and the same one may succeed at once. */
const rolledBack: ReadonlySet<string> = new Set(['40001', '40P01'])
const busy: Readonly<Record<string, string>> = {
  '55P03': 'a lock was not free in time',
  '57014': 'the statement took too long',
  '53300': 'it has too many connections',
}
const unavailable: Readonly<Record<string, string>> = {
  '53100': 'its disk is full',
  '53200': 'it has no memory left',
  '58030': 'its disk reports an error',
}
const refused: Readonly<Record<string, string>> = {
  '28P01': 'it does not accept the password',
  '28000': 'it does not accept this user',
  '3D000': 'there is no such database',
  '42501': 'the user lacks a right',
  '26000': 'a pooler has lost a prepared statement; add ?prepared=false to the address',
  '42P05': 'a pooler mixes prepared statements up; add ?prepared=false to the address',
}

/** The address leads to a server that takes no writes. */
export class StandbyError extends Error {
  readonly code = readOnly

  constructor() {
    super('The server takes no writes: it is a standby, or set to read only.')
  }
}

// Codes of a certificate that is not the expected one: Node's, and those of OpenSSL that it passes on.
const badCertificate = /^(?:ERR_TLS_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_)/

/** The SQLSTATE, or the system's code of a network error. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** True when the connection broke or leads to a server that takes no writes: the outcome is unknown, a new one may help. */
export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error)
  if (code === undefined) return isDriverError(error)
  return goneCodes.has(code) || code === readOnly || code.startsWith('08') || /^E[A-Z]+$/.test(code)
}

/** True when the server has rolled the transaction back because of others that ran at the same time. */
export function isRolledBack(error: unknown): boolean {
  return rolledBack.has(codeOf(error) ?? '')
}

/** True when the connection was closed by the driver, which has no codes for that. */
function isDriverError(error: unknown): boolean {
  return (
    error instanceof Error &&
    /^(?:Connection terminated|Client (?:was closed|has encountered)|Query read timeout|timeout exce)/.test(
      error.message,
    )
  )
}

/** An error of the server or the connection with a code of ours where the database is at fault; anything else as it is. */
export function toStoreError(error: unknown): unknown {
  if (error instanceof BeachError) return error
  const code = codeOf(error) ?? ''
  const isBusy = busy[code] ?? (isRolledBack(error) ? 'others kept changing the same rows' : undefined)
  if (isBusy !== undefined) {
    return new BeachError('STORE_BUSY', `The database is busy: ${isBusy}. Try again.`, { cause: error })
  }
  const reason =
    unavailable[code] ??
    (code === readOnly ? 'its server takes no writes, as a standby does' : undefined) ??
    (isConnectionLost(error) ? 'the connection to it failed' : undefined)
  if (reason !== undefined) {
    return new BeachError('STORE_UNAVAILABLE', `The database cannot be used right now: ${reason}. Try again later.`, {
      cause: error,
    })
  }
  const refusal = badCertificate.test(code) ? 'its certificate is not the expected one' : refused[code]
  if (refusal === undefined) return error
  const message = error instanceof Error ? error.message : ''
  return new BeachError('INVALID_CONFIGURATION', `The database refuses: ${refusal} (${message}).`, { cause: error })
}

/** The same for who starts the program, and has to know what does not work; callers of an agent are not told that. */
export function toOpeningError(error: unknown): unknown {
  const known = toStoreError(error)
  const isFile = codeOf(error) === 'ENOENT' || codeOf(error) === 'EACCES'
  if (!isFile && !(known instanceof BeachError && known.code === 'STORE_UNAVAILABLE')) return known
  const reason = reasonOf(error)
  return isFile
    ? new BeachError('INVALID_CONFIGURATION', `The address of the database names a file: ${reason}.`, { cause: error })
    : new BeachError('STORE_UNAVAILABLE', `The database cannot be reached: ${reason}. Is its address right?`, {
        cause: error,
      })
}

/** An address with several places fails with an error for each of them. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join(', ')
  return error instanceof Error ? error.message.replace(/\.$/, '') : String(error)
}
