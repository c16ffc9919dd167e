import { simulatedRuntime, type Logger } from '@cool-ai/beach-core'
import type { AgentCardInput } from '@cool-ai/beach-protocol/agent-card'
import { onTestFinished } from 'vitest'
import { loopbackServer, type LoopbackServer } from '../../../channel/src/guarded-fetch/loopback-server.test-helper.ts'
import { AgentRegistry, type AgentRegistryOptions } from './agent-registry.ts'
import type { Peer, PeerListing } from './peer.ts'

/** What a peer's server answers with; a test changes it as it goes. */
export interface CardAnswer {
  status: number
  body: unknown
  headers: Record<string, string>
  /** Does not answer before this. */
  until?: Promise<unknown>
}

/** A peer on this machine that publishes a card. */
export interface CardServer extends LoopbackServer {
  readonly answer: CardAnswer
  readonly cardUrl: string
  /** How a configuration lists it that allows its origin. */
  readonly listing: PeerListing
}

/** A card with one way in, at an origin. */
export function cardOf(origin: string, others: Partial<AgentCardInput> = {}): AgentCardInput {
  return {
    schemaVersion: '1.0',
    id: 'travel',
    name: 'Travel',
    description: 'Plans journeys.',
    version: '1.0.0',
    capabilities: [],
    transports: [{ protocol: 'a2a', version: '1.0', endpoint: `${origin}/a2a` }],
    ...others,
  }
}

/** Publishes a card, and answers by its tag if it has one. */
export async function cardServer(others: Partial<AgentCardInput> = {}): Promise<CardServer> {
  const answer: CardAnswer = { status: 200, body: undefined, headers: {} }
  const server = await loopbackServer((request, response) => {
    const send = () => {
      const { etag } = answer.headers
      const isKnown = etag !== undefined && request.headers['if-none-match'] === etag
      response.writeHead(isKnown ? 304 : answer.status, { 'content-type': 'application/json', ...answer.headers })
      response.end(isKnown || answer.body === undefined ? undefined : textOf(answer.body))
    }
    void (answer.until ?? Promise.resolve()).then(send)
  })
  answer.body = cardOf(server.origin, others)
  const cardUrl = `${server.origin}/.well-known/agent-card.json`
  return Object.assign(server, { answer, cardUrl, listing: { url: cardUrl, allowOrigins: [server.origin] } })
}

function textOf(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body)
}

/** A registry on a simulated clock that ends with its test, and what it logged. */
export function registryOf(peers: readonly PeerListing[], options: Partial<AgentRegistryOptions> = {}) {
  const logged: string[] = []
  const logger: Logger = { log: (level, message) => logged.push(`${level}: ${message}`) }
  const runtime = simulatedRuntime({ logger })
  const registry = new AgentRegistry({ peers, runtime, ...options })
  onTestFinished(async () => registry.close())
  return { registry, clock: runtime.clock, logged }
}

/** The peer, which is expected to be known. */
export function known(registry: AgentRegistry, id = 'travel'): Peer {
  const peer = registry.byId(id)
  if (peer === undefined) throw new Error(`${id} is not known: ${registry.list()[0]?.failure?.message}`)
  return peer
}
