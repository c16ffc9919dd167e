import { createBeach, openData, serve, type BeachData, type BeachOptions } from '@cool-ai/beach'
import { isBeachError } from '@cool-ai/beach-core'
import { buildPage } from './build-page.ts'

/** What is an agent's own; the rest follows from the environment. */
export type AgentOptions = Omit<BeachOptions, keyof BeachData | 'agent' | 'page'>

/**
 * Runs an example agent with the chat page: `PORT`, `BEACH_DATA` and `BEACH_STORE` say where, a signal ends it in order,
 * and what is wrong with the set-up is said in one sentence.
 */
export async function runAgent(
  agent: BeachOptions['agent'],
  make: (data: BeachData) => AgentOptions | Promise<AgentOptions>,
): Promise<void> {
  const { PORT = '4747', BEACH_DATA = '.beach', BEACH_STORE } = process.env
  const port = portOf(PORT)
  try {
    const store = BEACH_STORE === undefined ? {} : { store: BEACH_STORE }
    const [page, data] = await Promise.all([buildPage(agent.name), openData({ folder: BEACH_DATA, ...store })])
    const beach = await createBeach({ ...(await make(data)), ...data, agent, page })
    const serving = await serve(beach, { port }).catch(async (error: unknown) => {
      await beach.close()
      throw error
    })
    console.log(`${agent.name} is at ${serving.url}`)
    const stop = () => void serving.close().finally(() => process.exit(0))
    process.once('SIGINT', stop)
    process.once('SIGTERM', stop)
  } catch (error) {
    if (!isBeachError(error)) throw error
    console.error(error.message)
    process.exit(1)
  }
}

function portOf(text: string): number {
  const port = Number(text)
  if (text !== '' && Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  console.error(`PORT must be a number from 0 to 65535, not '${text}'.`)
  process.exit(1)
}
