import { readFileSync } from 'node:fs'
import { BeachError } from '@cool-ai/beach-core'
import { validateAgentCard } from '@cool-ai/beach-protocol/agent-card'
import type { Command } from 'commander'
import { createBeach } from '../../create-beach.ts'
import { fetchFor, findCard } from '../call/find-agent.ts'
import { loadConfig } from '../config/load-config.ts'
import { withExamples } from '../examples.ts'
import { exitCodes } from '../exit-codes.ts'
import { plainText } from '../plain-text.ts'
import { terminal } from '../terminal.ts'

interface BuildFlags {
  readonly config?: string
  readonly url?: string
}

export function configure(command: Command): void {
  const build = command
    .command('build')
    .summary('print the card of the agent of beach.config.ts')
    .description(
      'Prints the Agent Card of beach.config.ts as it would be published, as JSON. The agent is not started.',
    )
    .option('--config <file>', 'the configuration; beach.config.ts of the working folder if left out')
    .option('--url <address>', 'where the agent will be reached; its `publicUrl` if left out')
    .action(buildCard)
  withExamples(build, [['beach card build --url https://clerk.example > agent-card.json', 'for a static place']])
  const validate = command
    .command('validate')
    .summary('say what is wrong with a card')
    .description('Says what is wrong with an Agent Card, where, and how to fix it: a file, or a published one.')
    .argument('<card>', 'a file, or the address of an agent or its card')
    .option('--json', 'print the result as JSON')
    .action(validateCard)
  withExamples(validate, [
    ['beach card validate agent-card.json', 'a file'],
    ['beach card validate https://agent.example', 'a published one'],
  ])
  const fetch = command
    .command('fetch')
    .summary('fetch the card of an agent')
    .description('Fetches the Agent Card of an agent and says what it can do and how it is reached.')
    .argument('<address>', 'of the agent, or of its card')
    .option('--json', 'print the card as it was published')
    .action(fetchOne)
  withExamples(fetch, [['beach card fetch http://127.0.0.1:4747', 'an agent on this machine']])
  withExamples(command, [
    ['beach card build --url https://clerk.example', 'the card of this folder’s agent'],
    ['beach card validate agent-card.json', 'what is wrong with it?'],
    ['beach card fetch https://agent.example --json', 'what another agent publishes'],
  ])
}

async function buildCard({ config: path, url }: BuildFlags): Promise<void> {
  const { config } = await loadConfig({ path, command: 'card' })
  const {
    agent,
    protocols,
    a2a,
    publicUrl = url,
    access,
    catalogs,
    partTypes,
    turnStates,
    stateMachines,
    exposedTools,
  } = config
  const at = url ?? publicUrl
  if (at === undefined) {
    throw new BeachError(
      'BAD_REQUEST',
      'A card says where the agent is. Give --url, or `publicUrl` in the configuration.',
    )
  }
  if (!/^https?:$/.test(URL.parse(at)?.protocol ?? '')) {
    throw new BeachError('BAD_REQUEST', `'${plainText(at)}' is no address. Give one like https://clerk.example.`)
  }
  const about = { agent, protocols, a2a, access, catalogs, partTypes, turnStates, stateMachines, exposedTools }
  // In memory, without channels of its own: nothing is opened that is the running agent's.
  const beach = await createBeach({
    ...about,
    actors: config.actors,
    entry: config.entry,
    data: 'memory',
    publicUrl: at,
  })
  try {
    const answer = await beach.fetch(new Request('http://127.0.0.1/.well-known/agent-card.json'))
    if (!answer.ok)
      throw new BeachError('INVALID_CONFIGURATION', 'This agent has no card. Give `agent` a `description`.')
    terminal.json(await answer.json())
  } finally {
    await beach.close()
  }
}

async function validateCard(place: string, { json }: { readonly json?: boolean }): Promise<void> {
  const problems = validateAgentCard(await cardAt(place))
  if (problems.length > 0) process.exitCode = exitCodes.failed
  if (json) return terminal.json({ card: place, isValid: problems.length === 0, problems })
  for (const { path, message, fix } of problems) terminal.line(plainText(`${path || 'The card'} ${message}. ${fix}`))
  if (problems.length === 0) terminal.line(`${place} is a valid card.`)
}

async function cardAt(place: string): Promise<unknown> {
  if (/^https?:\/\//.test(place)) {
    const fetch = fetchFor(place)
    try {
      return (await findCard(place, fetch)).json
    } finally {
      await fetch.close()
    }
  }
  try {
    return JSON.parse(readFileSync(place, 'utf8')) as unknown
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
    throw new BeachError('BAD_REQUEST', `${place} is not JSON: ${cause.message}`, { cause })
  }
}

async function fetchOne(address: string, { json }: { readonly json?: boolean }): Promise<void> {
  const fetch = fetchFor(address)
  try {
    const found = await findCard(address, fetch)
    if (json) return terminal.json(found.json)
    const { name, description, version, transports, capabilities } = found.card
    terminal.line(`${terminal.bold(plainText(name))} ${plainText(version)}`)
    terminal.line(plainText(description))
    for (const { id, description: does } of capabilities) terminal.line(`  can: ${plainText(id)}: ${plainText(does)}`)
    // An interface is listed for each version of its protocol.
    const ways = new Set(transports.map(({ protocol, endpoint }) => `${protocol} at ${endpoint}`))
    for (const way of ways) terminal.line(`  by:  ${plainText(way)}`)
  } finally {
    await fetch.close()
  }
}
