import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileNames, ifThere, isDiskError, type ArtifactFolder } from './artifact-folder.ts'
import { parseAbout } from './about.ts'
import { release } from './shared-bytes.ts'

/** Drafts that this process works on; any other with its number was left by a process before it. */
const underWay = new Set<string>()

/** Marks a draft as being worked on until the returned function is called. */
export function working(draft: string): () => void {
  underWay.add(draft)
  return () => underWay.delete(draft)
}

/**
 * Removes a draft, and the shared bytes when only it held them. The record of which bytes these are goes last, so that
 * a crash in between leaves enough to go on from.
 */
export async function discardDraft(folder: ArtifactFolder, draft: string): Promise<void> {
  const about = parseAbout(await ifThere(readFile(join(draft, fileNames.about), 'utf8')))
  for (const name of (await ifThere(readdir(draft))) ?? []) {
    if (name !== fileNames.about) await rm(join(draft, name), { force: true })
  }
  if (about !== undefined) await release(folder.shared(about.sha256))
  await rm(draft, { recursive: true, force: true })
}

/** Removes the drafts of processes that have ended. */
export async function discardLeftovers(folder: ArtifactFolder): Promise<number> {
  const names = await readdir(folder.drafts)
  const left = names.filter((name) => !isWorkedOn(join(folder.drafts, name), Number.parseInt(name)))
  for (const name of left) await discardDraft(folder, join(folder.drafts, name))
  return left.length
}

function isWorkedOn(draft: string, pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  return pid === process.pid ? underWay.has(draft) : isAlive(pid)
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return !isDiskError(error, 'ESRCH')
  }
}
