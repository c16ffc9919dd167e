import { createReadStream } from 'node:fs'
import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { systemRuntime } from '@cool-ai/beach-core'
import { privateFolder } from '@cool-ai/beach-core/sqlite'
import type { RecordCounts } from '../../data/moving/export-data.ts'
import { LineReader } from '../../data/moving/export-lines.ts'
import { everythingOf, exportToFile } from './export-file.ts'

const backupName = /^beach-\d{4}-\d{2}-\d{2}T[\d-]+Z\.jsonl$/

/** Writes an export into a folder of backups, reads it back, and deletes the oldest ones above `keep`. */
export async function backUp(options: {
  readonly from: string
  readonly folder: string
  readonly keep?: number | undefined
}): Promise<{ readonly file: string; readonly counts: RecordCounts; readonly deleted: readonly string[] }> {
  const { from, folder, keep } = options
  const { clock, logger } = systemRuntime()
  privateFolder(folder, logger)
  const name = `beach-${new Date(clock.now()).toISOString().replaceAll(/[:.]/g, '-')}.jsonl`
  const file = join(folder, name)
  // It has its name once it is whole.
  const draft = `${file}.part`
  try {
    await exportToFile(draft, everythingOf(from))
    const counts = await readBack(draft)
    await rename(draft, file)
    return { file, counts, deleted: keep === undefined ? [] : await deleteOlder(folder, keep) }
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** Reads every line of an export and its hash; returns the counts of its last line. */
async function readBack(file: string): Promise<RecordCounts> {
  const lines = new LineReader(createReadStream(file))
  try {
    await lines.header()
    for (;;) {
      const record = await lines.next()
      if (record.kind === 'end') return record.counts
    }
  } finally {
    await lines.close()
  }
}

async function deleteOlder(folder: string, keep: number): Promise<string[]> {
  const backups = (await readdir(folder)).filter((name) => backupName.test(name)).toSorted()
  const older = backups.slice(0, Math.max(backups.length - keep, 0))
  for (const name of older) await rm(join(folder, name))
  return older
}
