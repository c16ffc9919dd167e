import type { VerifiedAudit } from '@cool-ai/beach-channel/audit'
import { Option, type Command } from 'commander'
import { withExamples } from '../examples.ts'
import { exitCodes } from '../exit-codes.ts'
import { plainLine } from '../plain-text.ts'
import { terminal } from '../terminal.ts'
import { accessOptions, openAccess, type AccessFlags } from '../visit/agent-access.ts'

interface VerifyFlags extends AccessFlags {
  readonly expected?: string
}

interface ExportFlags extends AccessFlags {
  readonly format: 'jsonl' | 'syslog'
}

export function configure(command: Command): void {
  const verify = accessOptions(command.command('verify').summary('find out whether the record is as it was written'))
    .description(
      'Reads the record of each tenant and names the first entry that was changed, removed or added. The hash of the last ' +
        'entry, kept elsewhere, shows later that the record was neither cut nor written anew: --expected.',
    )
    .option('--expected <hash>', 'the hash of an entry that must be in the record')
    .action(verifyRecord)
  withExamples(verify, [['beach audit verify', 'ends with 0 if the record is whole, with 1 if it is not']])
  const write = accessOptions(command.command('export').summary('print the record'))
    .description('Prints the record, oldest first, a line for each entry. That it was printed is its last entry.')
    .addOption(
      new Option('--format <format>', 'lines of JSON, or of syslog').choices(['jsonl', 'syslog']).default('jsonl'),
    )
    .action(exportRecord)
  withExamples(write, [['beach audit export > audit.jsonl', 'with the data of beach.config.ts']])
  withExamples(command, [
    ['beach audit verify', 'is the record as it was written?'],
    ['beach audit export --format syslog', 'print it for a collector'],
  ])
}

async function verifyRecord({ expected, ...flags }: VerifyFlags): Promise<void> {
  const access = await openAccess(flags)
  try {
    const results = await access.verifyAudit(expected)
    if (flags.json) terminal.json(results)
    else for (const result of results) terminal.line(plainLine(sentence(result)))
    if (results.length === 0 && !flags.json) terminal.line('There is no record yet.')
    if (results.some(({ problem }) => problem !== undefined)) process.exitCode = exitCodes.failed
  } finally {
    await access.close()
  }
}

function sentence({ tenant, entries, head, problem }: VerifiedAudit): string {
  if (problem === undefined) {
    const whole = entries === 1 ? 'the one entry is as it was' : `all ${entries} entries are as they were`
    return `${tenant}: ${whole} written. The last one: ${head.hash}`
  }
  const place = problem.seq === undefined ? problem.log : `${problem.log}, seq ${problem.seq}`
  return `${tenant}: from entry ${problem.n} on the record is not as it was written (${place}): ${problem.problem}.`
}

async function exportRecord({ format, ...flags }: ExportFlags): Promise<void> {
  const access = await openAccess(flags)
  try {
    for await (const line of access.exportAudit(format)) terminal.line(line)
  } finally {
    await access.close()
  }
}
