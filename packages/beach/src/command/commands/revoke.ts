import type { Command } from 'commander'
import { withExamples } from '../examples.ts'
import { plainLine } from '../plain-text.ts'
import { terminal } from '../terminal.ts'
import { accessOptions, openAccess, type AccessFlags } from '../visit/agent-access.ts'

interface RevokeFlags extends AccessFlags {
  readonly session?: string
  readonly principal?: string
  readonly token?: string
}

export function configure(command: Command): void {
  accessOptions(command)
    .description(
      'Takes back tokens and cookies of the agent. Running processes know within seconds; streams that are open end. New ' +
        'logins of the same principal are let in.',
    )
    .option('--session <id>', 'all tokens of the owner of a session')
    .option('--principal <kind~id>', 'all tokens of a principal, such as user~anna')
    .option('--token <token>', 'the login that a token belongs to: the token itself, or the id of a token or login')
    .action(run)
  withExamples(command, [
    ['beach revoke --session sess_4f2a', 'log a guest out everywhere'],
    ['beach revoke --principal user~anna --url https://agent.example', 'by a running agent'],
  ])
}

async function run({ session, principal, token, ...flags }: RevokeFlags, command: Command): Promise<void> {
  const asked = [session, principal, token].filter((given) => given !== undefined)
  if (asked.length !== 1) command.error('error: say what to revoke: --session, --principal or --token, one of them.')
  const access = await openAccess(flags)
  try {
    const target = await access.revoke({ session, principal, token })
    if (flags.json) return terminal.json({ revoked: target })
    terminal.line(`Revoked ${plainLine(session ?? principal ?? target)}.`)
  } finally {
    await access.close()
  }
}
