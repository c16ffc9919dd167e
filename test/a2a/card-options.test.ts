import { DefaultAgentCardResolver } from '@a2a-js/sdk/client'
import { defineActor } from '@cool-ai/beach'
import { SqliteStore } from '@cool-ai/beach-session/sqlite'
import { describe, expect, test } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { answerOf, data, onlySession, runtime, says, send, startAgent, stateOf, stockClient, ways } from './agent.ts'
import { PushReceiver } from './push-receiver.ts'
import { sqliteFile } from './sqlite-file.ts'

const about = {
  id: 'mapper',
  name: 'Mapper',
  description: 'Draws maps.',
  documentationUrl: 'https://docs.example.com/mapper',
  iconUrl: 'https://mapper.example.com/icon.png',
}

/** The card of A2A's own specification, section 8.5, as far as skills, modes and links go. */
const capabilities = [
  {
    id: 'custom-map-generator',
    description: 'Creates custom map images.',
    tags: ['maps', 'customization'],
    inputModes: ['application/json'],
    outputModes: ['image/png', 'application/json'],
  },
  { id: 'route-planner', description: 'Plans a route.' },
]

function startMapper(a2a: object = {}) {
  return startAgent({ agent: { ...about, capabilities }, protocols: { a2a } })
}

interface Answer {
  readonly status: number
  readonly body: { error?: { code?: number; message?: string }; code?: number; message?: string }
}

async function ask(url: string, headers: Record<string, string>, body?: unknown): Promise<Answer> {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  const response = await fetch(url, { headers: { 'content-type': 'application/json', ...headers }, ...init })
  return { status: response.status, body: (await response.json()) as Answer['body'] }
}

const v1 = { 'a2a-version': '1.0' }

function rpc(method: string, params: unknown) {
  return { jsonrpc: '2.0', id: 1, method, params }
}

describe('A2A 1.0, 8.5 (Agent Card) by createBeach', () => {
  test.each([true, false])('skills have tags and modes, the card its modes and links (0.3: %s)', async (isLegacy) => {
    const { url } = await startMapper({
      inputModes: ['text/plain', 'image/*'],
      outputModes: ['application/json', 'image/png'],
    })
    const card = await new DefaultAgentCardResolver({ legacyCompat: { enabled: isLegacy } }).resolve(url)
    expect(card).toMatchObject({
      documentationUrl: about.documentationUrl,
      iconUrl: about.iconUrl,
      defaultInputModes: ['text/plain', 'image/*'],
      defaultOutputModes: ['application/json', 'image/png'],
      capabilities: { streaming: true, pushNotifications: true },
    })
    expect(
      card.skills.map(({ id, tags, ...modes }) => [id, tags, listOf(modes.inputModes), listOf(modes.outputModes)]),
    ).toEqual([
      ['custom-map-generator', ['maps', 'customization'], ['application/json'], ['image/png', 'application/json']],
      ['route-planner', ['route', 'planner'], [], []],
    ])
  })

  test.each([
    [{ inputModes: ['pictures and words'] }, 'defaultInputModes.0 is not a media type'],
    [{ outputModes: [] }, 'defaultOutputModes is empty'],
  ])('what is no media type is refused at the start: %j', async (a2a, message) => {
    await expect(startMapper(a2a)).rejects.toThrow(message)
  })

  test('a link that is none is refused at the start', async () => {
    const agent = { ...about, capabilities, iconUrl: 'icon.png' }
    await expect(startAgent({ agent })).rejects.toThrow('iconUrl is not an http(s) URL')
  })
})

describe('A2A 1.0, 3.3.4 (capability validation)', () => {
  const message = { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'hi' }] }
  const legacy = { kind: 'message', messageId: 'm-1', role: 'user', parts: [{ kind: 'text', text: 'hi' }] }

  test.each<[string, string, Record<string, string>, unknown, number | undefined]>([
    ['SendStreamingMessage', '/a2a', v1, rpc('SendStreamingMessage', { message }), -32004],
    ['SubscribeToTask', '/a2a', v1, rpc('SubscribeToTask', { id: 'sess_x.1' }), -32004],
    ['message:stream', '/a2a/rest/message:stream', v1, { message }, undefined],
    ['tasks/…:subscribe', '/a2a/rest/tasks/sess_x.1:subscribe', v1, {}, undefined],
    ['message/stream of 0.3', '/a2a', {}, rpc('message/stream', { message: legacy }), -32004],
    ['tasks/resubscribe of 0.3', '/a2a', {}, rpc('tasks/resubscribe', { id: 'sess_x.1' }), -32004],
    [
      'message:stream of 0.3',
      '/a2a/rest/v1/message:stream',
      {},
      { message: { messageId: 'm-1', role: 'ROLE_USER', content: [{ text: 'hi' }] } },
      -32004,
    ],
  ])('without streaming %s is an unsupported operation', async (_, path, headers, body, code) => {
    const { url } = await startMapper({ streaming: false })
    const answer = await ask(`${url}${path}`, headers, body)
    expect(answer.body.error?.code ?? answer.body.code).toBe(code ?? 400)
    expect(answer.body.error?.message ?? answer.body.message).toMatch(/does not stream|requires streaming/)
  })

  test.each(ways)('without streaming and push the stock client gets its answer, %s', async (way) => {
    const { url } = await startAgent({ protocols: { a2a: { streaming: false, push: false } } })
    const client = await stockClient(url, way)
    const task = await send(client, says('hello'))
    expect([stateOf(task), ...answerOf(task)]).toEqual(['COMPLETED', 'You said hello'])
    // It falls back to a plain request, since the card says that there is no stream.
    const events = []
    for await (const event of client.sendMessageStream({
      tenant: '',
      message: says('again'),
      configuration: undefined,
      metadata: undefined,
    }))
      events.push(event.payload?.$case)
    expect(events).toEqual(['task'])
  })

  const config = { id: 'mine', url: 'https://receiver.example/hook' }

  test.each<[string, string, Record<string, string>, unknown]>([
    ['Create', '/a2a', v1, rpc('CreateTaskPushNotificationConfig', { taskId: 'sess_x.1', ...config })],
    ['Get', '/a2a', v1, rpc('GetTaskPushNotificationConfig', { taskId: 'sess_x.1', id: 'mine' })],
    ['List', '/a2a', v1, rpc('ListTaskPushNotificationConfigs', { taskId: 'sess_x.1' })],
    ['Delete', '/a2a', v1, rpc('DeleteTaskPushNotificationConfig', { taskId: 'sess_x.1', id: 'mine' })],
    [
      'set of 0.3',
      '/a2a',
      {},
      rpc('tasks/pushNotificationConfig/set', { taskId: 'sess_x.1', pushNotificationConfig: config }),
    ],
    ['get of 0.3', '/a2a', {}, rpc('tasks/pushNotificationConfig/get', { id: 'sess_x.1' })],
    ['list of 0.3', '/a2a', {}, rpc('tasks/pushNotificationConfig/list', { id: 'sess_x.1' })],
    [
      'a message with a config',
      '/a2a',
      v1,
      rpc('SendMessage', { message, configuration: { taskPushNotificationConfig: config } }),
    ],
  ])('without push %s is refused as such, whatever the task', async (_, path, headers, body) => {
    const { url, beach } = await startMapper({ push: false })
    const answer = await ask(`${url}${path}`, headers, body)
    expect(answer.body.error?.code).toBe(-32003)
    const { items } = await beach.sessions.list({}, { kind: 'operator', id: 'olga', tenant: 'default' })
    expect(items).toEqual([])
  })

  test.each([
    ['1.0', '/a2a/rest/tasks/sess_x.1/pushNotificationConfigs', v1],
    ['0.3', '/a2a/rest/v1/tasks/sess_x.1/pushNotificationConfigs', {}],
  ])('without push the configs by HTTP+JSON %s are refused', async (_, path, headers) => {
    const { url } = await startMapper({ push: false })
    const answer = await ask(`${url}${path}`, headers)
    expect([answer.status, answer.body.error?.message ?? answer.body.message]).toEqual([
      400,
      expect.stringContaining('does not push'),
    ])
  })
})

test('a skill’s input modes are taken, besides those of the card', async () => {
  const { url } = await startMapper({ inputModes: ['text/plain'] })
  const client = await stockClient(url)
  const json = { ...data({ from: 'Rome' }), mediaType: 'application/json' }
  expect(stateOf(await send(client, says('', { parts: [json] })))).toBe('COMPLETED')
})

test('after push is switched off, configs of before get nothing more', async () => {
  const port = await freePort()
  const path = sqliteFile()
  const asker = defineActor(async ({ text, respond }) => {
    const isAnswer = text === 'Rome'
    const part = { partType: isAnswer ? 'response' : 'clarify', text: isAnswer ? 'Drawn.' : 'Of what?' }
    await respond({ parts: [part], turnState: isAnswer ? 'complete' : 'clarifying' })
  })
  const actors = { asker }
  const receiver = await PushReceiver.start()
  const before = await startAgent({
    port,
    actors,
    data: { store: await SqliteStore.open({ path, runtime }) },
    protocols: { a2a: { fetch } },
  })
  const config = { tenant: '', id: '', taskId: '', url: receiver.url, token: '', authentication: undefined }
  const client = await stockClient(before.url)
  const task = await send(client, says('A map, please.'), { taskPushNotificationConfig: config })
  await receiver.count(1)
  await before.stop()
  const store = await SqliteStore.open({ path, runtime })
  const { beach } = await startAgent({ port, actors, data: { store }, protocols: { a2a: { push: false } } })
  expect(stateOf(await send(client, says('Rome', { taskId: task.id })))).toBe('COMPLETED')
  const view = await beach.sessions.view(await onlySession(beach), { kind: 'operator', id: 'olga', tenant: 'default' })
  expect([view.inFlight, view.deadLetters, receiver.received.length]).toEqual([[], [], 1])
})

/** The SDK's reader of 0.3 leaves out what is empty, whatever its types say. */
function listOf(modes: readonly string[] | undefined): readonly string[] {
  return modes ?? []
}
