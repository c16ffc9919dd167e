import type { Message, Task } from '@a2a-js/sdk'
import type { Client } from '@a2a-js/sdk/client'
import { defineActor } from '@cool-ai/beach'
import { BEACH_EXTENSION_URI, readAgentCard } from '@cool-ai/beach-protocol/agent-card'
import { describe, expect, test } from 'vitest'
import { caller, passing } from '../a2a-client/calling.ts'
import { PushReceiver } from './push-receiver.ts'
import {
  approvalIn,
  collect,
  data,
  getTask,
  request,
  says,
  send,
  startAgent,
  stateOf,
  stockClient,
  ways,
} from './agent.ts'

/** Finds flights one by one, each into the same slot. */
const finder = defineActor(async ({ text, respond }) => {
  if (text === 'Somewhere') {
    return respond({ parts: [{ partType: 'clarify', text: 'Where-to?' }], turnState: 'clarifying' })
  }
  const slot = { slotKey: 'ta.flights', mergeStrategy: 'append' } as const
  for (const flight of ['BA-2043', 'EJ-4521', 'TUI-7']) {
    await respond({ parts: [{ partType: 'domain-data', data: [flight], metadata: slot }], turnState: 'awaiting' })
  }
  return respond({ parts: [{ partType: 'response', text: 'Three-flights.' }], turnState: 'complete' })
})

const said = ['BA-2043', 'EJ-4521', 'TUI-7', 'Three-flights.']

function timesIn(value: unknown, words: readonly string[] = said): number[] {
  const json = JSON.stringify(value)
  return words.map((word) => json.split(word).length - 1)
}

const once = said.map(() => 1)

describe.each(ways)('000 Slot keys and merge strategy, by %s: an item of an `append` slot comes once', (way) => {
  test('in a stream, and in the task that is asked for afterwards', async () => {
    const { url } = await startAgent({ actors: { finder } })
    const client = await stockClient(url, way)
    const events = await collect(client.sendMessageStream(request(says('Corfu'))))
    expect(timesIn(events)).toEqual(once)
    const first = events[0]
    const task = await getTask(client, first?.$case === 'task' ? first.value.id : '')
    expect([stateOf(task), timesIn(task)]).toEqual(['COMPLETED', once])
    expect(task.status?.message).toBeUndefined()
  })

  test('in an answer without a stream, also when it is sent again', async () => {
    const { url } = await startAgent({ actors: { finder } })
    const client = await stockClient(url, way)
    const message = says('Corfu')
    expect(timesIn(await send(client, message))).toEqual(once)
    expect(timesIn(await send(client, message))).toEqual(once)
  })
})

test('a question is said once too: in the status while it is open, in the history once it is answered', async () => {
  const { url } = await startAgent({ actors: { finder } })
  const client = await stockClient(url)
  const asked = await send(client, says('Somewhere'))
  expect([stateOf(asked), timesIn(asked, ['Where-to?'])]).toEqual(['INPUT_REQUIRED', [1]])
  const done = await send(client, says('Corfu', { taskId: asked.id }))
  expect(timesIn(done, ['Where-to?', 'Somewhere', 'Corfu', ...said])).toEqual([1, 1, 1, ...once])
})

test('what goes wrong on the way is said at once, and once: in a status while it works, then in the history', async () => {
  const clumsy = defineActor(async ({ respond }) => {
    await respond({ parts: [{ partType: 'error', text: 'One-airline-is-down.' }], turnState: 'awaiting' })
    await respond({ parts: [{ partType: 'response', text: 'Two-others.' }], turnState: 'complete' })
  })
  const { url } = await startAgent({ actors: { clumsy } })
  const client = await stockClient(url)
  const words = ['One-airline-is-down.', 'Two-others.']
  const events = await collect(client.sendMessageStream(request(says('go'))))
  expect(timesIn(events, words)).toEqual([1, 1])
  const [first] = events
  const task = await getTask(client, first?.$case === 'task' ? first.value.id : '')
  expect([stateOf(task), timesIn(task, words)]).toEqual(['COMPLETED', [1, 1]])
  expect([timesIn(task.history, words), task.status?.message]).toEqual([[1, 0], undefined])
})

test('what has failed says so once, in its status', async () => {
  const broken = defineActor(async ({ respond }) => {
    await respond({ parts: [{ partType: 'response', text: 'Half-done.' }], turnState: 'awaiting' })
    await respond({ parts: [{ partType: 'error', text: 'No-luck.' }], turnState: 'error' })
  })
  const { url } = await startAgent({ actors: { broken } })
  const task = await send(await stockClient(url), says('go'))
  expect([stateOf(task), timesIn(task, ['Half-done.', 'No-luck.'])]).toEqual(['FAILED', [1, 1]])
  expect(timesIn(task.status?.message, ['No-luck.'])).toEqual([1])
})

test('a pushed task has each item once', async () => {
  const receiver = await PushReceiver.start()
  const { url } = await startAgent({
    actors: { finder },
    protocols: { a2a: { fetch: (address, init) => fetch(address, init) } },
  })
  const push = { tenant: '', taskId: '', id: 'p', url: receiver.url, token: '', authentication: undefined }
  await send(await stockClient(url), says('Corfu'), { taskPushNotificationConfig: push })
  await receiver.count(1)
  expect(receiver.received.map(({ body }) => timesIn(JSON.parse(body)))).toEqual([once])
})

describe('001 Transport independence: A2A HTTP (non-streaming)', () => {
  const wants = { metadata: { [`${BEACH_EXTENSION_URI}/answer`]: 'message' } }
  const ask = (client: Client, text: string, more: Partial<Message> = {}) =>
    client.sendMessage(request(says(text, { ...wants, ...more })))

  test.each(ways)(
    'by %s: a single Message at settlement, all parts in the array, to callers that take it',
    async (way) => {
      const { url } = await startAgent({ actors: { finder } })
      const client = await stockClient(url, way)
      const answer = (await ask(client, 'Corfu')) as Message
      const flights = ['BA-2043', 'EJ-4521', 'TUI-7']
      // Data is an object in 0.3; by REST its stock client drops the metadata that says what is none.
      const found = way === 'HTTP+JSON 0.3' ? { value: flights } : flights
      expect(answer.parts.map(({ content }) => content?.value as unknown)).toEqual([found, 'Three-flights.'])
      expect(answer.metadata?.meta).toMatchObject({ turnState: 'complete', finalizedBy: 'complete' })
      // The conversation goes on in its context, and the task can be had.
      const next = (await ask(client, 'Rome', { contextId: answer.contextId })) as Message
      expect([next.contextId, next.taskId === answer.taskId]).toEqual([answer.contextId, false])
      expect(stateOf(await getTask(client, answer.taskId))).toBe('COMPLETED')
    },
  )

  test('a question stays a task, since it must be answered; so does what is not waited for', async () => {
    const { url } = await startAgent({ actors: { finder } })
    const client = await stockClient(url)
    const asked = (await ask(client, 'Somewhere')) as Task
    expect(stateOf(asked)).toBe('INPUT_REQUIRED')
    const done = (await ask(client, 'Corfu', { taskId: asked.id })) as Message
    expect(done).toMatchObject({ taskId: asked.id, contextId: asked.contextId })
    const configuration = { returnImmediately: true }
    const begun = (await client.sendMessage(request(says('Corfu', wants), configuration))) as Task
    expect(stateOf(begun)).toBe('SUBMITTED')
  })
})

test.each([true, false])('a Beach agent that asks gets each item once (its peer streams: %s)', async (streaming) => {
  const { url } = await startAgent({ actors: { finder } })
  const published = (await (await fetch(`${url}/.well-known/agent-card.json`)).json()) as { capabilities: object }
  const card = readAgentCard({ ...published, capabilities: { ...published.capabilities, streaming } })
  const { callAgent, runtime } = caller({ travel: card })
  const shown: unknown[] = []
  const calling = callAgent('travel', [{ partType: 'message', text: 'Corfu' }], {
    onPart: ({ part, isOpen }) => void (isOpen || shown.push(part.data ?? part.text)),
  })
  const result = await passing(runtime.clock, calling)
  expect(shown).toEqual([['BA-2043'], ['EJ-4521'], ['TUI-7'], 'Three-flights.'])
  expect(result.parts.map((part) => part.data ?? part.text)).toEqual([
    ['BA-2043', 'EJ-4521', 'TUI-7'],
    'Three-flights.',
  ])
})

test('what a peer says of a later turn of its task is the answer, without what the earlier one said', async () => {
  const asks = defineActor(async ({ text, respond }) => {
    const isAnswer = text === 'Corfu'
    const words = { partType: 'response', text: isAnswer ? 'Booked.' : 'One moment.' }
    const question = { partType: 'clarify', text: 'Where to?' }
    await respond({ parts: isAnswer ? [words] : [words, question], turnState: isAnswer ? 'complete' : 'clarifying' })
  })
  const { url } = await startAgent({ actors: { asks } })
  const { callAgent } = caller({
    travel: readAgentCard(await (await fetch(`${url}/.well-known/agent-card.json`)).json()),
  })
  const asked = await callAgent('travel', [{ partType: 'message', text: 'Book.' }])
  expect([asked.state, asked.parts.map(({ text }) => text)]).toEqual(['clarifying', ['One moment.', 'Where to?']])
  const { taskId = '', contextId = '' } = asked
  const done = await callAgent('travel', [{ partType: 'message', text: 'Corfu' }], { taskId, contextId })
  expect([done.state, done.parts.map(({ text }) => text)]).toEqual(['complete', ['Booked.']])
})

test('an approval is asked for once, in the status with its surface, and is no part of the answer', async () => {
  const pays = defineActor(async ({ respond, tool }) => {
    await tool({ name: 'pay', args: { invoice: 'INV-77' }, requiresApproval: true }, async () => 'paid')
    await respond({ parts: [{ partType: 'response', text: 'Done.' }], turnState: 'complete' })
  })
  const { url } = await startAgent({ actors: { pays } })
  const client = await stockClient(url)
  const asked = await send(client, says('pay'))
  const typesIn = (parts: Message['parts'] = []) => parts.map(({ metadata }) => metadata?.partType as string)
  expect(typesIn(asked.status?.message?.parts)).toEqual(['clarify', 'approval-request', 'a2ui-surface'])
  expect(asked.artifacts).toEqual([])
  const parts = [data({ approvalId: approvalIn(asked), decision: 'granted' }, 'approval-response')]
  const done = await send(client, says('', { taskId: asked.id, parts }))
  expect([stateOf(done), typesIn(done.artifacts.flatMap((made) => made.parts))]).toEqual(['COMPLETED', ['response']])
  expect(done.status?.message).toBeUndefined()
})
