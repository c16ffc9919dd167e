import { createBeach, serve, type Beach, type BeachOptions, type Serving } from '@cool-ai/beach'
import { silentLogger, systemRuntime } from '@cool-ai/beach-core'
import { MemoryArtifactStore } from '@cool-ai/beach-missives'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import {
  Client,
  StreamableHTTPClientTransport,
  type CallToolResult,
  type ClientOptions,
  type ElicitResult,
} from '@modelcontextprotocol/client'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { concierge, conciergeCard } from './concierge.ts'
import { mergeOptions } from '../support/merge-options.ts'

export const runtime = systemRuntime({ logger: silentLogger })

export interface Running {
  readonly beach: Beach
  readonly serving: Serving
  readonly url: URL
}

/** The concierge on a port, for one test. */
export async function startConcierge(options: Partial<BeachOptions> = {}): Promise<Running> {
  const artifacts = new MemoryArtifactStore({ runtime })
  const beach = await createBeach(
    mergeOptions(
      {
        agent: conciergeCard,
        actors: { concierge: concierge(artifacts) },
        data: { store: new MemoryStore({ runtime }), secret: new Uint8Array(32).fill(7), artifacts },
        runtime,
      },
      options,
    ),
  )
  const serving = await serve(beach, { port: 0 })
  onTestFinished(() => serving.close())
  return { beach, serving, url: new URL('/mcp', serving.url) }
}

/** The revisions that the stock client speaks. */
export const eras = {
  legacy: {},
  modern: { versionNegotiation: { mode: { pin: '2026-07-28' } } },
} as const satisfies Record<string, ClientOptions>

export type Era = keyof typeof eras

/** How a person fills in a form. */
export type Person = (message: string) => ElicitResult

/** What a host of MCP Apps says of itself. */
const hostOfApps = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } }

/** The stock client, of an era; with a person to ask it can ask them. */
export function stockClient(era: Era, person?: Person, hostsApps = false): Client {
  const capabilities = { ...(person && { elicitation: { form: {} } }), ...(hostsApps && hostOfApps) }
  const client = new Client({ name: 'tester', version: '1.0.0' }, { ...eras[era], capabilities })
  if (person !== undefined) {
    client.setRequestHandler('elicitation/create', async ({ params }) => person(params.message))
  }
  onTestFinished(() => client.close())
  return client
}

export async function connect(
  url: URL,
  era: Era,
  options: { readonly person?: Person; readonly token?: string; readonly hostsApps?: boolean } = {},
): Promise<Client> {
  const client = stockClient(era, options.person, options.hostsApps)
  const headers = options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
  return client
}

const answerShape = z.object({
  conversationId: z.string(),
  role: z.literal('agent'),
  parts: z.array(
    z.object({
      text: z.string().optional(),
      data: z.unknown().optional(),
      metadata: z.looseObject({ partType: z.string() }),
    }),
  ),
  meta: z.looseObject({ sessionId: z.string(), turnId: z.string(), turnState: z.string() }),
  pendingApprovals: z.array(z.string()).optional(),
})

/** The structured result of the conversational tool. */
export function answerOf(result: CallToolResult) {
  return answerShape.parse(result.structuredContent)
}

/** Says something to the concierge. */
export async function say(client: Client, message: string, conversationId?: string): Promise<CallToolResult> {
  const args = { message, ...(conversationId !== undefined && { conversationId }) }
  return client.callTool({ name: 'ask_the_concierge', arguments: args })
}

/** The text blocks of a result, with whom they are for. */
export function textsOf({ content }: CallToolResult): { text: string; audience: readonly string[] | undefined }[] {
  return content.flatMap((block) =>
    block.type === 'text' ? [{ text: block.text, audience: block.annotations?.audience }] : [],
  )
}

/** A token of a new user. */
export async function newToken(base: string): Promise<string> {
  const response = await fetch(new URL('/sessions', base), { method: 'POST' })
  return z.object({ token: z.string() }).parse(await response.json()).token
}
