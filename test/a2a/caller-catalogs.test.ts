import { defineActor, type BeachOptions } from '@cool-ai/beach'
import type { A2uiCatalog } from '@cool-ai/beach-a2ui'
import { LlmContextTranslator } from '@cool-ai/beach-protocol'
import { BEACH_EXTENSION_URI } from '@cool-ai/beach-protocol/agent-card'
import { describe, expect, test } from 'vitest'
import { callerCard } from '../support/caller-card.ts'
import { getTask, ownContext, request, says, send, startAgent, stockClient, ways, type AgentOptions } from './agent.ts'
import { mergeOptions } from '../support/merge-options.ts'

// Document 003, "Envelope block": `a2uiCatalog` and `llmContextLanguage` of the caller's Agent Card.

const basic = 'https://a2ui.org/specification/v0_9/basic_catalog.json'
const harbour: A2uiCatalog = {
  catalogId: 'https://harbour.example/catalog.json',
  components: { Board: { properties: { title: { type: 'string' }, level: { type: 'number' } } } },
}

const version = 'v0.9'
const created = (surfaceId: string, catalogId: string, root: object) => [
  { version, createSurface: { surfaceId, catalogId } },
  { version, updateComponents: { surfaceId, components: [{ id: 'root', ...root }] } },
]
const own = created('own', harbour.catalogId, { component: 'Board', title: 'Free berths' })
const plain = created('plain', basic, { component: 'Text', text: 'Plain words' })
const later = [
  {
    version,
    updateComponents: { surfaceId: 'own', components: [{ id: 'root', component: 'Board', title: 'Changed' }] },
  },
]
const data = [{ version, updateDataModel: { surfaceId: 'own', path: '/level', value: 3 } }]

/** Shows a surface of each catalog and, once told to, changes the one of its own. */
const sally = defineActor(async ({ text, respond }) => {
  const surfaces = text === 'change' ? [later, data] : [own, plain]
  const shown = surfaces.map((messages) => ({ partType: 'a2ui-surface' as const, data: messages }))
  await respond({ parts: [...shown, { partType: 'response', text: 'Done.' }], turnState: 'complete' })
})

const startSally = (options: AgentOptions = {}) => startAgent({ actors: { sally }, catalogs: [harbour], ...options })

type Task = Awaited<ReturnType<typeof send>>
const saidIn = ({ artifacts }: Task) => artifacts.map(({ parts }) => listed(parts[0]?.content?.value))

/** By HTTP+JSON 0.3 data is an object: a list is the value of one. */
function listed(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'value' in value ? value.value : value
}

const inWords = { own: 'Free berths', plain: 'Plain words' }

describe.each(ways)('by %s the caller’s card decides of which catalogs it is sent surfaces', (way) => {
  test.each([
    ['of the Basic Catalog, by either name', basic, [inWords.own, plain]],
    ['of the agent’s own', harbour.catalogId, [own, inWords.plain]],
    ['of none that the agent has', 'https://other.example/catalog.json', [inWords.own, inWords.plain]],
  ])('%s', async (_, a2uiCatalog, expected) => {
    const { metadata, callerCards } = await callerCard(['a2ui-surface'], { a2uiCatalog })
    const { url } = await startSally({ access: { callerCards } })
    const client = await stockClient(url, way)
    const task = await send(client, says('show', { metadata }))
    expect(saidIn(task)).toEqual([...expected, 'Done.'])
    expect(saidIn(await getTask(client, task.id))).toEqual(saidIn(task))
  })

  test('and a caller without one is sent those of the Basic Catalog', async () => {
    const { url } = await startSally()
    expect(saidIn(await send(await stockClient(url, way), says('show')))).toEqual([inWords.own, plain, 'Done.'])
  })
})

test('what a message says of its client comes before the card', async () => {
  const { metadata, callerCards } = await callerCard(['a2ui-surface'], { a2uiCatalog: harbour.catalogId })
  const { url } = await startSally({ access: { callerCards } })
  const a2uiClientCapabilities = { 'v0.9': { supportedCatalogIds: [basic] } }
  const message = says('show', { metadata: { ...metadata, a2uiClientCapabilities } })
  expect(saidIn(await send(await stockClient(url), message))).toEqual([inWords.own, plain, 'Done.'])
})

test('the catalogs of A2UI’s extension on the card count like a2uiCatalog', async () => {
  const card = await callerCard(['a2ui-surface'])
  const other = await startSally()
  const published = await (await fetch(`${other.url}/.well-known/agent-card.json`)).json()
  card.answers(published)
  const { url } = await startSally({ access: { callerCards: card.callerCards } })
  const task = await send(await stockClient(url), says('show', { metadata: card.metadata }))
  expect(saidIn(task)).toEqual([own, plain, 'Done.'])
})

test('later changes of a surface go to callers that know its catalog; to others in words, or not at all', async () => {
  const { metadata, callerCards } = await callerCard(['a2ui-surface'], { a2uiCatalog: harbour.catalogId })
  const { url } = await startSally({ access: { callerCards } })
  const client = await stockClient(url)
  const change = async (more: Parameters<typeof says>[1]) => {
    await send(client, says('show', more))
    return saidIn(await send(client, says('change', more)))
  }
  expect(await change({ metadata, contextId: ownContext('knows') })).toEqual([later, data, 'Done.'])
  expect(await change({ contextId: ownContext('does-not') })).toEqual(['Changed', 'Done.'])
})

describe('an answer as one message has a surface in its final state', () => {
  const answer = { [`${BEACH_EXTENSION_URI}/answer`]: 'message' }
  const again = created('own', harbour.catalogId, { component: 'Board', title: 'Created again' })
  /** Shows the surface of each catalog under one id, one after the other, and changes it. */
  const changing = defineActor(async ({ text, respond }) => {
    const first = created('own', basic, { component: 'Text', text: 'Plain' })
    const all = text === 'anew' ? [first, again, data] : [own, later, data]
    for (const messages of all) {
      await respond({ parts: [{ partType: 'a2ui-surface', data: messages }], turnState: 'awaiting' })
    }
    await respond({ parts: [{ partType: 'response', text: 'Done.' }], turnState: 'complete' })
  })
  const final = ([creation]: readonly object[], component: object) => [
    creation,
    data[0],
    { version, updateComponents: { surfaceId: 'own', components: [{ id: 'root', ...component }] } },
  ]

  test.each([
    ['change', 'Changed', final(own, { component: 'Board', title: 'Changed' })],
    ['anew', 'Created again', final(again, { component: 'Board', title: 'Created again' })],
  ])('of the catalog that it has then: %s', async (text, words, surface) => {
    const card = await callerCard(['a2ui-surface'], { a2uiCatalog: harbour.catalogId })
    const { url } = await startSally({ actors: { changing }, access: { callerCards: card.callerCards } })
    const client = await stockClient(url)
    const message = async (metadata: object) => {
      const sent = await client.sendMessage(request(says(text, { metadata: { ...answer, ...metadata } })))
      return 'parts' in sent ? sent.parts.map(({ content }) => content?.value) : sent
    }
    expect(await message(card.metadata)).toEqual([surface, 'Done.'])
    expect(await message({})).toEqual([words, 'Done.'])
  })
})

describe('llm-context is in the language of the caller’s card', () => {
  /** Sally with a translator that says in which languages it was asked for. */
  async function translating(options: AgentOptions & { readonly language?: string } = {}) {
    const { language, ...more } = options
    const asked: string[] = []
    const generate = async ({ system }: { readonly system: string }) => {
      const name = /Write in this language: ([^.]*)\./.exec(system)?.[1] ?? '?'
      asked.push(name)
      return `In ${name}`
    }
    const speaker = defineActor(async ({ respond }) => {
      await respond({ parts: [{ partType: 'response', text: 'Two flights.' }], turnState: 'complete' })
    })
    const translator = new LlmContextTranslator({ model: { generate }, ...(language && { language }) })
    return { asked, ...(await startAgent(mergeOptions({ actors: { speaker }, turns: { translator } }, more))) }
  }

  test.each(ways)('by %s: two peers with two languages each get theirs, also later', async (way) => {
    const german = await callerCard(['llm-context'], { llmContextLanguage: 'de' })
    const french = await callerCard(['llm-context'], { llmContextLanguage: 'fr' })
    const silent = await callerCard(['llm-context'])
    const allowOrigins = [german, french, silent].map(({ origin }) => origin)
    const { url, asked } = await translating({ access: { callerCards: { allowOrigins } } })
    const client = await stockClient(url, way)
    const tasks = await Promise.all(
      [german, french, silent].map(({ metadata }) => send(client, says('go', { metadata }))),
    )
    const expected = ['In German (de)', 'In French (fr)', 'In English (en)'].map((text) => ['Two flights.', text])
    expect(tasks.map(saidIn)).toEqual(expected)
    const again = await Promise.all(tasks.map(({ id }) => getTask(client, id)))
    expect(again.map(saidIn)).toEqual(expected)
    expect(asked.toSorted()).toEqual(['English (en)', 'French (fr)', 'German (de)'])
  })

  test.each<[string, AgentOptions & { readonly language?: string }]>([
    ['its translator', { language: 'it' }],
    ['its card', { agent: agentCard({ llmContextLanguage: 'it' }) }],
  ])('and where that says none, in the agent’s own, which is that of %s', async (_, options) => {
    const { metadata, callerCards } = await callerCard(['llm-context'])
    const { url } = await translating(mergeOptions({ access: { callerCards } }, options))
    expect(saidIn(await send(await stockClient(url), says('go', { metadata })))).toContain('In Italian (it)')
    const card = (await (await fetch(`${url}/.well-known/agent-card.json`)).json()) as CardJson
    expect(card.capabilities.extensions[0]?.params?.llmContextLanguage).toBe('it')
  })

  test('and an agent whose card and translator disagree is not made', async () => {
    const card = agentCard({ llmContextLanguage: 'it' })
    await expect(translating({ language: 'es', agent: card })).rejects.toThrow(
      "The card declares 'it' as llmContextLanguage, and the translator writes 'es'.",
    )
  })
})

interface CardJson {
  readonly capabilities: { readonly extensions: readonly { readonly params?: Readonly<Record<string, unknown>> }[] }
}

function agentCard(envelope: NonNullable<BeachOptions['agent']['envelope']>): BeachOptions['agent'] {
  return {
    schemaVersion: '1.0',
    id: 'tester',
    name: 'Tester',
    description: 'Says what it is told.',
    version: '1.0.0',
    capabilities: [],
    envelope,
  }
}
