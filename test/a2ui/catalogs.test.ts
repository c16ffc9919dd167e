import { createBeach, defineActor, type BeachOptions } from '@cool-ai/beach'
import { knownCatalogs, registerA2ui, type A2uiCatalog } from '@cool-ai/beach-a2ui'
import {
  PartTypeRegistry,
  silentLogger,
  systemRuntime,
  type Actor,
  type Originator,
  type Part,
  type Work,
} from '@cool-ai/beach-core'
import { llmActor, scriptedModel, type ScriptedMessage } from '@cool-ai/beach-llm'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { testAgent } from '@cool-ai/beach-testing'
import { describe, expect, onTestFinished, test } from 'vitest'

// Document 001, "Part 3 — UI surface", with catalogs of the application's own besides the Basic Catalog.

const runtime = systemRuntime({ logger: silentLogger })
const principal = { kind: 'user', id: 'alice', tenant: 'default' } as const
const common = 'https://a2ui.org/specification/v0_9/common_types.json#/$defs'

const harbour: A2uiCatalog = {
  catalogId: 'https://harbour.example/catalog.json',
  components: {
    BerthMap: {
      properties: { title: { $ref: `${common}/DynamicString` }, berths: { type: 'array', items: { type: 'string' } } },
      required: ['berths'],
      additionalProperties: false,
    },
  },
}

const version = 'v0.9'
const surfaceId = 'berths'
const map = (more: object = {}) => ({ id: 'root', component: 'BerthMap', berths: ['B7'], ...more })
const update = (component: object) => ({ version, updateComponents: { surfaceId, components: [component] } })
const surface = (component: object, { catalogId } = harbour) => [
  { version, createSurface: { surfaceId, catalogId } },
  update(component),
]
const shows = (data: unknown) => ({ partType: 'a2ui-surface' as const, data: data as object })

/** Shows, one after the other, what it is given; `refused` is why it could not. */
function shower(...turns: readonly unknown[]) {
  const refused: string[] = []
  let turn = 0
  const actor = defineActor(async ({ respond }) => {
    const data = turns[turn++]
    await respond({ parts: [shows(data)], turnState: 'complete' }).catch(async (error: unknown) => {
      refused.push(String(error))
      await respond({ parts: [{ partType: 'response', text: 'Refused.' }], turnState: 'complete' })
    })
  })
  return { actor, refused }
}

async function agent(actor: Actor, options: Partial<BeachOptions> = {}) {
  const there = await testAgent({ actors: { actor }, catalogs: [harbour], principal, runtime, ...options })
  onTestFinished(there.stop)
  return there
}

const typesOf = (parts: readonly Part[]) => parts.map(({ metadata }) => metadata.partType)

describe('a surface of a registered catalog', () => {
  test('is validated by the catalog’s schema; what is wrong is said with its place', async () => {
    const { actor, refused } = shower(surface(map()), surface(map({ berths: 7, colour: 'red' })))
    const { say } = await agent(actor)
    expect(typesOf((await say('show')).parts)).toEqual(['a2ui-surface'])
    await say('show')
    expect(refused).toEqual([
      expect.stringMatching(
        /\/1\/updateComponents\/components\/0\/berths: .*must be an array\.\n\/1\/updateComponents\/components\/0\/colour: .*has no property "colour"/,
      ),
    ])
  })

  test('is changed later by what its own catalog has, and by nothing else', async () => {
    const { actor, refused } = shower(
      surface(map()),
      update(map({ berths: ['B9'] })),
      update(map({ berths: 'B9' })),
      update({ id: 'root', component: 'Text', text: 'Hello' }),
      { version, updateDataModel: { surfaceId, value: { any: 'thing' } } },
    )
    const { say } = await agent(actor)
    for (let turn = 0; turn < 5; turn++) await say('go')
    expect(refused).toEqual([
      expect.stringContaining('/updateComponents/components/0/berths: '),
      expect.stringContaining('is of the type "Text", which the catalog "https://harbour.example/catalog.json" lacks'),
    ])
  })

  test('is known among the parts of one step, and to work in parallel to the turn', async () => {
    const refused: string[] = []
    const wrong = shows(update(map({ berths: 7 })))
    const note = (error: unknown) => refused.push(String(error))
    const work: Work = {
      run: async (_, { emit }) => {
        await emit([shows(update(map({ berths: ['B8'] })))])
        await emit([wrong]).catch(note)
        return {}
      },
    }
    const actor = defineActor(
      async ({ messages, respond, manifest }) => {
        const done = { partType: 'response' as const, text: 'ok' }
        // What the work brings may begin a turn of its own.
        if (messages.length === 0) return respond({ parts: [done], turnState: 'complete' })
        await respond({ parts: [shows(surface(map())), wrong], turnState: 'awaiting' }).catch(note)
        await respond({ parts: [shows(surface(map()))], turnState: 'awaiting' })
        await manifest({ name: 'm', slots: { s: { work: 'work' } } })
        return respond({ parts: [done], turnState: 'complete' })
      },
      { works: { work } },
    )
    const { say } = await agent(actor)
    await say('show')
    await expect
      .poll(() => refused)
      .toEqual(Array(2).fill(expect.stringContaining('/updateComponents/components/0/berths: ')))
  })

  test('is known in the same step, and in the process that comes after', async () => {
    const store = new MemoryStore({ runtime })
    const first = defineActor(async ({ respond }) => {
      const both = [shows(surface(map())), shows(update(map({ berths: ['B8'] })))]
      await respond({ parts: both, turnState: 'complete' })
    })
    const before = await agent(first, { data: { store } })
    expect((await before.say('show')).turnState).toBe('complete')
    const { sessionId } = before.conversation
    const { actor, refused } = shower(update(map({ berths: ['B9'] })), update(map({ berths: 9 })))
    const secret = new Uint8Array(32).fill(1)
    const options = {
      agent: { id: 'x', name: 'X' },
      actors: { actor },
      catalogs: [harbour],
      data: { store, secret },
      runtime,
    }
    const after = await createBeach(options)
    onTestFinished(() => after.close())
    const from: Originator = { id: 'page', transport: 'sse', deliveryClass: 'streaming', principal }
    const turns = async () => (await store.read(sessionId, 0)).filter(({ data }) => isSettled(data)).length
    for (const count of [2, 3]) {
      const parts = [{ text: 'go', metadata: { partType: 'message' } }]
      await after.sessions.post(sessionId, { parts, from }, principal)
      await expect.poll(turns).toBe(count)
    }
    expect(refused).toEqual([expect.stringContaining('/updateComponents/components/0/berths: ')])
  })

  test('goes to a mailbox in words, and so do its changes', async () => {
    const { actor } = shower(surface(map({ title: 'Free' })), update(map({ title: 'Still free', berths: ['B9'] })))
    const { say, beach, conversation } = await agent(actor)
    const partTypes = PartTypeRegistry.canonical()
    registerA2ui(partTypes, knownCatalogs([harbour]))
    const mailbox: Originator = { id: 'm', transport: 'email', deliveryClass: 'buffered', principal }
    const { turnId: first } = await say('show')
    const { turnId: second, parts } = await say('again')
    expect(parts[0]?.metadata.surfaceCatalogs).toEqual({ [surfaceId]: harbour.catalogId })
    const texts = await Promise.all(
      [first, second].map(async (turnId) => {
        const envelope = await beach.sessions.envelope(conversation.sessionId, turnId, mailbox)
        return envelope?.parts.map((part) => partTypes.get('a2ui-surface')?.toText?.(part)).join()
      }),
    )
    expect(texts).toEqual(['Free\nBerths: B7', 'Still free\nBerths: B9'])
  })
})

function isSettled(data: unknown): boolean {
  return (data as { type: string }).type === 'turnSettled'
}

describe('a model', () => {
  async function modelAgent(...messages: ScriptedMessage[]) {
    const prompts: string[] = []
    const scripted = scriptedModel({ rules: [{ say: () => messages[prompts.length - 1] ?? { text: 'Over.' } }] })
    const model: typeof scripted = {
      ...scripted,
      doStream(options) {
        prompts.push(JSON.stringify(options.prompt))
        return scripted.doStream(options)
      },
    }
    return { ...(await agent(llmActor({ name: 'm', prompt: 'You show.', model, runtime }))), prompts }
  }
  const answer = (data: unknown) => ({
    respond: {
      turnState: 'complete',
      parts: [
        { metadata: { partType: 'a2ui-surface' }, data },
        { metadata: { partType: 'response' }, text: 'Here.' },
      ],
    },
  })

  test('is told what its surface lacks, and does without it when it is wrong again', async () => {
    const wrong = answer(surface(map({ berths: 7 })))
    const { say, prompts } = await modelAgent(wrong, answer(surface(map())))
    expect(typesOf((await say('show')).parts)).toEqual(['a2ui-surface', 'response'])
    expect(prompts[1]).toContain('must be an array')
    const again = await modelAgent(wrong, wrong)
    expect(typesOf((await again.say('show')).parts)).toEqual(['response'])
  })

  test('is told of a wrong change of a surface by that surface’s catalog', async () => {
    const { say, prompts } = await modelAgent(
      answer(surface(map())),
      answer(update(map({ berths: 7 }))),
      answer(update(map({ berths: ['B9'] }))),
    )
    await say('show')
    const { parts } = await say('change')
    expect(typesOf(parts)).toEqual(['a2ui-surface', 'response'])
    expect(prompts.at(-1)).toContain('must be an array')
  })
})

test('a surface of a catalog that is not registered is accepted as it is, and so are its changes', async () => {
  const other = { catalogId: 'https://other.example' }
  const { actor, refused } = shower(
    surface({ id: 'root', component: 'Gauge', level: 1 }, other),
    update({ id: 'root', component: 'Gauge', level: 2 }),
  )
  const { say } = await agent(actor)
  await say('show')
  const { parts } = await say('change')
  expect([typesOf(parts), refused]).toEqual([['a2ui-surface'], []])
})

test('a catalog that cannot be enforced is refused when the agent is made', async () => {
  const catalogs = [{ ...harbour, components: { BerthMap: { properties: { a: { patternProperties: {} } } } } }]
  await expect(
    createBeach({ agent: { id: 'x', name: 'X' }, data: 'memory', actors: { a: shower().actor }, catalogs }),
  ).rejects.toThrow(
    'The catalog "https://harbour.example/catalog.json" cannot be used: /components/BerthMap/properties/a has "patternProperties"',
  )
})
