import { StreamResponse, type Message, type Part, type Task } from '@a2a-js/sdk'
import { defineActor, type BeachOptions } from '@cool-ai/beach'
import { defineTool, llmActor, scriptedModel } from '@cool-ai/beach-llm'
import { MemoryArtifactStore } from '@cool-ai/beach-missives'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { inOrder, respond as modelSays } from '../a2a-client/home-agent.ts'
import {
  collect,
  data,
  getTask,
  ownContext,
  request,
  runtime,
  says,
  send,
  startAgent,
  stateOf,
  stockClient,
  ways,
} from './agent.ts'
import { PushReceiver } from './push-receiver.ts'
import { mergeOptions } from '../support/merge-options.ts'

// A2A 1.0, 3.2.2 (SendMessageConfiguration): `acceptedOutputModes` are the media types that the client takes.

const surface = {
  version: 'v0.9',
  createSurface: { surfaceId: 's', catalogId: 'https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json' },
  updateComponents: { surfaceId: 's', components: [{ id: 'root', component: 'Text', text: 'BA 2043' }] },
}
const uiTypes = ['application/a2ui+json', 'application/json+a2ui']

/** Answers with a part of each kind; `pay` and `pay twice` need approvals, `where` asks back. */
function desk(artifacts: MemoryArtifactStore) {
  return defineActor(async ({ text, respond, tool }) => {
    if (text === 'where') {
      const options = ['Rome', 'Corfu']
      await respond({
        parts: [{ partType: 'clarify', text: 'Where to?', metadata: { options } }],
        turnState: 'clarifying',
      })
      return
    }
    if (text === 'fail') {
      await respond({ parts: [{ partType: 'error', text: 'No such place.' }], turnState: 'error' })
      return
    }
    if (text.startsWith('pay')) {
      const pay = async () => tool({ name: 'pay', args: { sum: 5 }, requiresApproval: true }, async () => 'paid')
      await pay()
      await respond({ parts: [{ partType: 'response', text: 'Paid.' }], turnState: 'complete' })
      return
    }
    const file = await tool({ name: 'file', args: {} }, async () => {
      const about = { name: 'map.png', mimeType: 'image/png', tenant: 'default' }
      const { artifactId, mimeType, sizeBytes, name } = await artifacts.put(png, about)
      return { artifactId, mimeType, sizeBytes, name }
    })
    if (file.outcome !== 'ok') throw new Error('No file.')
    const parts = [
      { partType: 'response' as const, text: words() },
      { partType: 'domain-data' as const, data: { price: 187 }, metadata: { kind: 'flight' } },
      { partType: 'a2ui-surface' as const, data: surface },
      { partType: 'artifact' as const, data: file.value },
      { partType: 'desk.mood', data: { mood: 'fine' } },
    ]
    await respond({ parts, turnState: 'complete' })
  })
}

async function* words() {
  yield 'Two '
  yield 'flights.'
}

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

function start(options: Partial<BeachOptions> = {}) {
  const artifacts = new MemoryArtifactStore({ runtime })
  const rules = { streaming: 'once', buffered: 'at-settlement' } as const
  const partTypes = [{ partType: 'desk.mood', deliveryRules: rules }]
  return startAgent(mergeOptions({ actors: { desk: desk(artifacts) }, data: { artifacts }, partTypes }, options))
}

/** What a part came as, and its content as far as it is short. */
function brief({ content }: Part): unknown {
  if (content?.$case === 'raw') return ['raw', content.value.length]
  if (content?.$case === 'url') return ['url']
  return [content?.$case, content?.value]
}

function partsOf({ artifacts }: Task): Part[] {
  return artifacts.flatMap(({ parts }) => parts)
}

function inStream(events: readonly NonNullable<StreamResponse['payload']>[]): Part[] {
  const whole = events.flatMap((event) =>
    event.$case === 'artifactUpdate' && event.value.lastChunk ? [event.value] : [],
  )
  return whole.flatMap(({ artifact }) => artifact?.parts ?? [])
}

const inWords = [
  ['text', 'Two flights.'],
  ['text', 'Price: 187'],
  ['text', 'BA 2043'],
  ['text', expect.stringMatching(/^map\.png: http:\/\/127\.0\.0\.1:\d+\/artifacts\/art_/)],
  ['text', '{"mood":"fine"}'],
]

describe.each(ways)('acceptedOutputModes by %s', (way) => {
  test.each([[['text/plain']], [['text']], [['text/*']], [['Text/Plain; charset=utf-8']], [['text/markdown']]])(
    'a caller that takes %j gets every part in words',
    async (acceptedOutputModes) => {
      const { url } = await start()
      const client = await stockClient(url, way)
      const task = await send(client, says('flights'), { acceptedOutputModes })
      expect(partsOf(task).map(brief)).toEqual(inWords)
    },
  )

  test('so it does whenever it asks for the task, and in a stream', async () => {
    const { url } = await start()
    const client = await stockClient(url, way)
    const task = await send(client, says('flights'), { acceptedOutputModes: ['text/plain'] })
    expect(partsOf(await getTask(client, task.id)).map(brief)).toEqual(inWords)
    const events = await collect(
      client.sendMessageStream(request(says('flights'), { acceptedOutputModes: ['text/plain'] })),
    )
    expect(inStream(events).map(brief)).toEqual(inWords)
    const everything = events.flatMap((event) =>
      event.$case === 'artifactUpdate' ? (event.value.artifact?.parts ?? []) : [],
    )
    expect(new Set(everything.map(({ content }) => content?.$case))).toEqual(new Set(['text']))
    const again = await collect(client.sendMessageStream(request(says('flights'))))
    expect(inStream(again).some(({ content }) => content?.$case === 'data')).toBe(true)
  })

  test('a caller that takes JSON only gets text and files as JSON, and no pieces of text', async () => {
    const { url } = await start()
    const client = await stockClient(url, way)
    const acceptedOutputModes = ['application/json']
    const events = await collect(client.sendMessageStream(request(says('flights'), { acceptedOutputModes })))
    const pieces = events.flatMap((event) =>
      event.$case === 'artifactUpdate' ? (event.value.artifact?.parts ?? []) : [],
    )
    const task = await send(client, says('flights'), { acceptedOutputModes })
    for (const parts of [pieces, partsOf(task)]) {
      expect(parts.map(brief)).toEqual([
        ['data', { text: 'Two flights.' }],
        ['data', { price: 187 }],
        ['data', { text: 'BA 2043' }],
        [
          'data',
          expect.objectContaining({ name: 'map.png', url: expect.stringContaining('/artifacts/art_') as string }),
        ],
        ['data', { mood: 'fine' }],
      ])
    }
  })

  test('an approval comes as data, without its surface, where only JSON is taken', async () => {
    const { url } = await start()
    const asked = await send(await stockClient(url, way), says('pay'), { acceptedOutputModes: ['application/json'] })
    const approval = expect.objectContaining({ approvalId: expect.any(String) as string }) as unknown
    expect(asked.status?.message?.parts.map(brief)).toEqual([['data', approval]])
  })

  test('an approval and a question come in words, and are answered so', async () => {
    const { url } = await start()
    const client = await stockClient(url, way)
    const configuration = { acceptedOutputModes: ['text/plain'] }
    const asked = await send(client, says('pay'), configuration)
    expect(stateOf(asked)).toBe('INPUT_REQUIRED')
    expect(asked.status?.message?.parts.map(brief)).toEqual([['text', expect.stringContaining('with "yes" or "no"')]])
    const paid = await send(client, says('yes', { taskId: asked.id }))
    expect(partsOf(paid).map(brief)).toEqual([['text', 'Paid.']])
    const question = await send(client, says('where'), configuration)
    expect(question.status?.message?.parts.map(brief)).toEqual([['text', 'Where to?']])
    const done = await send(client, says('Rome', { taskId: question.id }))
    expect(partsOf(done).map(brief)).toEqual(inWords)
    expect(done.history.flatMap(({ parts }) => parts).map(brief)).toEqual([
      ['text', 'where'],
      ['text', 'Where to?'],
      ['text', 'Rome'],
    ])
  })

  test('a caller that takes nothing of what the agent has is refused, and nothing is kept', async () => {
    const { url, beach } = await start()
    const client = await stockClient(url, way)
    const configuration = { acceptedOutputModes: ['video/mp4', 'image/*'] }
    await expect(send(client, says('flights'), configuration)).rejects.toThrow(/answers with text\/plain/)
    const stream = client.sendMessageStream(request(says('flights'), configuration))
    await expect(collect(stream)).rejects.toThrow(/answers with text\/plain/)
    const { items } = await beach.sessions.list({}, { kind: 'operator', id: 'olga', tenant: 'default' })
    expect(items).toEqual([])
  })
})

test('the refusal is ContentTypeNotSupportedError', async () => {
  const { url } = await start()
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] }
  const params = { message, configuration: { acceptedOutputModes: ['video/mp4'] } }
  const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params })
  const spoken = await fetch(`${url}/a2a`, { method: 'POST', headers, body })
  expect(await spoken.json()).toMatchObject({ error: { code: -32005 } })
  const rest = await fetch(`${url}/a2a/rest/message:send`, { method: 'POST', headers, body: JSON.stringify(params) })
  expect([rest.status, JSON.stringify(await rest.json())]).toEqual([
    400,
    expect.stringContaining('CONTENT_TYPE_NOT_SUPPORTED'),
  ])
})

test.each([
  ['everything', ['*/*'], ['text', 'data', 'data', 'raw', 'data']],
  ['nothing in particular', [], ['text', 'data', 'data', 'raw', 'data']],
  ['text, JSON and pictures', ['text/plain', 'application/json', 'image/*'], ['text', 'data', 'text', 'raw', 'data']],
  ['text and surfaces', ['text/plain', 'application/a2ui+json'], ['text', 'text', 'data', 'text', 'text']],
  ['surfaces by their older name', ['application/json+a2ui'], ['data']],
])('a caller that takes %s gets of each part its own form where it can', async (_, acceptedOutputModes, forms) => {
  const { url } = await start()
  const task = await send(await stockClient(url), says('flights'), { acceptedOutputModes })
  expect(partsOf(task).map(({ content }) => content?.$case)).toEqual(forms)
})

test('a client of A2UI’s extension gets surfaces, whatever its media types say', async () => {
  const { url } = await start()
  const { catalogId } = surface.createSurface
  const metadata = { a2uiClientCapabilities: { 'v0.9': { supportedCatalogIds: [catalogId] } } }
  const message = says('flights', { metadata })
  const task = await send(await stockClient(url), message, { acceptedOutputModes: ['text/plain'] })
  const found = partsOf(task).find(({ content }) => content?.$case === 'data')
  expect(uiTypes).toContain(found?.mediaType)
})

describe('an agent that makes pictures', () => {
  const pictures = { outputModes: ['image/png'] }

  test('gives a caller that takes nothing else its pictures, and tells it what it must know', async () => {
    const { url } = await start({ protocols: { a2a: pictures } })
    const client = await stockClient(url)
    const configuration = { acceptedOutputModes: ['image/png'] }
    const task = await send(client, says('flights'), configuration)
    expect([stateOf(task), ...partsOf(task).map(brief)]).toEqual(['COMPLETED', ['raw', png.length]])
    const events = await collect(client.sendMessageStream(request(says('flights'), configuration)))
    expect(inStream(events).map(brief)).toEqual([['url']])
    const failed = await send(client, says('fail'), configuration)
    expect([stateOf(failed), failed.status?.message?.parts.map(brief)]).toEqual([
      'FAILED',
      [['text', 'No such place.']],
    ])
    const asked = await send(client, says('pay'), configuration)
    expect(asked.status?.message?.parts.map(brief)).toEqual([['text', expect.stringContaining('with "yes" or "no"')]])
  })

  test('refuses a caller that takes text only', async () => {
    const { url } = await start({ protocols: { a2a: pictures } })
    const sent = send(await stockClient(url), says('flights'), { acceptedOutputModes: ['text/plain'] })
    await expect(sent).rejects.toThrow('answers with image/png')
  })

  test('answers by the modes of the skill that a message asks for', async () => {
    const capabilities = [
      { id: 'draw', description: 'Draws.', outputModes: ['image/png'] },
      { id: 'tell', description: 'Tells.' },
    ]
    const agent = { id: 'desk', name: 'Desk', description: 'Draws and tells.', capabilities }
    const { url } = await start({ agent })
    const client = await stockClient(url)
    const ask = (capability: string) =>
      send(client, says('flights', { metadata: { capability } }), { acceptedOutputModes: ['text/plain'] })
    expect(stateOf(await ask('tell'))).toBe('COMPLETED')
    await expect(ask('draw')).rejects.toThrow('answers with image/png')
  })
})

test('what a message of a task says counts from then on', async () => {
  const { url } = await start()
  const client = await stockClient(url)
  const asked = await send(client, says('where'), { acceptedOutputModes: ['application/json'] })
  expect(asked.status?.message?.parts.map(brief)).toEqual([
    ['data', expect.objectContaining({ text: expect.stringContaining('Where to?') as string })],
  ])
  const done = await send(client, says('Rome', { taskId: asked.id }), { acceptedOutputModes: ['text/plain'] })
  expect(partsOf(done).map(brief)).toEqual(inWords)
  expect(partsOf(await getTask(client, done.id)).map(brief)).toEqual(inWords)
})

test('the same message with other modes is the same task, written as they say', async () => {
  const { url } = await start()
  const client = await stockClient(url)
  const message = says('flights')
  const first = await send(client, message, { acceptedOutputModes: ['text/plain'] })
  const again = await send(client, message)
  expect(again.id).toBe(first.id)
  expect(partsOf(again).map(({ content }) => content?.$case)).toEqual(['text', 'data', 'data', 'raw', 'data'])
})

test('push notifications, lists and one message are in words too', async () => {
  const receiver = await PushReceiver.start()
  const { url } = await start({ protocols: { a2a: { fetch } } })
  const client = await stockClient(url)
  const config = { tenant: '', id: '', taskId: '', url: receiver.url, token: '', authentication: undefined }
  const contextId = ownContext('words')
  const acceptedOutputModes = ['text/plain']
  await send(client, says('flights', { contextId }), { acceptedOutputModes, taskPushNotificationConfig: config })
  await receiver.count(1)
  const { payload } = StreamResponse.fromJSON(JSON.parse(receiver.received[0]?.body ?? ''))
  expect(payload?.$case === 'task' && partsOf(payload.value).map(brief)).toEqual(inWords)
  const listing = { tenant: '', contextId, status: 0, pageToken: '', statusTimestampAfter: undefined }
  const { tasks } = await client.listTasks({ ...listing, includeArtifacts: true })
  expect(tasks.map((task) => partsOf(task).map(brief))).toEqual([inWords])
  const metadata = { 'https://beach.cool-ai.io/extensions/v1/answer': 'message' }
  const answer = (await client.sendMessage(request(says('flights', { metadata }), { acceptedOutputModes }))) as Message
  expect(new Set(answer.parts.map(({ content }) => content?.$case))).toEqual(new Set(['text']))
})

test('a task that waits for several approvals names each in words', async () => {
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    inputSchema: z.object({ sum: z.number() }),
    requiresApproval: true,
    handler: () => 'paid',
  })
  const calls = [1, 2].map((sum) => ({ name: 'pay', args: { sum } }))
  const model = scriptedModel({ rules: inOrder({ tools: calls }, modelSays('Paid.')) })
  const both = llmActor({ name: 'both', prompt: 'You pay.', model, tools: [pay] })
  const { url } = await start({ actors: { both } })
  const client = await stockClient(url)
  const asked = await send(client, says('pay'), { acceptedOutputModes: ['text/plain'] })
  const reported = asked.status?.message?.parts.map(({ content }) => String(content?.value)) ?? []
  const ids = reported.flatMap((text) => /"approvalId": "([^"]+)"/.exec(text)?.[1] ?? [])
  let task = asked
  for (const approvalId of ids) {
    task = await send(client, says('', { taskId: asked.id, parts: [data({ approvalId, decision: 'granted' })] }))
  }
  expect([reported.length, ids.length, stateOf(task)]).toEqual([2, 2, 'COMPLETED'])
})

test.each([
  [Array.from({ length: 51 }, () => 'text/plain'), 'has more than 50 media types'],
  [['x'.repeat(201)], 'has more than 200 characters'],
])('a list that is too long is refused', async (acceptedOutputModes, message) => {
  const { url } = await start()
  await expect(send(await stockClient(url), says('hi'), { acceptedOutputModes })).rejects.toThrow(message)
})
