import type { Command } from 'commander'
import { everythingOf, exportToFile, exportToOutput, listed, type WriteExport } from '../data/export-file.ts'
import { everythingOfPerson } from '../data/export-person.ts'
import { dataArgument, dataFor, type DataChoice } from '../data/data-choice.ts'
import { withExamples } from '../examples.ts'
import { terminal } from '../terminal.ts'

interface ExportFlags extends DataChoice {
  readonly out?: string
  readonly person?: string
  readonly tenant?: string
}

export function configure(command: Command): void {
  dataArgument(command)
    .description(
      'Writes everything that must not be lost as lines of JSON, each with a hash over itself and all before it. The ' +
        'agent may run meanwhile. The secret is not in it; the export is as secret as the data. With --person it writes all ' +
        'that is kept of one person, to be handed to them: messages, what is remembered, what channels keep, and files, ' +
        'decrypted; it cannot be imported.',
    )
    .option('--out <file>', 'write into a new file that only its owner can read, in place of the standard output')
    .option('--person <address>', 'only of this person, by one address: email:ann@example.com, phone:+49301234567')
    .option('--tenant <name>', "whose person; the configuration's tenant, or `default`, if left out")
    .option('--json', 'print the counts as JSON; needs --out')
    .action(run)
  withExamples(command, [
    ['beach export .beach --out backup.jsonl', 'into a file'],
    ["beach export 'postgres://beach@db/beach?schema=beach' | gzip > backup.gz", 'to another program'],
    ['beach export --person email:ann@example.com --out ann.jsonl', 'what is kept of a person'],
  ])
}

async function run(data: string | undefined, flags: ExportFlags, command: Command): Promise<void> {
  const { out, json, config, person, tenant } = flags
  if (json && out === undefined) command.error('error: --json needs --out <file>: without it the export is the output.')
  if (tenant !== undefined && person === undefined) command.error('error: --tenant goes with --person.')
  if (person !== undefined) {
    const counts = await exported(everythingOfPerson({ person, tenant, data, config }), out)
    if (json) return terminal.json({ file: out, counts })
    return terminal.note(
      `Exported: ${Object.entries(counts)
        .map(([kind, count]) => `${count} ${kind}${count === 1 || kind === 'remembered' ? '' : 's'}`)
        .join(', ')}.`,
    )
  }
  const counts = await exported(everythingOf(await dataFor(data, { config })), out)
  if (json) terminal.json({ file: out, counts })
  else terminal.note(`Exported: ${listed(counts)}.`)
}

function exported<Result>(write: WriteExport<Result>, out: string | undefined): Promise<Result> {
  return out === undefined ? exportToOutput(write) : exportToFile(out, write)
}
