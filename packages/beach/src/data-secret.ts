import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BeachError, systemRuntime, type Logger } from '@cool-ai/beach-core'
import { privateFile, privateFolder } from '@cool-ai/beach-core/sqlite'
import { secretsIn, type Secret } from '@cool-ai/beach-core/tokens'

/**
 * The secret of a data folder as `openData` has it, made if it is missing: for agents that know the same people, each of
 * which is given it as its first one.
 */
export function openSecret(folder: string): readonly Uint8Array[] {
  const { logger } = systemRuntime()
  try {
    privateFolder(folder, logger)
    return folderSecret({ folder, logger, given: givenSecret() })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new BeachError('INVALID_CONFIGURATION', `The data folder ${folder} cannot be used: ${reason}`, { cause })
  }
}

/** The secrets that come before a folder's own: those that are given, else those of the environment. */
export function givenSecret(secret: Secret = secretsIn(process.env.BEACH_SECRET ?? '')): readonly Uint8Array[] {
  return secret instanceof Uint8Array ? [secret] : secret
}

export function folderSecret(options: {
  readonly folder: string
  readonly logger: Logger
  readonly given: readonly Uint8Array[]
}): readonly Uint8Array[] {
  const { folder, logger, given } = options
  if (given.length === 0) makeSecret(folder)
  const own = readSecrets(folder, logger)
  return [...given, ...own.filter((secret) => !given.some((one) => Buffer.compare(one, secret) === 0))]
}

/** Makes the secret if it is missing. It appears whole or not at all, so that two processes that start at once agree on it. */
function makeSecret(folder: string): void {
  const path = join(folder, 'secret.key')
  if (existsSync(path)) return
  // Not named by the process: those of two containers may have the same number.
  const draft = `${path}.${randomBytes(8).toString('hex')}`
  writeFileSync(draft, randomBytes(32), { mode: 0o600, flag: 'wx', flush: true })
  try {
    linkSync(draft, path)
  } catch (error) {
    if (!existsSync(path)) throw error
  } finally {
    rmSync(draft)
  }
}

/** The folder's secrets: `secret.key`, then those that it has replaced, `secret.<name>.key`. */
function readSecrets(folder: string, logger: Logger): Uint8Array[] {
  const names = readdirSync(folder).filter((name) => /^secret\.(?:[^.]+\.)?key$/.test(name))
  const own = (name: string) => (name === 'secret.key' ? 0 : 1)
  return names
    .toSorted((one, other) => own(one) - own(other) || (one < other ? -1 : 1))
    .map((name) => {
      privateFile(join(folder, name), logger)
      return readFileSync(join(folder, name))
    })
}
