#!/usr/bin/env node
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { parseArgs } from 'node:util'
import { isBeachError, systemRuntime } from '@cool-ai/beach-core'
import { checkData } from './check-data.ts'
import { exportData, type RecordCounts } from './moving/export-data.ts'
import { importData } from './moving/import-data.ts'
import { isUrl, migrateData } from './moving/postgres-data.ts'
import { rescueData, type RescuedFile } from './rescue-data.ts'

const usage = `Look after the data of an agent. <data> is a data folder, or postgres://user@host/database?schema=<name>:

  check <folder>                 reads everything and says what is damaged
  rescue <folder> <new folder>   copies what is readable into a new folder; stop the agent first
  export <data> [--out <file>]   writes everything that must not be lost as lines of JSON; the agent may run
  import <data> [--in <file>]    writes an export into an empty place; goes on when it was cut off; stop the agent first
  migrate <postgres url>         makes and updates the tables, as a user who may; agents then need no right to`

const { positionals, values } = parsed()
const [command, data, target] = positionals
try {
  if (command === 'check' && data !== undefined) await check(data)
  else if (command === 'rescue' && data !== undefined && target !== undefined) rescue(data, target)
  else if (command === 'export' && data !== undefined) await exportTo(data, values.out)
  else if (command === 'import' && data !== undefined) await importFrom(data, values.in)
  else if (command === 'migrate' && data !== undefined && isUrl(data)) await migrate(data)
  else {
    console.error(usage)
    process.exitCode = 2
  }
} catch (error) {
  if (!isBeachError(error) && !isFileError(error)) throw error
  console.error(error.message)
  process.exitCode = 1
}

function parsed() {
  try {
    const options = { out: { type: 'string' }, in: { type: 'string' } } as const
    return parseArgs({ allowPositionals: true, options })
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return { positionals: [], values: {} as { out?: string; in?: string } }
  }
}

/** A file that cannot be read or written, or a reader that has gone. */
function isFileError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && /^E[A-Z]+$/.test(String(error.code))
}

async function exportTo(from: string, file: string | undefined): Promise<void> {
  const output =
    file === undefined ? process.stdout : createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true })
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => {})
  output.once('error', failed.reject)
  const write = async (text: string) => {
    if (!output.write(text)) await Promise.race([once(output, 'drain'), failed.promise])
  }
  const counts = await exportData({ from, write })
  if (output !== process.stdout) await Promise.race([new Promise<void>((done) => output.end(done)), failed.promise])
  console.error(`Exported: ${listed(counts)}.`)
}

async function importFrom(to: string, file: string | undefined): Promise<void> {
  const input = file === undefined ? process.stdin : createReadStream(file)
  const { counts, continuedAfter, wasThere } = await importData({ to, input })
  if (wasThere === true) console.error('This export was imported before; nothing was changed.')
  else if (continuedAfter === undefined) console.error(`Imported: ${listed(counts)}.`)
  else console.error(`Went on after line ${continuedAfter}. Imported: ${listed(counts)}.`)
}

async function migrate(url: string): Promise<void> {
  const schema = await migrateData(url, systemRuntime())
  console.error(`The tables in the schema ${schema} are up to date.`)
}

function listed(counts: RecordCounts): string {
  const { key = 0, session = 0, events = 0, address = 0, artifact = 0 } = counts
  return `${session} sessions, ${events} appends, ${key} keys, ${address} addresses of persons, ${artifact} artifacts`
}

async function check(from: string): Promise<void> {
  const problems = await checkData(from)
  for (const { file, problem } of problems) console.log(`${file}: ${problem}`)
  console.log(
    problems.length === 0
      ? `${from} is whole.`
      : `${from} is damaged. Stop the agent, and run: rescue ${from} <new folder>`,
  )
  process.exitCode = problems.length === 0 ? 0 : 1
}

function rescue(from: string, to: string): void {
  const files = rescueData({ from, to })
  for (const file of files) console.log(sentences(file).join('\n'))
  console.log(`Start the agent with ${to}. ${from} is as it was.`)
}

function sentences({ file, tables, lost, incomplete }: RescuedFile): string[] {
  if (lost !== undefined) return [`${file}: ${lost}`]
  if (tables === undefined) return [`${file}: left out; it is rebuilt from the logs`]
  const lines = tables.map(
    ({ table, rows, isWhole }) => `${file}: ${rows} rows of ${table}${isWhole ? '' : ', others were not readable'}`,
  )
  if (incomplete === undefined) return lines
  const { sessions, file: aside } = incomplete
  return [...lines, `${file}: ${sessions.length} sessions lack events; what is left of them is in ${aside}`]
}
