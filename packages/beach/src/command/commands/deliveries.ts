import type { Command } from 'commander'
import { withExamples } from '../examples.ts'
import { plainLine } from '../plain-text.ts'
import { moment, printTable } from '../table.ts'
import { terminal } from '../terminal.ts'
import { accessOptions, openAccess, type AccessFlags } from '../visit/agent-access.ts'

export function configure(command: Command): void {
  const list = accessOptions(command.command('list').summary('list deliveries that were given up'))
    .description('Lists dead letters: answers that could not be sent, and why.')
    .action(listDeadLetters)
  withExamples(list, [['beach deliveries list --json', 'for programs']])
  const retry = accessOptions(command.command('retry').summary('send one again'))
    .description('Queues a dead letter again. The running agent, or the next one, sends it.')
    .argument('<session>', 'the session that it is of')
    .argument('<delivery>', 'its id')
    .action(retryOne)
  withExamples(retry, [['beach deliveries retry sess_4f2a turn_1:email', 'once the mail server is back']])
  withExamples(command, [
    ['beach deliveries list', 'what could not be sent'],
    ['beach deliveries retry sess_4f2a turn_1:email --url https://clerk.example', 'at a running agent'],
  ])
}

async function listDeadLetters(flags: AccessFlags): Promise<void> {
  const access = await openAccess(flags)
  try {
    const page = await access.deadLetters({})
    if (flags.json) return terminal.json(page)
    const rows = page.items.map(({ sessionId, deliveryId, letter }) => [
      sessionId,
      deliveryId,
      moment(letter?.at),
      letter?.reason ?? '',
    ])
    printTable(['session', 'delivery', 'given up', 'because'], rows, 'There are no dead letters.')
  } finally {
    await access.close()
  }
}

async function retryOne(session: string, delivery: string, flags: AccessFlags): Promise<void> {
  const access = await openAccess(flags)
  try {
    await access.redeliver(session, delivery)
    if (flags.json) terminal.json({ session, delivery, status: 'queued' })
    else terminal.line(`${plainLine(delivery)} is queued again.`)
  } finally {
    await access.close()
  }
}
