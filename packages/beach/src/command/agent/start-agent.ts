import { BeachError } from '@cool-ai/beach-core'
import type { Beach } from '../../beach-options.ts'
import { createBeach } from '../../create-beach.ts'
import type { Serving } from '../../serve.ts'
import type { BeachConfig } from '../config/define-config.ts'
import { loadConfig } from '../config/load-config.ts'

const defaultPort = 4747

/** An agent that listens, and the pages for the person who started it. */
export interface StartedAgent {
  readonly agent: Beach['agent']
  readonly url: string
  readonly pages: readonly AgentPage[]
}

interface AgentPage {
  readonly label: string
  readonly url: string
}

/** Starts the agents of some configurations in this process. When one cannot start, none runs. */
export async function startAgents(options: {
  readonly paths: readonly (string | undefined)[]
  readonly port?: string | undefined
  readonly command: string
}): Promise<StartedAgent[]> {
  const { paths, port, command } = options
  const serving: Serving[] = []
  const started: StartedAgent[] = []
  try {
    for (const [index, path] of paths.entries()) {
      const { config } = await loadConfig({ path, command })
      const one = await startOne(config, index === 0 ? portOf(port ?? process.env.PORT) : undefined)
      serving.push(one)
      started.push({ agent: one.beach.agent, url: one.url, pages: pagesOf(config, one) })
    }
  } catch (error) {
    await Promise.all(serving.map((one) => one.close()))
    throw error
  }
  return started
}

async function startOne(config: BeachConfig, given: number | undefined): Promise<Serving> {
  const { port: configured, host, serve: how, ...agent } = config
  const port = given ?? configured ?? defaultPort
  const beach = await createBeach(agent)
  try {
    return await beach.listen({ ...how, port, host })
  } catch (error) {
    await beach.close()
    throw error
  }
}

/** The inspector, and pages that channels have for the person who starts the agent. */
function pagesOf({ channels = [] }: BeachConfig, { beach, url }: Serving): AgentPage[] {
  const inspector = beach.inspectLink(url)
  return [
    ...channels.flatMap((channel) =>
      'localPage' in channel ? [(channel.localPage as (at: string) => AgentPage)(url)] : [],
    ),
    ...(inspector === undefined ? [] : [{ label: 'Inspector', url: inspector }]),
  ]
}

function portOf(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new BeachError('BAD_REQUEST', `'${text}' is not a port: give a number from 0 to 65535.`)
}
