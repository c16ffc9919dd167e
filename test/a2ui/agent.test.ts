import { defineActor } from '@cool-ai/beach'
import { surfaceToText, ui, validateA2ui } from '@cool-ai/beach-a2ui'
import {
  PartTypeRegistry,
  silentLogger,
  systemRuntime,
  type Actor,
  type Originator,
  type Part,
} from '@cool-ai/beach-core'
import type { SessionEvent } from '@cool-ai/beach-core/log'
import { llmActor, scriptedModel, type ScriptedMessage } from '@cool-ai/beach-llm'
import { SurfaceTemplateRegistry } from '@cool-ai/beach-protocol'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { testAgent } from '@cool-ai/beach-testing'
import { describe, expect, onTestFinished, test } from 'vitest'

// A2UI in a whole agent: what is checked, what is dropped, and what each listener gets in the end.

const runtime = systemRuntime({ logger: silentLogger })
const principal = { kind: 'user', id: 'alice', tenant: 'default' } as const
const mailbox: Originator = { id: 'm', transport: 'email', deliveryClass: 'buffered', principal }

function partTypes(): PartTypeRegistry {
  const registry = PartTypeRegistry.canonical()
  return registry
}

async function agent(actor: Actor, registry: PartTypeRegistry, templates = new SurfaceTemplateRegistry()) {
  const store = new MemoryStore({ runtime })
  const there = await testAgent({
    actors: { actor },
    templates,
    partTypes: registry,
    data: { store },
    principal,
    runtime,
  })
  onTestFinished(there.stop)
  return { ...there, store }
}

/** Says something and waits for the end of the turn. */
async function ask({ beach, store, say, conversation }: Awaited<ReturnType<typeof agent>>) {
  const { sessionId } = conversation
  const { turnId, turnState, parts } = await say('Find flights')
  const events = (await store.read(sessionId, 0)).map(({ data }) => data as SessionEvent)
  const envelope = await beach.sessions.envelope(sessionId, turnId, mailbox)
  const dropped = events.flatMap((event) => {
    return event.type === 'actorNoted' && event.kind === 'dropped-part' ? [event.payload?.value] : []
  })
  return { turnState, parts, envelope, dropped }
}

const typesOf = (parts: readonly Part[] = []) => parts.map((part) => part.metadata.partType)
const good = ui.surface({ surfaceId: 'flights', root: ui.card(ui.text('BA 2043')) })
const bad = [
  {
    version: 'v0.9',
    createSurface: { surfaceId: 'flights', catalogId: 'https://a2ui.org/specification/v0_9/basic_catalog.json' },
  },
  {
    version: 'v0.9',
    updateComponents: { surfaceId: 'flights', components: [{ id: 'root', component: 'Card', child: 'x' }] },
  },
]
const dangling = '/1/updateComponents/components/0/child: The component "root" refers to "x", which is not there.'

describe('a model', () => {
  const answer = (text: string, data: unknown) => ({
    respond: {
      turnState: 'complete',
      parts: [
        { metadata: { partType: 'a2ui-surface' }, data },
        { metadata: { partType: 'response' }, text },
      ],
    },
  })

  async function modelAgent(...messages: ScriptedMessage[]) {
    const registry = partTypes()
    const prompts: string[] = []
    const scripted = scriptedModel({
      rules: [{ say: ({ step }) => messages[step] ?? { text: 'The script is over.' } }],
    })
    const model: typeof scripted = {
      ...scripted,
      doStream: (options) => {
        prompts.push(JSON.stringify(options.prompt))
        return scripted.doStream(options)
      },
    }
    const actor = llmActor({ name: 'sally', model, prompt: 'You are Sally.', partTypes: registry, runtime })
    return { ...(await agent(actor, registry)), prompts }
  }

  test('is told what is wrong with its surface, and is taken at its second word', async () => {
    const there = await modelAgent(answer('Wrong.', bad), answer('Here.', good))
    const { parts, dropped, envelope } = await ask(there)
    expect(there.prompts[1]).toContain(JSON.stringify(`parts[0]: ${dangling}`).slice(1, -1))
    expect(dropped).toEqual([])
    expect(typesOf(parts)).toEqual(['a2ui-surface', 'response'])
    expect(surfaceToText(envelope?.parts[0]?.data)).toBe('BA 2043')
  })

  test('that is wrong again loses the surface and nothing else; the log says so', async () => {
    const { parts, dropped, envelope } = await ask(await modelAgent(answer('Wrong.', bad), answer('Here.', bad)))
    expect(typesOf(parts)).toEqual(['response'])
    expect(parts[0]?.text).toBe('Here.')
    expect(typesOf(envelope?.parts)).toEqual(['response'])
    expect(dropped).toMatchObject([
      { partType: 'a2ui-surface', problems: [expect.stringContaining(dangling) as string] },
    ])
  })
})

describe('a function actor', () => {
  const shows = (data: object) =>
    defineActor(({ respond }) => respond({ parts: [{ partType: 'a2ui-surface', data }], turnState: 'complete' }))

  test('that shows what is not valid has failed', async () => {
    const { turnState, parts } = await ask(await agent(shows(bad), partTypes()))
    expect(typesOf(parts)).toEqual(['error'])
    expect(turnState).toBe('error')
  })

  test('may show what only others know how to show', async () => {
    const other = [{ version: 'v0.9', createSurface: { surfaceId: 's', catalogId: 'https://example.com/mine.json' } }]
    expect(validateA2ui(other).unknownCatalogs).toHaveLength(1)
    const { parts } = await ask(await agent(shows(other), partTypes()))
    expect(typesOf(parts)).toEqual(['a2ui-surface'])
  })
})

describe('a template', () => {
  const brings = defineActor(({ respond }) =>
    respond({
      parts: [{ partType: 'domain-data', data: { flights: ['BA 2043'] }, metadata: { kind: 'flights' } }],
      turnState: 'complete',
    }),
  )
  const withTemplate = (template: (data: { flights: string[] }) => unknown) => {
    const templates = new SurfaceTemplateRegistry()
    templates.register('flights', template)
    return templates
  }

  test('may return what the builder makes', async () => {
    const list = ui.list(ui.each('/flights', ({ path }) => ui.text(path(''))))
    const { parts, envelope } = await ask(
      await agent(
        brings,
        partTypes(),
        withTemplate(() => list),
      ),
    )
    expect(typesOf(parts)).toEqual(['domain-data', 'a2ui-surface'])
    expect(surfaceToText(parts[1]?.data)).toBe('- BA 2043')
    expect(surfaceToText(envelope?.parts[1]?.data)).toBe('- BA 2043')
  })

  test('that makes what is not valid costs the surface; the data comes, and the log says so', async () => {
    const { parts, envelope, dropped, turnState } = await ask(
      await agent(
        brings,
        partTypes(),
        withTemplate(() => bad),
      ),
    )
    expect(typesOf(parts)).toEqual(['domain-data'])
    expect(typesOf(envelope?.parts)).toEqual(['domain-data'])
    expect(dropped).toMatchObject([
      { partType: 'a2ui-surface', kind: 'flights', problems: [expect.stringContaining(dangling) as string] },
    ])
    expect(turnState).toBe('complete')
  })
})

test('every agent knows the text of its surfaces and its data; two of them may share a registry', async () => {
  const registry = partTypes()
  await agent(
    defineActor(async () => {}),
    registry,
  )
  await agent(
    defineActor(async () => {}),
    registry,
  )
  const textOf = (partType: string, data: unknown) => registry.get(partType)?.toText?.({ data, metadata: { partType } })
  expect(textOf('a2ui-surface', good)).toBe('BA 2043')
  expect(textOf('domain-data', { price: 187 })).toBe('Price: 187')
})
