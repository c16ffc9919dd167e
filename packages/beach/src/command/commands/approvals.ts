import type { PendingApproval } from '@cool-ai/beach-core/ports'
import { approvalLines, askedApproval } from '@cool-ai/beach-protocol'
import type { Command } from 'commander'
import { withExamples } from '../examples.ts'
import { plainLine, plainText } from '../plain-text.ts'
import { moment, printTable } from '../table.ts'
import { terminal } from '../terminal.ts'
import { accessOptions, openAccess, type AccessFlags } from '../visit/agent-access.ts'

interface DecideFlags extends AccessFlags {
  readonly reason?: string
}

export function configure(command: Command): void {
  const list = accessOptions(command.command('list').summary('list what waits for a decision'))
    .description(
      'Lists what waits and operators may decide (`approvals.approvers`), by its title; `grant` and `deny` show all of it.',
    )
    .action(listApprovals)
  withExamples(list, [['beach approvals list', 'with the data of beach.config.ts']])
  for (const [name, decision] of [
    ['grant', 'granted'],
    ['deny', 'denied'],
  ] as const) {
    const decide = accessOptions(command.command(name).summary(`${name} one request`))
      .description(`Decides one request: ${name}. The running agent, or the next one, goes on with it.`)
      .argument('<approval>', 'its id')
      .option('--reason <text>', 'why; the model reads it')
      .action(async (id: string, flags: DecideFlags) => decideOne(id, decision, flags))
    withExamples(decide, [[`beach approvals ${name} approval_7c1d --reason 'as agreed'`, 'with a reason']])
  }
  withExamples(command, [
    ['beach approvals list', 'what waits'],
    ["beach approvals deny approval_7c1d --reason 'too much'", 'decide one'],
  ])
}

async function listApprovals(flags: AccessFlags): Promise<void> {
  const access = await openAccess(flags)
  try {
    const page = await access.approvals({})
    if (flags.json) return terminal.json(page)
    printTable(
      ['approval', 'session', 'since', 'request'],
      page.items.map(row),
      'Nothing waits that an operator may decide.',
    )
  } finally {
    await access.close()
  }
}

function row({ approvalId, sessionId, requestedAt, part }: PendingApproval): string[] {
  return [approvalId, sessionId, moment(requestedAt), askedApproval(part)?.title ?? '']
}

function inFull({ part }: PendingApproval): string {
  const asked = askedApproval(part)
  const lines = asked === undefined ? [JSON.stringify(part.data)] : [asked.title, ...approvalLines(asked)]
  return lines.map(plainText).join('\n  ')
}

async function decideOne(id: string, decision: 'granted' | 'denied', flags: DecideFlags): Promise<void> {
  const access = await openAccess(flags)
  try {
    const open = (await access.approvals({})).items.find(({ approvalId }) => approvalId === id)
    // What is decided stands next to the decision: the list has no room for all arguments.
    if (open !== undefined && !flags.json) terminal.note(inFull(open))
    await access.decide(id, { decision, reason: flags.reason })
    if (flags.json) terminal.json({ approvalId: id, decision })
    else terminal.line(`${plainLine(id)} is ${decision}.`)
  } finally {
    await access.close()
  }
}
