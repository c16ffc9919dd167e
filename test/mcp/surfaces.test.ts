import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startAgent } from '@cool-ai/example-chat-page'
import { Client, StreamableHTTPClientTransport, type ClientOptions } from '@modelcontextprotocol/client'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { destinations } from '../../examples/travel/domain/data/destinations.ts'
import { travelAgent } from '../../examples/travel/travel-agent.ts'
import { answerOf, connect, eras, startConcierge, textsOf, type Era } from './support.ts'

// Document 001, "Delivery": a buffered listener that cannot show a surface gets it in words.

type Capabilities = NonNullable<ClientOptions['capabilities']>

const catalogs = { clientCapabilities: { 'v0.9': { supportedCatalogIds: [] } } }
const apps = (mimeTypes?: string[]) => ({ 'io.modelcontextprotocol/ui': mimeTypes === undefined ? {} : { mimeTypes } })

/** What a client of these capabilities gets of a search: the surfaces as data, and as resources. */
async function surfaces(url: URL, era: Era, capabilities: Capabilities = {}, _meta: Record<string, unknown> = {}) {
  const client = new Client({ name: 'tester', version: '1.0.0' }, { ...eras[era], capabilities })
  onTestFinished(() => client.close())
  await client.connect(new StreamableHTTPClientTransport(url))
  const result = await client.callTool({ name: 'ask_the_concierge', arguments: { message: 'Gatwick' }, _meta })
  const parts = answerOf(result).parts.filter(({ metadata }) => metadata.partType === 'a2ui-surface')
  // In words they come to every client.
  expect(textsOf(result).map(({ text }) => text)).toContain('BA 2043  [Book]')
  return [parts.length, result.content.filter(({ type }) => type === 'resource').length]
}

describe.each(Object.keys(eras) as Era[])('surfaces go to a client of the %s era', (era) => {
  test.each<[string, Capabilities, Record<string, unknown>]>([
    ['hosts MCP Apps', { extensions: apps(['text/html;profile=mcp-app']) }, {}],
    ['hosts MCP Apps of any kind', { extensions: apps() }, {}],
    ['names its catalogs once', { experimental: { a2ui: catalogs } }, {}],
    ['names its catalogs with the call', {}, { a2ui: catalogs }],
    ['consumes them', {}, { 'cool-ai.beach/consumes': ['a2ui-surface'] }],
  ])('that %s', async (_, capabilities, meta) => {
    const { url } = await startConcierge()
    expect(await surfaces(url, era, capabilities, meta)).toEqual([1, 1])
  })

  test.each<[string, Capabilities, Record<string, unknown>]>([
    ['says nothing of them', {}, {}],
    ['hosts apps of another kind', { extensions: apps(['text/html;profile=other']) }, {}],
    ['consumes something else', {}, { 'cool-ai.beach/consumes': ['llm-context'], a2ui: true }],
  ])('but not to one that %s', async (_, capabilities, meta) => {
    const { url } = await startConcierge()
    expect(await surfaces(url, era, capabilities, meta)).toEqual([0, 0])
  })
})

test('a host of MCP Apps gets none from an agent without a page', async () => {
  const { url } = await startConcierge({ mcp: { app: false } })
  expect(await surfaces(url, 'modern', { extensions: apps() })).toEqual([0, 0])
})

test('the application can say that its callers show them', async () => {
  const { url } = await startConcierge({ mcp: { consumes: ['a2ui-surface'] } })
  expect(await surfaces(url, 'modern')).toEqual([1, 1])
})

test('the whole result of a flight search of the travel agent has at most 3 kB', async () => {
  vi.stubEnv('BEACH_SCRIPT_MS', '0')
  const folder = mkdtempSync(join(tmpdir(), 'beach-test-'))
  const running = await startAgent(travelAgent, { port: 0, folder, store: 'memory' })
  onTestFinished(async () => {
    await running.close()
    rmSync(folder, { recursive: true, force: true })
    vi.unstubAllEnvs()
  })
  const client = await connect(new URL('/mcp', running.url), 'modern')
  for (const { airport } of destinations) {
    const message = `flights from London Gatwick to ${airport.name}`
    const result = await client.callTool({ name: 'ask_example_travel', arguments: { message } })
    expect(JSON.stringify(result.structuredContent)).toMatch(/"flights":\[(\{[^}]*\},?){3}\]/)
    expect(Buffer.byteLength(JSON.stringify(result)), airport.name).toBeLessThanOrEqual(3_000)
  }
})
