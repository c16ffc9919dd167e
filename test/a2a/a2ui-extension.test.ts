import { ServiceParameters, withA2AExtensions, type Client } from '@a2a-js/sdk/client'
import { defineActor } from '@cool-ai/beach'
import { describe, expect, test } from 'vitest'
import { collect, request, says, startAgent, stockClient, ways, type AgentOptions } from './agent.ts'

// Document 001, "Transport independence", over A2A with A2UI's own extension: the card declares it, a request activates it.

const version09 = 'https://a2ui.org/a2a-extension/a2ui/v0.9'
const version091 = 'https://a2ui.org/a2a-extension/a2ui/v0.9.1'
const basic = [
  'https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json',
  'https://a2ui.org/specification/v0_9/basic_catalog.json',
]
const own = { catalogId: 'https://harbour.example/catalog.json', components: { Board: {} } }

const sally = defineActor(async ({ respond }) => {
  const data = [
    { version: 'v0.9', createSurface: { surfaceId: 's', catalogId: basic[0] } },
    {
      version: 'v0.9',
      updateComponents: { surfaceId: 's', components: [{ id: 'root', component: 'Text', text: 'Hello' }] },
    },
  ]
  const parts = [
    { partType: 'a2ui-surface' as const, data },
    { partType: 'response' as const, text: 'Here.' },
  ]
  await respond({ parts, turnState: 'complete' })
})

interface Extension {
  readonly uri: string
  readonly required?: boolean
  readonly params?: unknown
}

async function declared(url: string): Promise<readonly Extension[]> {
  const card: unknown = await (await fetch(`${url}/.well-known/agent-card.json`)).json()
  return (card as { capabilities: { extensions: Extension[] } }).capabilities.extensions
}

describe('the Agent Card', () => {
  test('declares the extension, with the catalogs of the agent', async () => {
    const { url } = await startAgent({ catalogs: [own] })
    const params = { supportedCatalogIds: [...basic, own.catalogId], acceptsInlineCatalogs: false }
    for (const uri of [version09, version091]) {
      expect((await declared(url)).find((extension) => extension.uri === uri)).toMatchObject({ uri, params })
    }
    expect((await declared(url)).some(({ required }) => required === true)).toBe(false)
  })

  test('does not, where it says that the agent produces no surfaces', async () => {
    const agent: AgentOptions['agent'] = {
      id: 'tester',
      name: 'Tester',
      description: 'Speaks.',
      envelope: { parts: ['response'] },
    }
    const { url } = await startAgent({ agent })
    expect((await declared(url)).map(({ uri }) => uri)).not.toContain(version09)
  })
})

/** What a stock client gets that activates these extensions: the answer's own, and those of its surface. */
async function activating(client: Client, ...uris: string[]) {
  const result = await client.sendMessage(request(says('show')), {
    serviceParameters: ServiceParameters.create(withA2AExtensions(...uris)),
  })
  if (!('artifacts' in result)) throw new Error('There is no task.')
  const [artifact] = result.artifacts
  return { extensions: artifact?.extensions, mediaType: artifact?.parts[0]?.metadata?.mimeType }
}

/** The stock client, and the extensions that answers to it name, by the header of its version. */
async function listening(url: string, way: (typeof ways)[number]) {
  const named: (string | null)[] = []
  const real = globalThis.fetch
  const client = await stockClient(url, way, undefined, async (...given) => {
    const response = await real(...given)
    named.push(response.headers.get(way.endsWith('0.3') ? 'x-a2a-extensions' : 'a2a-extensions'))
    return response
  })
  return { client, named }
}

describe.each(ways)('a stock client by %s', (way) => {
  test('activates it by its header, and is told so', async () => {
    const { url } = await startAgent({ actors: { sally } })
    const { client, named } = await listening(url, way)
    await activating(client, version09, 'https://unknown.example/extension')
    expect(named.at(-1)).toBe(version09)
    await activating(client, 'https://unknown.example/extension')
    expect(named.at(-1)).toBeNull()
  })
})

test('a surface names the version by which it is sent, and has its media type', async () => {
  const { url } = await startAgent({ actors: { sally } })
  const client = await stockClient(url)
  expect(await activating(client, version09)).toEqual({ extensions: [version09], mediaType: 'application/json+a2ui' })
  expect(await activating(client, version091)).toEqual({ extensions: [version091], mediaType: 'application/a2ui+json' })
  expect(await activating(client)).toEqual({ extensions: [], mediaType: 'application/json+a2ui' })
})

test('a stream says which extensions are active, and its surfaces name theirs', async () => {
  const { url } = await startAgent({ actors: { sally } })
  const { client, named } = await listening(url, 'JSONRPC 1.0')
  const serviceParameters = ServiceParameters.create(withA2AExtensions(version091))
  const events = await collect(client.sendMessageStream(request(says('show')), { serviceParameters }))
  expect(named.at(-1)).toBe(version091)
  const artifacts = events.flatMap((event) => (event.$case === 'artifactUpdate' ? [event.value.artifact] : []))
  expect(artifacts.find((artifact) => artifact?.name === 'a2ui-surface')?.extensions).toEqual([version091])
})
