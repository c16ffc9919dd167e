import { isBeachError, type ErrorCode } from '@cool-ai/beach-core'
import { keepAlive } from '@cool-ai/beach-core/runtime'
import { CommanderError } from 'commander'
import { exitCodes } from './exit-codes.ts'
import { fileError } from './file-error.ts'
import { plainText } from './plain-text.ts'
import { programFor } from './program.ts'
import { failureJson, terminal } from './terminal.ts'

/** Runs `beach` with these arguments and sets the exit code of the process. */
export async function runCommand(args: readonly string[]): Promise<void> {
  process.stdout.on('error', endWithoutReader)
  try {
    const program = await programFor(args)
    // A command may wait for what another process writes, which keeps no process alive.
    await keepAlive(program.parseAsync(args, { from: 'user' }))
  } catch (error) {
    process.exitCode = report(fileError(error) ?? error, args.includes('--json'))
  }
}

/** What reads the output may end first, as `head` does: the rest of the work is for no reader. */
function endWithoutReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
  process.exit(exitCodes.failed)
}

/** Says what went wrong; returns the exit code. An unexpected error has its stack, so that it can be reported. */
function report(error: unknown, isJson: boolean): number {
  if (error instanceof CommanderError) {
    // Help and versions come as errors with the code 0; Commander has said the others already, except to programs.
    if (isJson && error.exitCode !== 0) {
      terminal.note(failureJson('BAD_REQUEST', error.message.replace(/^error: /, '')))
    }
    return error.exitCode === 0 ? exitCodes.done : exitCodes.badInput
  }
  if (!isBeachError(error) && !isSystemError(error)) {
    terminal.note(plainText(error instanceof Error ? (error.stack ?? error.message) : String(error)))
    return exitCodes.failed
  }
  const code = isBeachError(error) ? error.code : codeOf(error)
  terminal.note(isJson ? failureJson(code, error.message) : `${terminal.red('Error:')} ${plainText(error.message)}`)
  return code === 'INVALID_CONFIGURATION' || code === 'BAD_REQUEST' ? exitCodes.badInput : exitCodes.failed
}

/** A disk that is full, or a server that cannot be reached. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && /^E[A-Z]+$/.test(String(error.code))
}

function codeOf({ syscall = '' }: NodeJS.ErrnoException): ErrorCode {
  return /^(?:connect|getaddrinfo)/.test(syscall) ? 'UNREACHABLE' : 'STORE_UNAVAILABLE'
}
