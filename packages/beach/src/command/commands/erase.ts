import { BeachError, isBeachError } from '@cool-ai/beach-core'
import { parseAddress } from '@cool-ai/beach-missives'
import type { Command } from 'commander'
import { confirm } from '../confirm.ts'
import { dataArgument, type DataChoice } from '../data/data-choice.ts'
import { withExamples } from '../examples.ts'
import { plainLine } from '../plain-text.ts'
import { terminal } from '../terminal.ts'
import { visitData, type VisitedData } from '../visit/visit-data.ts'

interface EraseFlags extends DataChoice {
  readonly session?: string
  readonly person?: string
  readonly tenant?: string
  readonly yes?: boolean
}

export function configure(command: Command): void {
  dataArgument(command)
    .description(
      'Erases a session, or everything of a person, from the logs, the kept messages, what is remembered, the files and the ' +
        'identities, for good. The agent may run meanwhile; what its channels remember of a person it erases within its upkeep, or when it ' +
        'starts. Backups and exports made before still have it.',
    )
    .option('--session <id>', 'the session to erase')
    .option('--person <address>', 'the person, by one address: email:ann@example.com, phone:+49301234567')
    .option('--tenant <name>', "whose person; the configuration's tenant, or `default`, if left out")
    .option('--yes', 'do not ask')
    .option('--json', 'print the result as JSON')
    .action(run)
  withExamples(command, [
    ['beach erase .beach --session sess_4f2a', 'one session'],
    ['beach erase --person email:ann@example.com --yes', 'a person, with the data of beach.config.ts, without asking'],
  ])
}

async function run(data: string | undefined, flags: EraseFlags, command: Command): Promise<void> {
  const { session, person, tenant, yes, json, config } = flags
  if ((session === undefined) === (person === undefined)) {
    command.error('error: say what to erase: --session <id> or --person <address>, one of the two.')
  }
  const address = person === undefined ? undefined : parseAddress(person)
  const visited = await visitData(data, config, tenant)
  try {
    if (session !== undefined) await requireSession(visited, session)
    const what = session === undefined ? `everything of ${address}` : `the session ${session}`
    await confirm(`Erase ${plainLine(what)} for good?`, yes)
    const request = session === undefined ? { person: address ?? '' } : { session }
    const { sessions, memories } = await visited.missives.erase(request, visited.operator).catch(stillRunning)
    if (sessions + memories === 0)
      throw nothingOf(plainLine(address ?? `the session ${session}`), visited.operator.tenant)
    if (json) terminal.json({ erased: request })
    else terminal.line(`Erased ${plainLine(what)}.`)
  } finally {
    await visited.close()
  }
}

/** Only an agent ends a turn; the erasure is on record, and is done then. */
function stillRunning(error: unknown): never {
  if (!isBeachError(error, 'TURN_RUNNING')) throw error
  const message =
    'A turn is in progress, which only an agent that runs can end. The erasure is on record: the agent does it a minute after it is started next.'
  throw new BeachError('TURN_RUNNING', message, { cause: error })
}

function nothingOf(what: string, tenant: string): BeachError {
  const message = `There is nothing of ${what} in the tenant '${tenant}'. Another one is named by --tenant.`
  return new BeachError('NOT_FOUND', message)
}

async function requireSession({ sessions }: VisitedData, session: string): Promise<void> {
  if ((await sessions.activity(session)) !== undefined) return
  throw new BeachError('NOT_FOUND', `There is no session ${plainLine(session)} in this data.`)
}
