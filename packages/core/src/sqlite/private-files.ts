import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import type { Logger } from '../logger.ts'

const ownFile = 0o600
const ownFolder = 0o700
const sticky = 0o1000

/** Makes a folder that only its owner can enter; one that is there already is closed to others, unless all share it. */
export function privateFolder(path: string, logger: Logger): void {
  mkdirSync(path, { recursive: true, mode: ownFolder })
  // A folder such as /tmp is not ours to close.
  if ((statSync(path).mode & sticky) === 0) close(path, ownFolder, logger)
}

/** Takes others' rights to a file away; one that is not there stays so. */
export function privateFile(path: string, logger: Logger): void {
  close(path, ownFile, logger)
}

/** Makes an empty file that only its owner can read, or closes the one that is there to others. */
export function madePrivateFile(path: string, logger: Logger): void {
  try {
    // Never opened when it is there: closing it again would end every lock that this process has on it.
    closeSync(openSync(path, 'wx', ownFile))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    privateFile(path, logger)
  }
}

function close(path: string, mode: number, logger: Logger): void {
  const found = statSync(path, { throwIfNoEntry: false })
  // Windows has no such modes.
  if (found === undefined || (found.mode & 0o077) === 0 || process.platform === 'win32') return
  try {
    chmodSync(path, mode)
  } catch (error) {
    const message = `other users of this machine can read this, and it cannot be changed; change its mode to ${mode.toString(8)}`
    logger.log('warn', message, { path, error })
  }
}
