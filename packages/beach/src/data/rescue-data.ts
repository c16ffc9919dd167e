import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { BeachError, systemRuntime, type Runtime } from '@cool-ai/beach-core'
import { privateFolder, rescueSqlite } from '@cool-ai/beach-core/sqlite'
import { rescueStore } from '@cool-ai/beach-session/sqlite-rescue'
import { dataFiles } from './data-files.ts'

/** The result for one database. */
export interface RescuedFile {
  /** From the folder. */
  readonly file: string
  /** What was copied of it, table by table; absent when the file is made anew from others. */
  readonly tables?: readonly { readonly table: string; readonly rows: number; readonly isWhole: boolean }[] | undefined
  /** Why nothing of it could be read. */
  readonly lost?: string | undefined
  /** Sessions that lack events, and the file in the new folder that has what is left of them. */
  readonly incomplete?: { readonly sessions: readonly string[]; readonly file: string } | undefined
}

/** Made anew from the logs when it is missing. */
const derived = 'missives.db'
const parkedName = 'incomplete-sessions.jsonl'

/**
 * Copies what can be read of a damaged data folder into a new one, with which the agent can be started. The damaged one
 * stays as it is. No process may use it meanwhile.
 */
export function rescueData(options: { from: string; to: string; runtime?: Runtime }): RescuedFile[] {
  const { from, to, runtime = systemRuntime() } = options
  if (existsSync(to) && readdirSync(to).length > 0) {
    throw new BeachError('INVALID_CONFIGURATION', `The folder ${to} is not empty. Name a new one.`)
  }
  const { databases, artifacts, others } = dataFiles(from)
  privateFolder(to, runtime.logger)
  const placeFor = (name: string) => {
    mkdirSync(dirname(join(to, name)), { recursive: true, mode: 0o700 })
    return join(to, name)
  }
  for (const name of others) copyFileSync(join(from, name), placeFor(name))
  for (const name of artifacts) cpSync(join(from, name), placeFor(name), { recursive: true })
  const files = databases.map((file) => {
    if (basename(file) === derived) return { file }
    try {
      return { file, ...rescued(join(from, file), placeFor(file), runtime) }
    } catch (error) {
      return { file, lost: error instanceof Error ? error.message : String(error) }
    }
  })
  closeToOthers(to)
  return files
}

function closeToOthers(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isSymbolicLink()) continue
    chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o700 : 0o600)
  }
}

function rescued(from: string, to: string, runtime: Runtime): Omit<RescuedFile, 'file'> {
  if (basename(from) !== 'beach.db') return { tables: rescueSqlite(from, to) }
  const asideFile = join(dirname(to), parkedName)
  const { tables, incomplete } = rescueStore({ from, to, asideFile, runtime })
  return { tables, incomplete: incomplete.length > 0 ? { sessions: incomplete, file: asideFile } : undefined }
}
