import { BeachError } from '@cool-ai/beach-core'
import { createBeach } from '../../create-beach.ts'
import { serve, type Serving } from '../../serve.ts'
import { loadConfig } from '../config/load-config.ts'

const defaultPort = 4747

/** Starts the agent of a configuration. */
export async function startAgent(options: {
  readonly path?: string | undefined
  readonly port?: string | undefined
  readonly command: string
}): Promise<Serving> {
  const { path, command } = options
  const { config } = await loadConfig({ path, command })
  const { port: configured, host, serve: how, ...agent } = config
  const port = portOf(options.port ?? process.env.PORT) ?? configured ?? defaultPort
  // The port is taken before any data is opened.
  return serve(async () => createBeach(agent), { ...how, port, host })
}

function portOf(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new BeachError('BAD_REQUEST', `'${text}' is not a port: give a number from 0 to 65535.`)
}
