import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { BeachError } from '@cool-ai/beach-core'
import { DatabaseSync, refuseEmptied } from '@cool-ai/beach-core/sqlite'
import { unreadableRows } from '@cool-ai/beach-session/sqlite-rescue'
import { z } from 'zod'
import { dataFiles } from './data-files.ts'

/** Damage in a data folder. */
export interface DataProblem {
  /** From the folder. */
  readonly file: string
  readonly problem: string
}

const maxProblems = 20

/** Reads everything in a data folder and says what is damaged. It changes nothing; the agent may run meanwhile. */
export async function checkData(folder: string): Promise<DataProblem[]> {
  const { databases, artifacts } = dataFiles(folder)
  if (databases.length === 0) {
    throw new BeachError('INVALID_CONFIGURATION', `${folder} is not the data folder of an agent: it has no database.`)
  }
  const problems: DataProblem[] = []
  for (const file of databases) {
    const all = databaseProblems(join(folder, file))
    problems.push(...all.map((problem) => ({ file, problem })))
  }
  for (const file of artifacts) problems.push(...(await artifactProblems(folder, join(file, 'kept'))))
  return problems
}

function databaseProblems(path: string): string[] {
  const problems: string[] = []
  try {
    for (const row of integrity(path)) problems.push(...row.split('\n').filter((text) => !text.startsWith('***')))
    const unreadable = problems.length === 0 && basename(path) === 'beach.db' ? unreadableRows(path) : 0
    if (unreadable > 0) problems.push(`${unreadable} rows of events are not readable`)
  } catch (error) {
    // SQLite gives up in the middle of its list.
    if (problems.length === 0) problems.push(error instanceof Error ? error.message : String(error))
  }
  return problems
}

function* integrity(path: string): Generator<string> {
  refuseEmptied(path)
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    for (const row of db.prepare(`PRAGMA integrity_check(${maxProblems})`).iterate()) {
      const [text] = Object.values(row)
      if (text !== 'ok') yield String(text)
    }
  } finally {
    db.close()
  }
}

const about = z.object({ sizeBytes: z.number(), sha256: z.string() })

async function artifactProblems(folder: string, kept: string): Promise<DataProblem[]> {
  const problems: DataProblem[] = []
  for (const id of await readdir(join(folder, kept))) {
    const file = join(kept, id)
    try {
      const { sha256 } = about.parse(JSON.parse(await readFile(join(folder, file, 'about.json'), 'utf8')))
      const hash = createHash('sha256')
      await pipeline(createReadStream(join(folder, file, 'content')), hash)
      if (hash.digest('hex') !== sha256) problems.push({ file, problem: 'its content is not what was stored' })
    } catch (error) {
      problems.push({ file, problem: error instanceof Error ? error.message : String(error) })
    }
  }
  return problems
}
