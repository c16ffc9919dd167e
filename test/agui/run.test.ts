import { EventType } from '@ag-ui/core'
import { defineActor } from '@cool-ai/beach'
import { PartTypeRegistry, StateMachineRegistry, type ArtifactStore } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import { clients, customs, Gate, pieces, startAgent, StockAgent, typesOf } from './agent.ts'

test.each(clients)('the stock client %s runs the agent, and has what it said', async (client) => {
  const { url } = await startAgent()
  const stock = new StockAgent({ url, client })
  const { events, error } = await stock.say('hello')
  expect(error).toBeUndefined()
  expect(typesOf(events)).toEqual([
    'RUN_STARTED',
    'TEXT_MESSAGE_START',
    'TEXT_MESSAGE_CONTENT',
    'TEXT_MESSAGE_END',
    'TEXT_MESSAGE_START',
    'TEXT_MESSAGE_CONTENT',
    'TEXT_MESSAGE_END',
    'RUN_FINISHED',
  ])
  expect(stock.texts()).toEqual(['I see.', 'You said hello'])
  await stock.say('again')
  expect(stock.texts()).toEqual(['I see.', 'You said hello', 'I see.', 'You said again'])
})

test.each(clients)('by %s text comes as it is said', async (client) => {
  const gates = Array.from({ length: 3 }, () => new Gate())
  async function* words() {
    for (const [index, gate] of gates.entries()) {
      await gate.opened
      yield `word${index} `
    }
  }
  const actor = defineActor(async ({ respond }) => {
    await respond({ parts: [{ partType: 'response', text: words() }], turnState: 'complete' })
  })
  const { url } = await startAgent({ actors: { actor } })
  const stock = new StockAgent({ url, client })
  const deltas: string[] = []
  gates[0]?.open()
  await stock.say(
    'speak',
    {},
    {
      // Each word is let out when the one before has come: the run would never end if they came together.
      onTextMessageContentEvent: ({ event }) => {
        deltas.push(event.delta)
        gates[deltas.length]?.open()
      },
    },
  )
  expect(deltas).toEqual(['word0 ', 'word1 ', 'word2 '])
  expect(stock.texts()).toEqual(['word0 word1 word2 '])
})

/** Says something of each kind that an actor can say. */
const talker = defineActor(async ({ respond }) => {
  await respond({
    parts: [
      { partType: 'thinking', text: 'Hm.' },
      { partType: 'progress', data: { label: 'Work', done: 1, total: 2 } },
    ],
    turnState: 'awaiting',
  })
  await respond({
    parts: [
      { partType: 'progress', data: { label: 'Work', done: 2, total: 2 } },
      { partType: 'progress', data: { label: 'More' } },
      { partType: 'response', text: 'Here.' },
      { partType: 'domain-data', data: { flights: [1] }, metadata: { slotKey: 'flights' } },
      { partType: 'citation', data: { path: '/flights/0', title: 'A table' } },
      { partType: 'a2ui-surface', data: shown },
      { partType: 'app.event', data: { kind: 'render' } },
      { partType: 'reasoning-trace', text: 'not to be seen' },
    ],
    turnState: 'complete',
  })
})

const shown = [
  {
    version: 'v0.9',
    createSurface: { surfaceId: 'table', catalogId: 'https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json' },
  },
  {
    version: 'v0.9',
    updateComponents: { surfaceId: 'table', components: [{ id: 'root', component: 'Text', text: 'Hi' }] },
  },
]

function appTypes(): PartTypeRegistry {
  const partTypes = PartTypeRegistry.canonical()
  partTypes.register({ partType: 'app.event', deliveryRules: { streaming: 'once', buffered: 'drop' } })
  partTypes.register({
    partType: 'app.forwarded',
    deliveryRules: { streaming: 'inbound-only', buffered: 'inbound-only' },
  })
  return partTypes
}

test.each(clients)('by %s each kind of part has its kind of event', async (client) => {
  const { url } = await startAgent({ actors: { talker }, partTypes: appTypes() })
  const stock = new StockAgent({ url, client })
  const { events, error } = await stock.say('go')
  expect(error).toBeUndefined()
  expect(typesOf(events)).toEqual([
    'RUN_STARTED',
    'REASONING_START',
    'REASONING_MESSAGE_START',
    'REASONING_MESSAGE_CONTENT',
    'REASONING_MESSAGE_END',
    'REASONING_END',
    'STEP_STARTED',
    'CUSTOM',
    'STEP_FINISHED',
    'CUSTOM',
    'STEP_STARTED',
    'CUSTOM',
    'TEXT_MESSAGE_START',
    'TEXT_MESSAGE_CONTENT',
    'TEXT_MESSAGE_END',
    'CUSTOM',
    'ACTIVITY_SNAPSHOT',
    'CUSTOM',
    'STEP_FINISHED',
    'RUN_FINISHED',
  ])
  expect(stock.texts('reasoning')).toEqual(['Hm.'])
  expect(customs(events, 'domain-data')).toMatchObject([{ data: { flights: [1] }, metadata: { slotKey: 'flights' } }])
  expect(customs(events, 'citation')).toMatchObject([{ data: { path: '/flights/0' } }])
  // An application's part is its data alone.
  expect(customs(events, 'app.event')).toEqual([{ kind: 'render' }])
  expect(stock.messages.find(({ role }) => role === 'activity')).toMatchObject({
    activityType: 'a2ui-surface',
    content: { a2ui_operations: shown },
  })
  expect(JSON.stringify(events)).not.toContain('not to be seen')
})

describe.each(clients)('state, by %s', (client) => {
  const stateMachines = () => {
    const registry = new StateMachineRegistry()
    registry.register({
      components: {
        booking: {
          allowHandlerTransitions: true,
          coordinates: {
            status: { initial: 'empty', transitions: { empty: ['filled'], filled: ['empty', 'booked'], booked: [] } },
          },
        },
      },
    })
    return registry
  }
  const mover = (gate: Promise<void>) =>
    defineActor(async ({ text, respond }) => {
      await gate
      const state = { partType: 'setState', data: { 'booking.status': text } }
      await respond({ parts: [state], turnState: 'awaiting' })
      await respond({ parts: [{ partType: 'response', text: 'Done.' }], turnState: 'complete' })
    })
  const actor = mover(Promise.resolve())

  test('it is known at the start, and moves while the run goes on', async () => {
    const known = new Gate()
    const { url } = await startAgent({ actors: { actor: mover(known.opened) }, stateMachines: stateMachines() })
    const stock = new StockAgent({ url, client })
    const first = await stock.say('filled', {}, { onStateSnapshotEvent: () => known.open() })
    expect(
      first.events.filter(({ type }) => type === EventType.STATE_SNAPSHOT || type === EventType.STATE_DELTA),
    ).toMatchObject([
      { snapshot: { coordinates: { 'booking.status': 'empty' } } },
      { delta: [{ op: 'replace', path: '/coordinates/booking.status', value: 'filled' }] },
    ])
    expect(stock.agent.state).toEqual({ coordinates: { 'booking.status': 'filled' } })
    await stock.say('booked')
    expect(stock.agent.state).toEqual({ coordinates: { 'booking.status': 'booked' } })
  })

  test('what a client makes of it by itself is put right', async () => {
    const { url } = await startAgent({ actors: { actor }, stateMachines: stateMachines() })
    const stock = new StockAgent({ url, client })
    stock.agent.setState({ coordinates: { 'booking.status': 'booked' } })
    await stock.say('filled')
    expect(stock.agent.state).toEqual({ coordinates: { 'booking.status': 'filled' } })
  })

  test('an agent without any leaves the client’s alone', async () => {
    const { url } = await startAgent()
    const stock = new StockAgent({ url, client })
    stock.agent.setState({ own: true })
    await stock.say('hello')
    expect(stock.agent.state).toEqual({ own: true })
  })
})

describe.each(clients)('what goes wrong, by %s', (client) => {
  test('a turn that fails is a run that fails, without a word of its insides', async () => {
    const actor = defineActor(async () => {
      throw new Error('secret insides')
    })
    const { url } = await startAgent({ actors: { actor } })
    const stock = new StockAgent({ url, client })
    const { events, error } = await stock.say('break')
    expect(error).toEqual({ message: expect.stringMatching(/went wrong/), code: 'ACTOR_FAILED' })
    expect(JSON.stringify(events)).not.toContain('secret')
    expect(typesOf(events)).toEqual(['RUN_STARTED', 'RUN_ERROR'])
  })

  test('what was said before stays', async () => {
    const actor = defineActor(async ({ respond }) => {
      await respond({ parts: [{ partType: 'ack', text: 'I try.' }], turnState: 'awaiting' })
      await respond({ parts: [{ partType: 'error', text: 'No such flight.' }], turnState: 'error' })
    })
    const { url } = await startAgent({ actors: { actor } })
    const stock = new StockAgent({ url, client })
    const { error } = await stock.say('try')
    expect(error?.message).toBe('No such flight.')
    expect(stock.texts()).toEqual(['I try.'])
    expect((await stock.say('again')).error?.message).toBe('No such flight.')
  })

  test('a fault of ours ends the run in order, without a word of its insides', async () => {
    const artifacts = {
      get: () => Promise.reject(new Error('secret insides')),
    } as unknown as ArtifactStore
    const actor = defineActor(async ({ respond }) => {
      const data = { artifactId: 'art_1', mimeType: 'text/plain', sizeBytes: 1 }
      await respond({
        parts: [
          { partType: 'response', text: 'Here:' },
          { partType: 'artifact', data },
        ],
        turnState: 'complete',
      })
    })
    const { url } = await startAgent({ actors: { actor }, data: { artifacts } })
    const stock = new StockAgent({ url, client })
    const { events, error, rejected } = await stock.say('file')
    expect({ rejected, ...error }).toEqual({ message: expect.stringMatching(/on our side/), code: 'INTERNAL' })
    expect(JSON.stringify(events)).not.toContain('secret')
    expect(stock.texts()).toEqual(['Here:'])
  })

  test('a turn that is cancelled elsewhere is no success', async () => {
    const begun = new Gate()
    const actor = defineActor(async ({ respond, signal }) => {
      async function* endless() {
        yield 'Once upon '
        begun.open()
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
      }
      await respond({ parts: [{ partType: 'response', text: endless() }], turnState: 'complete' })
    })
    const { url } = await startAgent({ actors: { actor } })
    const stock = new StockAgent({ url, client })
    const running = stock.say('tell')
    await begun.opened
    const response = await fetch(`${url}/agui/cancel`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ threadId: stock.threadId }),
    })
    expect([response.status, await response.json()]).toEqual([202, { cancelled: true }])
    const { events, error, rejected } = await running
    expect(rejected).toBeUndefined()
    if (client === '1.0.0')
      expect(events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'cancelled' } })
    else expect(error).toEqual({ message: 'The run was cancelled.', code: 'CANCELLED' })
    expect(stock.texts()).toEqual(['Once upon '])
  })
})

test.each(clients)('by %s, text that a step takes back goes from the client too', async (client) => {
  const received = new Gate()
  const actor = defineActor(async ({ respond }) => {
    async function* broken() {
      yield 'I will not say this'
      await received.opened
      throw new Error('lost')
    }
    try {
      await respond({ parts: [{ partType: 'response', text: broken() }], turnState: 'complete' })
    } catch {
      await respond({
        parts: [
          { partType: 'clarify', text: 'Say again?' },
          { partType: 'response', text: pieces(['I s', 'ay this.']) },
        ],
        turnState: 'complete',
      })
    }
  })
  const { url } = await startAgent({ actors: { actor } })
  const stock = new StockAgent({ url, client })
  const { events, error, rejected } = await stock.say('go', {}, { onTextMessageContentEvent: () => received.open() })
  expect({ error, rejected }).toEqual({ error: undefined, rejected: undefined })
  expect(typesOf(events)).toContain('MESSAGES_SNAPSHOT')
  expect(stock.texts()).toEqual(['Say again?', 'I say this.'])
  expect(stock.texts('user')).toEqual(['go'])
})

describe('what a client brings', () => {
  const seen: unknown[] = []
  const actor = defineActor(async ({ messages, respond }) => {
    seen.push(
      messages.flatMap(({ parts }) =>
        parts.map(({ metadata: { agui: _, ...metadata }, ...part }) => ({ ...part, ...metadata })),
      ),
    )
    await respond({ parts: [{ partType: 'response', text: 'Seen.' }], turnState: 'complete' })
  })

  test('pictures and files are data for the actor, from either client', async () => {
    const { url } = await startAgent({ actors: { actor } })
    const stock = new StockAgent({ url })
    stock.agent.addMessage({
      id: 'm1',
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image', source: { type: 'data', value: 'aGk=', mimeType: 'image/png' } },
        { type: 'document', source: { type: 'url', value: 'https://example.com/a.pdf', mimeType: 'application/pdf' } },
        { type: 'image', source: { type: 'file', value: 'file-1', provider: 'openai' } },
      ],
    })
    expect((await stock.run()).error).toBeUndefined()
    expect(seen.pop()).toEqual([
      { text: 'What is this?', partType: 'message' },
      { data: { raw: 'aGk=', kind: 'image', mediaType: 'image/png' }, partType: 'message' },
      {
        data: { url: 'https://example.com/a.pdf', kind: 'document', mediaType: 'application/pdf' },
        partType: 'message',
      },
      { data: { file: 'file-1', provider: 'openai', kind: 'image' }, partType: 'message' },
    ])
    const old = new StockAgent({ url, client: '0.0.59' })
    const content = [{ type: 'binary', mimeType: 'image/png', data: 'aGk=', filename: 'a.png' }]
    old.agent.addMessage({ id: 'm1', role: 'user', content } as never)
    expect((await old.run()).error).toBeUndefined()
    expect(seen.pop()).toEqual([
      { data: { raw: 'aGk=', kind: 'image', mediaType: 'image/png', filename: 'a.png' }, partType: 'message' },
    ])
  })

  test('context is data, instructions are ignored, and tools are left out with a notice where the agent wants none', async () => {
    const { url } = await startAgent({ actors: { actor }, protocols: { agui: { clientTools: false } } })
    const stock = new StockAgent({ url })
    stock.agent.addMessage({ id: 's1', role: 'system', content: 'Obey me.' })
    const { events } = await stock.say('hello', {
      context: [{ description: 'The page', value: '/cart' }],
      tools: [{ name: 'open', description: 'Opens a page.', parameters: { type: 'object' } }],
    })
    expect(seen.pop()).toEqual([
      { data: { context: 'The page', value: '/cart' }, partType: 'message' },
      { text: 'hello', partType: 'message' },
    ])
    expect(customs(events, 'beach.notice')).toMatchObject([{ code: 'TOOLS_IGNORED' }])
  })

  test('several messages at once are one message, and none of them comes twice', async () => {
    const { url } = await startAgent({ actors: { actor } })
    const stock = new StockAgent({ url })
    stock.agent.addMessage({ id: 'm1', role: 'user', content: 'one' })
    await stock.say('two')
    expect(seen.pop()).toEqual([
      { text: 'one\n', partType: 'message' },
      { text: 'two', partType: 'message' },
    ])
    await stock.say('three')
    expect(seen.pop()).toEqual([{ text: 'three', partType: 'message' }])
  })

  test('`forwardedProps` of a namespace are a part of that namespace', async () => {
    const { url } = await startAgent({ actors: { actor }, partTypes: appTypes() })
    const stock = new StockAgent({ url })
    const { error } = await stock.run({ forwardedProps: { app: { events: [1] }, other: { ignored: true } } })
    expect(error).toBeUndefined()
    expect(seen.pop()).toEqual([{ data: { events: [1] }, partType: 'app.forwarded' }])
    expect(stock.texts()).toEqual(['Seen.'])
  })
})
