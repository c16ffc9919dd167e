import type { Command } from 'commander'
import { withExamples } from '../examples.ts'
import { plainText } from '../plain-text.ts'
import { moment, printTable } from '../table.ts'
import { terminal } from '../terminal.ts'
import { accessOptions, openAccess, type AccessFlags } from '../visit/agent-access.ts'
import { wholeNumber } from '../whole-number.ts'

interface ListFlags extends AccessFlags {
  readonly after?: string
  readonly limit?: string
}

export function configure(command: Command): void {
  const list = accessOptions(command.command('list').summary('list sessions').description('Lists sessions.'))
    .option('--after <place>', 'go on after the `next` of an earlier list')
    .option('--limit <number>', 'how many at most')
    .action(listSessions)
  withExamples(list, [['beach sessions list --limit 20', 'with the data of beach.config.ts']])
  const show = accessOptions(command.command('show').summary('show one session').description('Shows one session.'))
    .argument('<session>', 'its id')
    .action(showSession)
  withExamples(show, [['beach sessions show sess_4f2a --json', 'its state, for programs']])
  withExamples(command, [
    ['beach sessions list', 'all sessions of the data of beach.config.ts'],
    ['beach sessions show sess_4f2a --url https://clerk.example', 'one session of a running agent'],
  ])
}

async function listSessions({ after, limit, ...flags }: ListFlags): Promise<void> {
  const count = wholeNumber('--limit', limit)
  const access = await openAccess(flags)
  try {
    const page = await access.sessions({ after, limit: count })
    if (flags.json) return terminal.json(page)
    printTable(
      ['session', 'opened'],
      page.items.map((one) => [one.sessionId, moment(one.openedAt)]),
      'There are no sessions.',
    )
    if (page.next !== undefined) terminal.note(`There are more: --after ${page.next}`)
  } finally {
    await access.close()
  }
}

async function showSession(session: string, flags: AccessFlags): Promise<void> {
  const access = await openAccess(flags)
  try {
    const shown = await access.session(session)
    // JSON escapes control characters, but not those that turn the direction of writing around.
    if (flags.json) terminal.json(shown)
    else terminal.line(plainText(JSON.stringify(shown, null, 2)))
  } finally {
    await access.close()
  }
}
