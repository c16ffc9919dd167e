#!/usr/bin/env node
import { isBeachError } from '@cool-ai/beach-core'
import { checkData } from './check-data.ts'
import { rescueData, type RescuedFile } from './rescue-data.ts'

const usage = `Check and rescue the data folder of an agent:

  check <folder>                 reads everything and says what is damaged
  rescue <folder> <new folder>   copies what is readable into a new folder; stop the agent first`

const [command, folder, target] = process.argv.slice(2)
try {
  if (command === 'check' && folder !== undefined) await check(folder)
  else if (command === 'rescue' && folder !== undefined && target !== undefined) rescue(folder, target)
  else {
    console.error(usage)
    process.exitCode = 2
  }
} catch (error) {
  if (!isBeachError(error)) throw error
  console.error(error.message)
  process.exitCode = 1
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
