import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { BeachError, isBeachError, type Logger } from '@cool-ai/beach-core'
import { privateFolder } from '@cool-ai/beach-core/sqlite'

const artifactId = /^art_[a-z0-9]{16,64}$/

/** True for what may be an artifact's id, and so the name of its folder; asked before any path is made of it. */
export function isArtifactId(text: string): boolean {
  return artifactId.test(text)
}

/** The folders: `kept/<id>` for each artifact, `bytes/<sha256>` for shared bytes, `drafts` for work in progress. */
export class ArtifactFolder {
  readonly kept: string
  readonly drafts: string
  readonly #bytes: string

  private constructor(path: string) {
    this.kept = join(path, 'kept')
    this.drafts = join(path, 'drafts')
    this.#bytes = join(path, 'bytes')
  }

  /** Makes what is missing; only the user who runs the agent can enter. */
  static open(path: string, logger: Logger): ArtifactFolder {
    const folder = new ArtifactFolder(path)
    for (const made of [path, folder.kept, folder.drafts, folder.#bytes]) privateFolder(made, logger)
    return folder
  }

  /** An artifact's own folder. */
  home(id: string): string {
    if (!isArtifactId(id)) throw new BeachError('INTERNAL', 'This cannot be the id of an artifact.')
    return join(this.kept, id)
  }

  /** The folder of an artifact that is being made or unmade; it names the process that does it. */
  draft(id: string): string {
    if (!isArtifactId(id)) throw new BeachError('INTERNAL', 'This cannot be the id of an artifact.')
    return join(this.drafts, `${process.pid}.${id}`)
  }

  /** The one file of these bytes that others are linked to. */
  shared(sha256: string): string {
    if (!/^[0-9a-f]{64}$/.test(sha256)) throw new BeachError('INTERNAL', 'This cannot be a SHA-256.')
    return join(this.#bytes, sha256)
  }
}

/** What stands in an artifact's folder. */
export const fileNames = { content: 'content', about: 'about.json' } as const

/** Runs something on the disk; its errors are reported without paths. */
export async function onDisk<Value>(run: () => Promise<Value>): Promise<Value> {
  try {
    return await run()
  } catch (cause) {
    if (isBeachError(cause)) throw cause
    throw new BeachError('STORE_UNAVAILABLE', 'The folder of the artifacts cannot be used right now.', { cause })
  }
}

/** True for an error of the file system with one of these codes. */
export function isDiskError(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}

/** Undefined when the file or folder is not there. */
export async function ifThere<Value>(found: Promise<Value>): Promise<Value | undefined> {
  try {
    return await found
  } catch (error) {
    if (isDiskError(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw error
  }
}

/** Syncs the names in a folder, so that they survive a power cut. */
export async function syncFolder(path: string): Promise<void> {
  // Windows does not let a folder be opened; its names are journalled.
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
