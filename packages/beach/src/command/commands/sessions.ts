import type { Command } from 'commander'
import { withExamples } from '../examples.ts'
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
  const show = accessOptions(
    command
      .command('show')
      .summary('show one session')
      .description('Shows one session: its state, and what was said, called, asked and decided in it.'),
  )
    .argument('<session>', 'its id')
    .action(showSession)
  withExamples(show, [
    ['beach sessions show sess_4f2a', 'its state and the conversation'],
    ['beach sessions show sess_4f2a --json', 'its state, for programs'],
  ])
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
    const rows = page.items.map(({ sessionId, openedAt, state = '', title = '' }) => {
      return [sessionId, moment(openedAt), state, title]
    })
    const names = ['session', 'opened', 'state', 'first words']
    printTable(names, rows, 'There are no sessions.')
    if (page.next !== undefined) terminal.note(`There are more: --after ${page.next}`)
  } finally {
    await access.close()
  }
}

async function showSession(session: string, flags: AccessFlags): Promise<void> {
  const access = await openAccess(flags)
  try {
    const shown = await access.session(session)
    if (flags.json) return terminal.json(shown)
    const { printSession } = await import('../visit/session-text.ts')
    printSession(shown, await access.newestEvents(session))
  } finally {
    await access.close()
  }
}
