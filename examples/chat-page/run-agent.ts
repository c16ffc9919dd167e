import { createServer } from 'node:net'
import { createBeach, openData, serve, type BeachData, type BeachOptions } from '@cool-ai/beach'
import { isBeachError } from '@cool-ai/beach-core'
import { buildPage, type PageAbout, type PageLink } from './build-page.ts'

/** What is an agent's own; the rest follows from the environment. */
export type AgentOptions = Omit<BeachOptions, keyof BeachData | 'agent' | 'page'>

/** Where an agent listens and keeps its data. */
export interface Place {
  readonly port: number
  readonly folder: string
  readonly store?: string
}

/** An agent that runs. */
export interface Running {
  readonly url: string
  close(): Promise<void>
}

export interface AgentStart {
  readonly agent: BeachOptions['agent']
  readonly make: (data: BeachData, place: Place) => AgentOptions | Promise<AgentOptions>
  /** Other pages that the agent's page leads to. */
  readonly links?: () => readonly PageLink[]
}

/** Starts an example agent with the chat page. */
export async function startAgent({ agent, make, links }: AgentStart, place: Place): Promise<Running> {
  const { folder, store } = place
  // The card says where the agent is, so the port must be known before it listens.
  const port = place.port === 0 ? await freePort() : place.port
  const opened = openData({ folder, ...(store !== undefined && { store }) })
  let card: AgentOptions['card']
  const [page, data] = await Promise.all([buildPage(() => aboutOf(agent.name, card, links?.())), opened])
  const options = await make(data, place)
  card = options.card
  const beach = await createBeach({
    publicUrl: `http://127.0.0.1:${port}`,
    ...options,
    ...data,
    agent,
    page,
  })
  const serving = await serve(beach, { port }).catch(async (error: unknown) => {
    await beach.close()
    throw error
  })
  console.log(`${agent.name} is at ${serving.url}`)
  return serving
}

const mostSuggestions = 4

/** What the page says of the agent: the same as its card. */
function aboutOf(name: string, card: AgentOptions['card'], links: readonly PageLink[] = []): PageAbout {
  const suggestions = card?.capabilities.flatMap(({ examples: [first] = [] }) => (first === undefined ? [] : [first]))
  return {
    name,
    ...(card !== undefined && { description: card.description }),
    suggestions: suggestions?.slice(0, mostSuggestions) ?? [],
    links,
  }
}

/**
 * Runs example agents until a signal ends them in order: `PORT`, `BEACH_DATA` and `BEACH_STORE` say where, and what is
 * wrong with the set-up is said in one sentence.
 */
export async function runAgents(start: (place: Place) => Promise<readonly Running[]>): Promise<void> {
  const { PORT = '4747', BEACH_DATA: folder = '.beach', BEACH_STORE: store } = process.env
  try {
    const running = await start({ port: portOf(PORT), folder, ...(store !== undefined && { store }) })
    const stop = () => void Promise.all(running.map((agent) => agent.close())).finally(() => process.exit(0))
    process.once('SIGINT', stop)
    process.once('SIGTERM', stop)
  } catch (error) {
    if (!isBeachError(error)) throw error
    console.error(error.message)
    process.exit(1)
  }
}

/** Runs one example agent. */
export function runAgent(start: AgentStart): Promise<void> {
  return runAgents(async (place) => [await startAgent(start, place)])
}

/** A port that nobody listens on right now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}

function portOf(text: string): number {
  const port = Number(text)
  if (text !== '' && Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  console.error(`PORT must be a number from 0 to 65535, not '${text}'.`)
  process.exit(1)
}
