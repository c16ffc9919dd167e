import { isBeachError } from '@cool-ai/beach-core'
import { CommanderError } from 'commander'
import { exitCodes } from './exit-codes.ts'
import { plainText } from './plain-text.ts'
import { programFor } from './program.ts'
import { failureJson, terminal } from './terminal.ts'

/** Runs `beach` with these arguments and sets the exit code of the process. */
export async function runCommand(args: readonly string[]): Promise<void> {
  try {
    const program = await programFor(args)
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    process.exitCode = report(error, args.includes('--json'))
  }
}

/** Says what went wrong; returns the exit code. An unexpected error has its stack, so that it can be reported. */
function report(error: unknown, isJson: boolean): number {
  if (error instanceof CommanderError) {
    // Commander has said it already; help and versions come as errors with the code 0.
    if (isJson && error.exitCode !== 0) terminal.note(failureJson('BAD_REQUEST', error.message))
    return error.exitCode === 0 ? exitCodes.done : exitCodes.badInput
  }
  if (!isBeachError(error) && !isFileError(error)) {
    terminal.note(plainText(error instanceof Error ? (error.stack ?? error.message) : String(error)))
    return exitCodes.failed
  }
  const code = isBeachError(error) ? error.code : 'FILE'
  terminal.note(isJson ? failureJson(code, error.message) : `${terminal.red('Error:')} ${plainText(error.message)}`)
  return code === 'INVALID_CONFIGURATION' || code === 'BAD_REQUEST' ? exitCodes.badInput : exitCodes.failed
}

/** A file that cannot be read or written, a reader that has gone, or a server that cannot be reached. */
function isFileError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && /^E[A-Z]+$/.test(String(error.code))
}
