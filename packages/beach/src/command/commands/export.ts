import type { Command } from 'commander'
import { exportToFile, exportToOutput, listed } from '../data/export-file.ts'
import { dataArgument, dataFor, type DataChoice } from '../data/data-choice.ts'
import { withExamples } from '../examples.ts'
import { terminal } from '../terminal.ts'

interface ExportFlags extends DataChoice {
  readonly out?: string
}

export function configure(command: Command): void {
  dataArgument(command)
    .description(
      'Writes everything that must not be lost as lines of JSON, each with a hash over itself and all before it. The ' +
        'agent may run meanwhile. The secret is not in it; the export is as secret as the data.',
    )
    .option('--out <file>', 'write into a new file that only its owner can read, in place of the standard output')
    .option('--json', 'print the counts as JSON; needs --out')
    .action(run)
  withExamples(command, [
    ['beach export .beach --out backup.jsonl', 'into a file'],
    ["beach export 'postgres://beach@db/beach?schema=beach' | gzip > backup.gz", 'to another program'],
  ])
}

async function run(data: string | undefined, { out, json, config }: ExportFlags, command: Command): Promise<void> {
  if (json && out === undefined) command.error('error: --json needs --out <file>: without it the export is the output.')
  const from = await dataFor(data, { config })
  const counts = out === undefined ? await exportToOutput(from) : await exportToFile(from, out)
  if (json) terminal.json({ file: out, counts })
  else terminal.note(`Exported: ${listed(counts)}.`)
}
