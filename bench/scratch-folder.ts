import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A folder for the time of `use`, on the disk of this repository: a memory file system would sync for nothing. */
export async function withScratchFolder<Result>(use: (folder: string) => Promise<Result>): Promise<Result> {
  const parent = fileURLToPath(new URL('../.beach', import.meta.url))
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, 'bench-'))
  try {
    return await use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
