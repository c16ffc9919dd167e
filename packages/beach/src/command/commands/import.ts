import { createReadStream } from 'node:fs'
import type { Command } from 'commander'
import { importData } from '../../data/moving/import-data.ts'
import { listed } from '../data/export-file.ts'
import { dataArgument, dataFor, type DataChoice } from '../data/data-choice.ts'
import { withExamples } from '../examples.ts'
import { terminal } from '../terminal.ts'

interface ImportFlags extends DataChoice {
  readonly in?: string
}

export function configure(command: Command): void {
  dataArgument(command)
    .description(
      'Writes an export into an empty data folder or database, and goes on where it was cut off. Stop the agent first. An ' +
        'altered or cut export is refused with the number of the line, a place that has other data too.',
    )
    .option('--in <file>', 'read the export from a file, in place of the standard input')
    .option('--json', 'print the result as JSON')
    .action(run)
  withExamples(command, [
    ['beach import .beach --in backup.jsonl', 'into a new data folder'],
    [
      "beach export .beach | beach import 'postgres://beach_owner@db/beach?schema=beach'",
      'from a folder to a database',
    ],
  ])
}

async function run(data: string | undefined, { in: file, json, config }: ImportFlags): Promise<void> {
  const to = await dataFor(data, { config })
  const input = file === undefined ? process.stdin : createReadStream(file)
  const result = await importData({ to, input })
  const { counts, continuedAfter, wasThere } = result
  if (json) terminal.json({ ...result })
  else if (wasThere === true) terminal.note('This export was imported before; nothing was changed.')
  else if (continuedAfter === undefined) terminal.note(`Imported: ${listed(counts)}.`)
  else terminal.note(`Went on after line ${continuedAfter}. Imported: ${listed(counts)}.`)
}
