import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  agentCardToJson,
  BEACH_EXTENSION_URI,
  buildAgentCard,
  type AgentCardInput,
} from '@cool-ai/beach-protocol/agent-card'
import { onTestFinished } from 'vitest'

/** The Agent Card of a calling agent, at its well-known place on this machine. */
export interface CallerCardServer {
  readonly url: string
  readonly origin: string
  /** How often it was asked for. */
  readonly asked: () => number
  /** What it answers with from now on, in place of its card. */
  answers(body: unknown): void
  /** What a message of its caller has in its metadata. */
  readonly metadata: Readonly<Record<string, unknown>>
  /** What an agent is made with that reads it although it is on this machine. */
  readonly callerCards: { readonly allowOrigins: readonly string[] }
}

function publishedCard(envelope: AgentCardInput['envelope']): unknown {
  return agentCardToJson(
    buildAgentCard({
      schemaVersion: '1.0',
      id: 'baxter',
      name: 'Baxter',
      description: 'Asks others.',
      version: '1.0.0',
      capabilities: [],
      transports: [{ protocol: 'a2a', version: '1.0', endpoint: 'https://baxter.example/a2a' }],
      ...(envelope && { envelope }),
    }),
  )
}

/** Publishes the card of a caller that consumes these; `more` is what else its envelope block says. */
export async function callerCard(
  consumes: readonly string[],
  more: Pick<NonNullable<AgentCardInput['envelope']>, 'a2uiCatalog' | 'llmContextLanguage'> = {},
): Promise<CallerCardServer> {
  let body = publishedCard({ consumes: [...consumes], ...more })
  let asked = 0
  const server = createServer((request, response) => {
    const isCard = request.url === '/.well-known/agent-card.json'
    if (isCard) asked++
    response.writeHead(isCard ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isCard ? body : {}))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const url = `${origin}/.well-known/agent-card.json`
  return {
    url,
    origin,
    asked: () => asked,
    answers: (other) => (body = other),
    metadata: { [`${BEACH_EXTENSION_URI}/card`]: url },
    callerCards: { allowOrigins: [origin] },
  }
}
