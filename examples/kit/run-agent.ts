import { join } from 'node:path'
import {
  createBeach,
  openData,
  serve,
  type Beach,
  type BeachData,
  type BeachOptions,
  type PageHandler,
  type Serving,
} from '@cool-ai/beach'
import { isBeachError, type Clock } from '@cool-ai/beach-core'
import { mount } from './mount.ts'
import { chatPageFiles, type PageFiles, type PageLink } from '@cool-ai/beach-page'
import { demoClock } from './demo-clock.ts'

export type { PageLink } from '@cool-ai/beach-page'

/** What is an agent's own; the rest follows from the environment. */
export type AgentOptions = Omit<BeachOptions, keyof BeachData | 'data' | 'agent' | 'page'>

/** An agent's own, with what stands next to it. */
export interface AgentMade extends AgentOptions {
  /** Pages of its own, which its chat page leads to. */
  readonly links?: readonly PageLink[]
  /** What the agents that it asks are called, by their ids. */
  readonly peerNames?: Readonly<Record<string, string>>
  /** Ends what was started for the agent, once it is closed. */
  readonly after?: (() => Promise<void>) | undefined
}

/** Where an agent listens and keeps its data. */
export interface AgentLocation {
  readonly port: number
  readonly folder: string
  readonly store?: string | undefined
  /** The secret of agents that know the same people; the folder's own when left out. */
  readonly secret?: readonly Uint8Array[] | undefined
}

/** An agent that runs. */
export type Running = Pick<Serving, 'url' | 'close'>

/** What an agent is made with besides its data. */
export interface AgentPlace extends AgentLocation {
  /** Where the agent will be reached; one that is not served has none. */
  readonly url?: string
  /** By which the agent knows what day it is. */
  readonly clock: Clock
}

export interface AgentStart {
  readonly agent: BeachOptions['agent']
  readonly make: (data: BeachData, place: AgentPlace) => AgentMade | Promise<AgentMade>
  /** Other pages that the agent's page leads to. */
  readonly links?: () => readonly PageLink[]
  /** The files of its chat page, where that is built on the one that every agent has. */
  readonly pageFiles?: () => Promise<PageFiles>
  /** A page of its own instead of the chat page. */
  readonly page?: () => Promise<PageHandler>
  /** Agents on the same port, each by the path that it is under, such as `/coffee`. */
  readonly mounted?: Readonly<Record<string, AgentStart>>
}

/** Starts an example agent with its page, and those next to it. */
export async function startAgent(start: AgentStart, place: AgentLocation): Promise<Running> {
  const opened: Opened[] = []
  const closeOthers = async () => {
    for (const { after } of opened.splice(0)) await after?.()
  }
  const open = async (each: AgentStart, url: string, folder: string) => {
    const made = await openAgent(each, { ...place, url, folder })
    opened.push(made)
    return made.beach
  }
  const openAll = async (url: string) => {
    const first = await open(start, url, place.folder)
    const others: Record<string, Beach> = {}
    for (const [path, other] of Object.entries(start.mounted ?? {}))
      others[path] = await open(other, url + path, join(place.folder, path.slice(1)))
    const all = mount(first, others)
    const close: Beach['close'] = async (options) => {
      await all.close(options)
      await closeOthers()
    }
    return { ...all, close }
  }
  try {
    // Cards say where an agent is, so the port is taken before there are agents.
    const serving = await serve(openAll, { port: place.port })
    console.log(`${start.agent.name} is at ${serving.url}`)
    for (const { name, beach, url } of opened) {
      const link = beach.inspectLink(url)
      if (link !== undefined) console.log(`Inspector of ${name}: ${link}`)
    }
    return serving
  } catch (error) {
    for (const { beach } of opened) await beach.close()
    await closeOthers()
    throw error
  }
}

interface Opened {
  readonly name: string
  readonly url: string
  readonly beach: Beach
  readonly after?: (() => Promise<void>) | undefined
}

/** An agent with its data and its page, before it is served. */
async function openAgent(start: AgentStart, place: AgentLocation & { readonly url: string }): Promise<Opened> {
  const { agent, make, links, pageFiles: files = chatPageFiles } = start
  const { folder, store, secret, url } = place
  const opening = openData({ folder, store, secret, agent: agent.id })
  const ownPage = start.page?.()
  // Bundled while the rest starts, at the first start of all.
  const bundling = ownPage ?? files()
  bundling.catch(() => {})
  const data = await opening
  const made = await make(data, { ...place, clock: demoClock(process.env) })
  const { links: ownLinks = [], peerNames: peers, after, ...options } = made
  try {
    if (ownPage === undefined) await bundling
    const page: BeachOptions['page'] = ownPage
      ? async (...asked) => (await ownPage)(...asked)
      : { links: () => [...(links?.() ?? []), ...ownLinks], peers, files }
    const beach = await createBeach({ publicUrl: url, inspect: true, ...options, data, agent, page })
    return { name: agent.name, url, beach, after }
  } catch (error) {
    await after?.()
    throw error
  }
}

/**
 * Runs example agents until a signal ends them in order, which `serve` sees to: `PORT`, `BEACH_DATA` and `BEACH_STORE` say where, and what is
 * wrong with the set-up is said in one sentence.
 */
export async function runAgents(start: (place: AgentLocation) => Promise<readonly Running[]>): Promise<void> {
  const { PORT = '4747', BEACH_DATA: folder = '.beach', BEACH_STORE: store } = process.env
  try {
    await start({ port: portOf(PORT), folder, store })
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

function portOf(text: string): number {
  const port = Number(text)
  if (text !== '' && Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  console.error(`PORT must be a number from 0 to 65535, not '${text}'.`)
  process.exit(1)
}
