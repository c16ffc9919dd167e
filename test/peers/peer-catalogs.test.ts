import type { A2uiCatalog } from '@cool-ai/beach-a2ui'
import { describe, expect, test } from 'vitest'
import type { AgentOptions } from '../a2a/agent.ts'
import { Conversation } from '../support/conversation.ts'
import { freePort } from '../support/free-port.ts'
import { card, startBaxter, startSally } from './two-agents.ts'
import { mergeOptions } from '../support/merge-options.ts'

// Document 003, "Envelope block", `a2uiCatalog`, between two agents: Sally has a catalog of her own.

const common = 'https://a2ui.org/specification/v0_9/common_types.json#/$defs'
const harbour: A2uiCatalog = {
  catalogId: 'https://harbour.example/catalog.json',
  components: {
    Board: {
      properties: {
        title: { type: 'string' },
        berths: { type: 'array', items: { type: 'string' } },
        action: { $ref: `${common}/Action` },
      },
      required: ['berths'],
      additionalProperties: false,
    },
  },
  // A theme that has no place for a name.
  $defs: { theme: { type: 'object', properties: { tone: { type: 'string' } }, additionalProperties: false } },
}

const version = 'v0.9'
const surfaceId = 'berths'
const board = (more: object) => {
  const components = [{ id: 'root', component: 'Board', ...more }]
  return { version, updateComponents: { surfaceId, components } }
}
const action = { event: { name: 'book', context: { berth: 'B7' } } }
const free = [
  { version, createSurface: { surfaceId, catalogId: harbour.catalogId, theme: { tone: 'calm' } } },
  board({ title: 'Free berths', berths: ['B7', 'B9'], action }),
]
const changes = {
  taken: board({ title: 'One is left', berths: ['B9'], action }),
  wrong: board({ title: 'Nothing fits', berths: 9 }),
}

/** Sally, who shows her board. Without the catalog she does not check what she shows. */
const sally = (options: AgentOptions = {}) =>
  startSally({
    answer: async ({ text, respond }) => {
      const change = Object.entries(changes).find(([name]) => text.includes(name))?.[1]
      const data = text.includes('Pressed') ? board({ title: 'Booked', berths: ['B9'] }) : (change ?? free)
      const words = { partType: 'response', text: 'Here.' } as const
      await respond({ parts: [{ partType: 'a2ui-surface', data }, words], turnState: 'complete' })
    },
    options,
  })

/** Both agents, and Baxter's user who has asked Sally. */
async function asked(hers: AgentOptions, his: AgentOptions) {
  const port = await freePort()
  const allowOrigins = [`http://127.0.0.1:${port}`]
  const { url } = await startBaxter(await sally(mergeOptions({ access: { callerCards: { allowOrigins } } }, hers)), {
    port,
    ...his,
  })
  const talk = await Conversation.open(url)
  await talk.say('Berths, please.')
  await talk.settled(1)
  return talk
}

const boards = ({ stream }: Conversation) =>
  stream.parts.flatMap(({ partType, data }) =>
    partType === 'a2ui-surface'
      ? [...JSON.stringify(data).matchAll(/"title":"([^"]+)"/g)].map(([, title]) => title)
      : [],
  )
const sallysWords = ({ stream }: Conversation) =>
  stream.parts.flatMap(({ partType, text, metadata }) =>
    partType === 'response' && metadata.origin !== undefined ? [text] : [],
  )
const lastWords = ({ stream }: Conversation) => stream.parts.findLast(({ partType }) => partType === 'response')?.text

describe('a peer’s surface of a catalog', () => {
  const knows = { catalogs: [harbour] }

  test('that both agents have is shown, changed and used', async () => {
    const talk = await asked(knows, knows)
    const [here = ''] = talk.surfaceIds
    expect([boards(talk), sallysWords(talk)]).toEqual([['Free berths'], ['Here.']])
    expect(JSON.stringify(talk.partOf('a2ui-surface')?.data)).toContain(
      '"theme":{"tone":"calm","agentDisplayName":"Sally"}',
    )
    await talk.say('taken')
    await talk.settled(2)
    expect(boards(talk)).toEqual(['Free berths', 'One is left'])
    expect(talk.stream.parts.findLast(({ partType }) => partType === 'a2ui-surface')?.metadata).toMatchObject({
      surfaceCatalogs: { [here]: harbour.catalogId },
    })
    const pressed = { surfaceId: here, componentId: 'root', name: 'book', context: { berth: 'B7' } }
    expect((await talk.press(pressed)).status).toBe(202)
    await talk.settled(3)
    expect(boards(talk)).toEqual(['Free berths', 'One is left', 'Booked'])
  })

  test('that only the peer has comes in words, to the user and to the model', async () => {
    const talk = await asked(knows, {})
    expect([boards(talk), sallysWords(talk)]).toEqual([[], ['Free berths\nBerths: B7, B9\n[Book]', 'Here.']])
    expect(lastWords(talk)).toBe('Sally: Free berths\nBerths: B7, B9\n[Book]\n\nHere.')
    await talk.say('taken')
    await talk.settled(2)
    expect(sallysWords(talk).slice(2)).toEqual(['One is left\nBerths: B9\n[Book]', 'Here.'])
  })

  test('that only a peer by MCP has comes in words too', async () => {
    const port = await freePort()
    const endpoint = `http://127.0.0.1:${port}/mcp`
    const transports = [{ protocol: 'mcp', version: 'stable', endpoint, transport: 'http', tool: 'ask_tester' }]
    const talk = await asked(
      mergeOptions({ port, protocols: { a2a: false }, agent: { ...card('sally', 'Sally'), transports } }, knows),
      {},
    )
    expect([boards(talk), sallysWords(talk)]).toEqual([[], ['Free berths\nBerths: B7, B9\n[Book]', 'Here.']])
    expect(lastWords(talk)).toBe('Sally: Free berths\nBerths: B7, B9\n[Book]\n\nHere.')
  })

  test('that this agent has is checked by it, although the peer does not check', async () => {
    const envelope = { a2uiCatalog: harbour.catalogId }
    const talk = await asked({ agent: { ...card('sally', 'Sally'), envelope } }, knows)
    await talk.say('wrong')
    await talk.settled(2)
    expect(boards(talk)).toEqual(['Free berths'])
    expect(lastWords(talk)).toBe('Sally: Here.')
  })
})
