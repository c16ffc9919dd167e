import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A file for the store of one test. */
export function sqliteFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'beach-a2a-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'beach.db')
}
