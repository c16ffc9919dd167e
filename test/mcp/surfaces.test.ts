import { Client, StreamableHTTPClientTransport, type ClientOptions } from '@modelcontextprotocol/client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { callerCard } from '../support/caller-card.ts'
import { answerOf, eras, startConcierge, textsOf, type Era } from './support.ts'

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
  const given = answerOf(result).parts.filter(({ metadata }) => metadata.partType === 'a2ui-surface')
  // A client that shows surfaces of other catalogs gets the words as data too.
  for (const { text } of given.filter(({ data }) => data === undefined)) expect(text).toBe('BA 2043  [Book]')
  const parts = given.filter(({ data }) => data !== undefined)
  // In words they come to every client.
  expect(textsOf(result).map(({ text }) => text)).toContain('BA 2043  [Book]')
  const words = given.length - parts.length
  const resources = result.content.filter(({ type }) => type === 'resource').length
  return words === 0 ? [parts.length, resources] : [parts.length, resources, words]
}

describe.each(Object.keys(eras) as Era[])('surfaces go to a client of the %s era', (era) => {
  test.each<[string, Capabilities, Record<string, unknown>]>([
    ['hosts MCP Apps', { extensions: apps(['text/html;profile=mcp-app']) }, {}],
    ['hosts MCP Apps of any kind', { extensions: apps() }, {}],
    ['names its catalogs once', { experimental: { a2ui: catalogs } }, {}],
    ['names its catalogs with the call', {}, { a2ui: catalogs }],
  ])('that %s', async (_, capabilities, meta) => {
    const { url } = await startConcierge()
    expect(await surfaces(url, era, capabilities, meta)).toEqual([1, 1])
  })

  test('whose Agent Card says that it consumes them', async () => {
    const { url: card, callerCards } = await callerCard(['a2ui-surface'])
    const { url } = await startConcierge({ access: { callerCards } })
    expect(await surfaces(url, era, {}, { 'cool-ai.beach/card': card })).toEqual([1, 1])
  })

  test.each<[string, Capabilities, Record<string, unknown>]>([
    ['says nothing of them', {}, {}],
    ['hosts apps of another kind', { extensions: apps(['text/html;profile=other']) }, {}],
    ['only claims to consume them', {}, { 'cool-ai.beach/consumes': ['a2ui-surface'], a2ui: true }],
  ])('but not to one that %s', async (_, capabilities, meta) => {
    const { url } = await startConcierge()
    expect(await surfaces(url, era, capabilities, meta)).toEqual([0, 0])
  })
})

test('a host of MCP Apps gets none from an agent without a page', async () => {
  const { url } = await startConcierge({ protocols: { mcp: { app: false } } })
  expect(await surfaces(url, 'modern', { extensions: apps() })).toEqual([0, 0])
})

test('the application can say that its callers show them', async () => {
  const { url } = await startConcierge({ protocols: { mcp: { consumes: ['a2ui-surface'] } } })
  expect(await surfaces(url, 'modern')).toEqual([1, 1])
})

// Document 003, "Envelope block": `a2uiCatalog`.
describe('a surface of a catalog that a client does not know goes to it in words only', () => {
  const own = 'https://harbour.example/catalog.json'
  const named = (id: string) => ({ a2ui: { clientCapabilities: { 'v0.9': { supportedCatalogIds: [id] } } } })

  test.each<[string, Record<string, unknown>, readonly number[]]>([
    ['and does not name', {}, [0, 0]],
    ['and names another', named(own), [0, 0, 1]],
    ['but names', named('https://a2ui.org/specification/v0_9/basic_catalog.json'), [1, 1]],
  ])('that it %s', async (_, meta, expected) => {
    const { url } = await startConcierge()
    expect(await surfaces(url, 'modern', {}, meta)).toEqual(expected)
  })

  test.each([
    ['another', own, [0, 0, 1]],
    ['it', 'https://a2ui.org/specification/v0_9/basic_catalog.json', [1, 1]],
  ])('by its card, which names %s', async (_, a2uiCatalog, expected) => {
    const { url: card, callerCards } = await callerCard(['a2ui-surface'], { a2uiCatalog })
    const { url } = await startConcierge({ access: { callerCards } })
    expect(await surfaces(url, 'modern', {}, { 'cool-ai.beach/card': card })).toEqual(expected)
  })
})
