import { createHmac } from 'node:crypto'
import { StreamResponse } from '@a2a-js/sdk'
import { legacyPushNotificationToV1StreamResponse } from '@a2a-js/sdk/compat/v0_3'
import { defineActor } from '@cool-ai/beach'
import { expect, test } from 'vitest'
import {
  approvalIn,
  data,
  Gate,
  onlySession,
  ownContext,
  says,
  send,
  startAgent,
  stateOf,
  stockClient,
  answerOf,
  ways,
  type AgentOptions,
} from './agent.ts'
import { PushReceiver, type Received } from './push-receiver.ts'
import { callerCard, type CallerCardServer } from '../support/caller-card.ts'

const push: NonNullable<Exclude<AgentOptions['a2a'], false>> = {
  fetch: (url, init) => fetch(url, init),
  push: { attempts: 3, firstDelayMs: 1, maxDelayMs: 2 },
}

function config(url: string, more: object = {}) {
  return { tenant: '', id: 'mine', taskId: '', url, token: 'tok-123', authentication: undefined, ...more }
}

function taskIn({ body }: Received) {
  const { payload } = StreamResponse.fromJSON(JSON.parse(body))
  if (payload?.$case !== 'task') throw new Error(`No task was pushed: ${body}`)
  return payload.value
}

/** Waits for a gate, then answers. */
function waiting() {
  const gate = new Gate()
  const actor = defineActor(async ({ text, respond }) => {
    if (text !== 'other') await gate.opened
    await respond({ parts: [{ partType: 'response', text: `Done: ${text}` }], turnState: 'complete' })
  })
  return { gate, actor }
}

test('a config that comes with the message is pushed the finished task, signed with its token', async () => {
  const receiver = await PushReceiver.start()
  const { url } = await startAgent({ protocols: { a2a: push } })
  const client = await stockClient(url)
  const authentication = { scheme: 'Bearer', credentials: 'cred-456' }
  const taskPushNotificationConfig = config(receiver.url, { authentication })
  const task = await send(client, says('hello'), { returnImmediately: true, taskPushNotificationConfig })
  await receiver.count(1)
  const [received] = receiver.received
  if (received === undefined) throw new Error('Nothing came.')
  const pushed = taskIn(received)
  expect([pushed.id, stateOf(pushed), ...answerOf(pushed)]).toEqual([task.id, 'COMPLETED', 'You said hello'])
  const { headers, body } = received
  expect(headers['content-type']).toBe('application/a2a+json')
  expect(headers['x-a2a-notification-token']).toBe('tok-123')
  expect(headers.authorization).toBe('Bearer cred-456')
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`
  expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', 'tok-123').update(signed).digest('base64')}`)
})

test.each(['mine', ''])('a message that is sent again, with the config %j, is pushed once', async (id) => {
  const receiver = await PushReceiver.start()
  const { gate, actor } = waiting()
  const { url } = await startAgent({ actors: { actor }, protocols: { a2a: push } })
  const client = await stockClient(url)
  const message = says('hello', { contextId: ownContext('again') })
  const taskPushNotificationConfig = config(receiver.url, { id })
  const sending = { returnImmediately: true, taskPushNotificationConfig }
  const [{ id: taskId }, second] = await Promise.all([send(client, message, sending), send(client, message, sending)])
  const third = await send(client, message, sending)
  expect([second.id, third.id]).toEqual([taskId, taskId])
  const { configs } = await client.listTaskPushNotificationConfig({ taskId, tenant: '', pageSize: 0, pageToken: '' })
  expect(configs).toHaveLength(1)
  gate.open()
  await receiver.count(1)
})

test('a receiver that fails is tried again with the same id', async () => {
  const receiver = await PushReceiver.start()
  receiver.statuses.push(500, 503)
  const { url } = await startAgent({ protocols: { a2a: push } })
  const client = await stockClient(url)
  await send(client, says('hello'), { taskPushNotificationConfig: config(receiver.url) })
  await receiver.count(3)
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
})

test('a receiver that never takes it becomes a dead letter, which an operator can send again', async () => {
  const receiver = await PushReceiver.start()
  receiver.statuses.push(500, 500, 500)
  const { url, beach } = await startAgent({ protocols: { a2a: push } })
  const client = await stockClient(url)
  await send(client, says('hello'), { taskPushNotificationConfig: config(receiver.url) })
  await receiver.count(3)
  const operator = { kind: 'operator', id: 'olga', tenant: 'default' } as const
  const session = await onlySession(beach)
  await expect.poll(async () => (await beach.sessions.view(session, operator)).deadLetters.length).toBe(1)
  const [letter] = (await beach.sessions.view(session, operator)).deadLetters
  expect(await beach.sessions.redeliver(session, letter?.deliveryId ?? '', operator)).toBe(true)
  await receiver.count(4)
})

test('a receiver that says that it is gone is not tried again', async () => {
  const receiver = await PushReceiver.start()
  receiver.statuses.push(410)
  const { url, beach } = await startAgent({ protocols: { a2a: push } })
  const client = await stockClient(url)
  await send(client, says('hello'), { taskPushNotificationConfig: config(receiver.url) })
  const operator = { kind: 'operator', id: 'olga', tenant: 'default' } as const
  const session = await onlySession(beach)
  await expect.poll(async () => (await beach.sessions.view(session, operator)).deadLetters.length).toBe(1)
  expect(receiver.received).toHaveLength(1)
})

test('a redirect is not followed: the caller has not chosen that address', async () => {
  const receiver = await PushReceiver.start()
  const elsewhere = await PushReceiver.start()
  receiver.location = elsewhere.url
  receiver.statuses.push(307, 308, 302)
  const { url, beach } = await startAgent({ protocols: { a2a: push } })
  const client = await stockClient(url)
  await send(client, says('hello'), { taskPushNotificationConfig: config(receiver.url) })
  const operator = { kind: 'operator', id: 'olga', tenant: 'default' } as const
  const session = await onlySession(beach)
  await expect.poll(async () => (await beach.sessions.view(session, operator)).deadLetters.length).toBe(1)
  expect([receiver.received.length, elsewhere.received.length]).toEqual([3, 0])
})

test('only the config’s own task is pushed, not others of its context', async () => {
  const receiver = await PushReceiver.start()
  const { gate, actor } = waiting()
  const { url } = await startAgent({ actors: { actor }, protocols: { a2a: push } })
  const client = await stockClient(url)
  await send(client, says('other', { contextId: ownContext('shared') }))
  const taskPushNotificationConfig = config(receiver.url)
  const mine = await send(client, says('mine', { contextId: ownContext('shared') }), {
    returnImmediately: true,
    taskPushNotificationConfig,
  })
  gate.open()
  await receiver.count(1)
  const after = await send(client, says('after', { contextId: ownContext('shared') }), {
    taskPushNotificationConfig: config(receiver.url, { id: 'second' }),
  })
  await receiver.count(2)
  expect(receiver.received.map((received) => taskIn(received).id)).toEqual([mine.id, after.id])
})

test('a task that asks something is pushed as INPUT_REQUIRED, for questions and for approvals', async () => {
  const receiver = await PushReceiver.start()
  const actor = defineActor(async ({ text, respond, tool }) => {
    if (text === 'ask') {
      await respond({ parts: [{ partType: 'clarify', text: 'What?' }], turnState: 'clarifying' })
      return
    }
    await tool({ name: 'pay', args: {}, requiresApproval: true }, async () => 'paid')
    await respond({ parts: [{ partType: 'response', text: 'Paid.' }], turnState: 'complete' })
  })
  const { url } = await startAgent({ actors: { actor }, protocols: { a2a: push } })
  const client = await stockClient(url)
  await send(client, says('ask'), { taskPushNotificationConfig: config(receiver.url) })
  await receiver.count(1)
  const asked = await send(client, says('pay'), { taskPushNotificationConfig: config(receiver.url) })
  await receiver.count(2)
  const parts = [data({ approvalId: approvalIn(asked), decision: 'granted' }, 'approval-response')]
  await send(client, says('', { taskId: asked.id, parts }))
  await receiver.count(3)
  expect(receiver.received.map((received) => stateOf(taskIn(received)))).toEqual([
    'INPUT_REQUIRED',
    'INPUT_REQUIRED',
    'COMPLETED',
  ])
})

test.each(ways)('by %s, configs are created, read, listed and deleted', async (way) => {
  const receiver = await PushReceiver.start()
  const { gate, actor } = waiting()
  const { url, beach } = await startAgent({ actors: { actor }, protocols: { a2a: push } })
  const client = await stockClient(url, way)
  const task = await send(client, says('mine'), { returnImmediately: true })
  const authentication = { scheme: 'Bearer', credentials: 'cred-canary' }
  const created = await client.createTaskPushNotificationConfig(
    config(receiver.url, { taskId: task.id, authentication }),
  )
  expect(created).toMatchObject({ id: 'mine', taskId: task.id, url: receiver.url })
  const second = config(`${receiver.url}/2`, { taskId: task.id, id: 'second' })
  await client.createTaskPushNotificationConfig(second)
  const found = await client.getTaskPushNotificationConfig({ taskId: task.id, id: 'mine', tenant: '' })
  expect(found).toMatchObject({ url: receiver.url, token: '' })
  const list = () => client.listTaskPushNotificationConfig({ taskId: task.id, tenant: '', pageSize: 0, pageToken: '' })
  expect((await list()).configs.map(({ id }) => id).toSorted()).toEqual(['mine', 'second'])
  await client.deleteTaskPushNotificationConfig({ taskId: task.id, id: 'second', tenant: '' })
  expect((await list()).configs.map(({ id }) => id)).toEqual(['mine'])
  // Secrets go in, and never come out.
  const operator = { kind: 'operator', id: 'olga', tenant: 'default' } as const
  const view = JSON.stringify(await beach.sessions.view(await onlySession(beach), operator))
  expect(view).not.toMatch(/tok-123|cred-canary/)
  expect(JSON.stringify([created, found, await list()])).not.toContain('cred-canary')
  gate.open()
  await receiver.count(1)
  const { body = '' } = receiver.received[0] ?? {}
  const event = way.endsWith('0.3')
    ? legacyPushNotificationToV1StreamResponse(JSON.parse(body))
    : StreamResponse.fromJSON(JSON.parse(body))
  expect(event.payload).toMatchObject({ $case: 'task', value: { id: task.id } })
})

test('in a long conversation the configs of tasks that are over make room for new ones', async () => {
  const receiver = await PushReceiver.start()
  const { url } = await startAgent({ protocols: { a2a: push } })
  const client = await stockClient(url)
  const turns = 60
  for (let count = 1; count <= turns; count++) {
    const taskPushNotificationConfig = config(receiver.url, { id: `config-${count}` })
    await send(client, says(`turn ${count}`, { contextId: ownContext('long') }), { taskPushNotificationConfig })
    await receiver.count(count)
  }
  expect(new Set(receiver.received.map((received) => taskIn(received).id)).size).toBe(turns)
})

// The agent's own fetch reaches public addresses only.
test.each(['http://127.0.0.1:9/', 'http://localhost:9/', 'https://10.0.0.1/', 'https://[::1]/', 'http://example.com/'])(
  'an address that nothing could be pushed to is refused at once: %s',
  async (address) => {
    const { url } = await startAgent()
    const client = await stockClient(url)
    const message = says('hello')
    const sending = send(client, message, { taskPushNotificationConfig: config(address) })
    await expect(sending).rejects.toThrow(/Nothing can be pushed to \S+\. Give a public https address/)
    const task = await send(client, message)
    expect(task.history).toHaveLength(1)
    const creating = client.createTaskPushNotificationConfig({ ...config(address), taskId: task.id })
    await expect(creating).rejects.toThrow(/Nothing can be pushed to/)
  },
)

test('a name for an address in our own network is refused when it is pushed to, and becomes a dead letter at once', async () => {
  const receiver = await PushReceiver.start()
  const { url, beach } = await startAgent({ protocols: { a2a: { push: { attempts: 3, firstDelayMs: 1 } } } })
  const client = await stockClient(url)
  const address = `https://localhost:${new URL(receiver.url).port}/`
  await send(client, says('hello'), { taskPushNotificationConfig: config(address) })
  const operator = { kind: 'operator', id: 'olga', tenant: 'default' } as const
  const session = await onlySession(beach)
  await expect.poll(async () => (await beach.sessions.view(session, operator)).deadLetters.length).toBe(1)
  expect((await beach.sessions.view(session, operator)).deadLetters[0]?.attempts).toBe(1)
  expect(receiver.received).toEqual([])
})

test.each([
  ['no address', { url: 'nowhere' }, /needs an http/],
  ['an address that is no web address', { url: 'file:///etc/passwd' }, /needs an http/],
  ['a token that would smuggle a header in', { token: 'a\r\nx-evil: 1' }, /visible ASCII/],
  ['a scheme that is none', { authentication: { scheme: 'Bearer x', credentials: 'z' } }, /scheme/],
])('a config with %s is refused', async (_, more, problem) => {
  const { url } = await startAgent({ protocols: { a2a: push } })
  const client = await stockClient(url)
  const task = await send(client, says('hello'))
  const bad = { ...config('http://127.0.0.1:9/'), taskId: task.id, ...more }
  await expect(client.createTaskPushNotificationConfig(bad)).rejects.toThrow(problem)
  await expect(send(client, says('hi'), { taskPushNotificationConfig: { ...bad, taskId: '' } })).rejects.toThrow(
    problem,
  )
})

test.each(['with the message', 'later'])('a config made %s gets what its Beach peer consumes', async (when) => {
  const gate = new Gate()
  const actor = defineActor(async ({ respond }) => {
    await gate.opened
    const parts = [
      { partType: 'response', text: 'For people.' },
      { partType: 'llm-context', text: 'For models.' },
    ]
    await respond({ parts, turnState: 'complete' })
  })
  const card = await callerCard(['llm-context'])
  const { url } = await startAgent({
    actors: { actor },
    protocols: { a2a: push },
    access: { callerCards: card.callerCards },
  })
  const client = await stockClient(url)
  const pushedTo = async (metadata: CallerCardServer['metadata'] | undefined) => {
    const receiver = await PushReceiver.start()
    const taskPushNotificationConfig = when === 'later' ? undefined : config(receiver.url)
    const task = await send(client, says('go', { metadata }), { returnImmediately: true, taskPushNotificationConfig })
    if (when === 'later') await client.createTaskPushNotificationConfig(config(receiver.url, { taskId: task.id }))
    return receiver
  }
  const [beach, plain] = [await pushedTo(card.metadata), await pushedTo(undefined)]
  gate.open()
  await Promise.all([beach.count(1), plain.count(1)])
  const texts = [beach, plain].map(({ received: [first] }) => first && answerOf(taskIn(first)))
  expect(texts).toEqual([['For people.', 'For models.'], ['For people.']])
})
