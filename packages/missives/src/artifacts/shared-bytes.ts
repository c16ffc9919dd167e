import { link, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileNames, ifThere, isDiskError } from './artifact-folder.ts'

/**
 * Makes the draft's content and the shared file of the same bytes one file: by a hard link, so that each artifact holds
 * its bytes itself, independent of the others. Throws where the file system cannot do that.
 */
export async function share(draft: string, shared: string): Promise<void> {
  const own = join(draft, fileNames.content)
  for (;;) {
    try {
      return await link(own, shared)
    } catch (error) {
      if (!isDiskError(error, 'EEXIST')) throw error
    }
    const other = join(draft, 'shared')
    try {
      await link(shared, other)
      return await rename(other, own)
    } catch (error) {
      await rm(other, { force: true })
      // It was there a moment ago; the last artifact with these bytes has been deleted since.
      if (!isDiskError(error, 'ENOENT')) throw error
    }
  }
}

/**
 * Removes the shared file when no artifact holds it any more. One that takes hold at this very moment keeps its bytes
 * by its own link; only the next with the same bytes will be stored anew.
 */
export async function release(shared: string): Promise<void> {
  const found = await ifThere(stat(shared))
  if (found?.nlink === 1) await rm(shared, { force: true })
}
