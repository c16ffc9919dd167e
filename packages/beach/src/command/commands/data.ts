import { BeachError, systemRuntime } from '@cool-ai/beach-core'
import type { Command } from 'commander'
import { checkData } from '../../data/check-data.ts'
import { isUrl, migrateData } from '../../data/moving/postgres-data.ts'
import { rescueData, type RescuedFile } from '../../data/rescue-data.ts'
import { dataFor, type DataChoice } from '../data/data-choice.ts'
import { withExamples } from '../examples.ts'
import { exitCodes } from '../exit-codes.ts'
import { terminal } from '../terminal.ts'
import { configureEncryption } from './data-encryption.ts'

interface Output {
  readonly json?: boolean
}

export function configure(command: Command): void {
  const check = command
    .command('check')
    .summary('read everything in a data folder and say what is damaged')
    .description('Reads everything in a data folder and says what is damaged. It changes nothing; the agent may run.')
    .argument('[folder]', 'the data folder; that of the configuration if left out')
    .option('--config <file>', 'the configuration; beach.config.ts of the working folder if left out')
    .option('--json', 'print the result as JSON')
    .action(checkFolder)
  withExamples(check, [
    ['beach data check', 'ends with 0 if the folder is whole, with 1 if it is damaged'],
    ['beach data check .beach --json', 'the same for programs'],
  ])
  const rescue = command
    .command('rescue')
    .summary('copy what is readable of a damaged data folder into a new one')
    .description('Copies what is readable of a damaged data folder into a new one. Stop the agent first.')
    .argument('<folder>', 'the damaged data folder, which stays as it is')
    .argument('<new folder>', 'where the copy goes')
    .option('--json', 'print the result as JSON')
    .action(rescueFolder)
  withExamples(rescue, [['beach data rescue .beach .beach-rescued', 'then start the agent with .beach-rescued']])
  const migrate = command
    .command('migrate')
    .summary('make and update the tables of a PostgreSQL database')
    .description(
      'Makes and updates the tables of a PostgreSQL database, as a user who may; agents then need no right to.',
    )
    .argument('<url>', 'postgres://user@host/database?schema=<name>')
    .option('--json', 'print the result as JSON')
    .action(migrateTables)
  withExamples(migrate, [
    ["beach data migrate 'postgres://beach_owner@db/beach?schema=beach'", 'before the new version starts'],
  ])
  configureEncryption(command)
  withExamples(command, [
    ['beach data check .beach', 'is the data folder whole?'],
    ['beach data rescue .beach .beach-rescued', 'copy what is readable of a damaged one'],
    ["beach data migrate 'postgres://owner@db/beach?schema=beach'", 'bring the tables up to date'],
  ])
}

async function checkFolder(given: string | undefined, { config, json }: DataChoice): Promise<void> {
  const folder = await dataFor(given, { config })
  if (isUrl(folder)) throw new BeachError('BAD_REQUEST', 'A database checks itself. Name a data folder.')
  const problems = await checkData(folder)
  if (json) terminal.json({ folder, isWhole: problems.length === 0, problems })
  else {
    for (const { file, problem } of problems) terminal.line(`${file}: ${problem}`)
    terminal.line(
      problems.length === 0
        ? `${folder} is whole.`
        : `${folder} is damaged. Stop the agent, and run: beach data rescue ${folder} <new folder>`,
    )
  }
  if (problems.length > 0) process.exitCode = exitCodes.failed
}

function rescueFolder(from: string, to: string, { json }: Output): void {
  const files = rescueData({ from, to })
  if (json) return terminal.json({ from, to, files })
  for (const file of files) terminal.line(sentences(file).join('\n'))
  terminal.line(`Start the agent with ${to}. ${from} is as it was.`)
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

async function migrateTables(url: string, { json }: Output): Promise<void> {
  if (!isUrl(url)) {
    const message = 'Only a PostgreSQL database has tables to migrate. Name one: postgres://user@host/database.'
    throw new BeachError('BAD_REQUEST', message)
  }
  const schema = await migrateData(url, systemRuntime())
  if (json) terminal.json({ schema })
  else terminal.note(`The tables in the schema ${schema} are up to date.`)
}
