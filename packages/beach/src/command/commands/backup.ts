import type { Command } from 'commander'
import { backUp } from '../data/back-up.ts'
import { dataArgument, dataFor, type DataChoice } from '../data/data-choice.ts'
import { listed } from '../data/export-file.ts'
import { withExamples } from '../examples.ts'
import { terminal } from '../terminal.ts'

interface BackupFlags extends DataChoice {
  readonly to: string
  readonly keep?: string
}

export function configure(command: Command): void {
  dataArgument(command)
    .description(
      'Writes an export into a folder, as beach-<time>.jsonl, reads it back, and deletes older ones. A backup that failed ' +
        'leaves no file and deletes none. The agent may run. The secret is not in it: keep secret.key or BEACH_SECRET apart.',
    )
    .requiredOption('--to <folder>', 'the folder of the backups; made if it is missing, for its owner only')
    .option('--keep <number>', 'how many backups stay; all if left out')
    .option('--json', 'print the result as JSON')
    .action(run)
  withExamples(command, [
    ['beach backup .beach --to backups', 'one more backup'],
    ['beach backup --to /var/backups/clerk --keep 14', 'from a daily timer, with the data of beach.config.ts'],
    ['beach import .beach-restored --in backups/beach-….jsonl', 'restore one into a new folder'],
  ])
}

async function run(data: string | undefined, flags: BackupFlags, command: Command): Promise<void> {
  const keep = flags.keep === undefined ? undefined : Number(flags.keep)
  if (keep !== undefined && (!Number.isInteger(keep) || keep < 1)) {
    command.error(`error: '${flags.keep}' is no number of backups to keep: give 1 or more.`)
  }
  const from = await dataFor(data, flags)
  const { file, counts, deleted } = await backUp({ from, folder: flags.to, keep })
  if (flags.json) return terminal.json({ file, counts, deleted })
  terminal.line(file)
  terminal.note(`Backed up and read back: ${listed(counts)}.`)
  if (deleted.length > 0) terminal.note(`Deleted: ${deleted.join(', ')}.`)
}
