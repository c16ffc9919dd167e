import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import type { Writable } from 'node:stream'
import { exportData, type RecordCounts } from '../../data/moving/export-data.ts'

/** Writes an export piece by piece. */
export type WriteExport<Result> = (write: (text: string) => Promise<void>) => Promise<Result>

/** Everything that must not be lost. */
export function everythingOf(from: string): WriteExport<RecordCounts> {
  return (write) => exportData({ from, write })
}

/** Exports to the standard output. */
export async function exportToOutput<Result>(run: WriteExport<Result>): Promise<Result> {
  return run(writerOf(process.stdout).write)
}

/** Exports into a new file that only its owner can read; it is on disk when this returns. */
export async function exportToFile<Result>(file: string, run: WriteExport<Result>): Promise<Result> {
  const output = createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true })
  const { write, failed } = writerOf(output)
  // Before anything is read: a file that is there already is said at once.
  await Promise.race([once(output, 'open'), failed])
  try {
    return await run(write)
  } finally {
    await Promise.race([new Promise<void>((done) => output.end(done)), failed])
  }
}

function writerOf(output: Writable) {
  const { promise: failed, reject } = Promise.withResolvers<never>()
  failed.catch(() => {})
  output.once('error', reject)
  const write = async (text: string) => {
    if (!output.write(text)) await Promise.race([once(output, 'drain'), failed])
  }
  return { write, failed }
}

export function listed(counts: RecordCounts): string {
  const { key = 0, session = 0, events = 0, address = 0, artifact = 0 } = counts
  return `${session} logs, ${events} appends, ${key} keys, ${address} addresses of persons, ${artifact} artifacts`
}
