import { defineActor } from '@cool-ai/beach'
import { TurnStateRegistry } from '@cool-ai/beach-core'
import { readAgentCard } from '@cool-ai/beach-protocol/agent-card'
import { describe, expect, test } from 'vitest'
import { caller } from '../a2a-client/calling.ts'
import { asks, homeAgent, inOrder, respond as modelSays, say } from '../a2a-client/home-agent.ts'
import {
  answerOf,
  collect,
  Gate,
  getTask,
  request,
  says,
  send,
  startAgent,
  stateOf,
  statesIn,
  stockClient,
  textsOf,
  ways,
} from './agent.ts'
import { PushReceiver } from './push-receiver.ts'

const ending = { isTerminal: true, emitsEnvelope: false, holdsActor: false } as const
const turnStates = [
  { id: 'desk.rejected', ...ending, outcome: 'rejected' },
  { id: 'desk.signin', ...ending, outcome: 'auth-required' },
  { id: 'desk.elsewhere', isTerminal: false, emitsEnvelope: false, holdsActor: true, outcome: 'auth-required' },
  { id: 'desk.archived', ...ending },
] as const

/** Refuses, wants a sign-in that the caller confirms, or waits for one that comes another way. */
function desk(signedIn = new Gate()) {
  return defineActor(async ({ text, respond }) => {
    if (text === 'weapons') {
      await respond({
        parts: [{ partType: 'error', text: 'I do not deal in these.' }],
        turnState: 'desk.rejected',
      })
    } else if (text === 'my invoices') {
      const parts = [{ partType: 'clarify', text: 'Sign in at https://id.example/, then say so.' }]
      await respond({ parts, turnState: 'desk.signin' })
    } else if (text === 'my payslip') {
      const parts = [{ partType: 'clarify', text: 'Sign in at https://id.example/.' }]
      await respond({ parts, turnState: 'desk.elsewhere' })
      await signedIn.opened
      await respond({ parts: [{ partType: 'response', text: 'Here it is.' }], turnState: 'complete' })
    } else if (text === 'archive') {
      await respond({ parts: [{ partType: 'response', text: 'Archived.' }], turnState: 'desk.archived' })
    } else {
      await respond({ parts: [{ partType: 'response', text: `Welcome: ${text}` }], turnState: 'complete' })
    }
  })
}

describe.each(ways)('document 004, turn states that a consumer registers, by A2A, %s', (way) => {
  test('a state with the outcome rejected is a REJECTED task, with its reason', async () => {
    const { url } = await startAgent({ actors: { desk: desk() }, turnStates })
    const client = await stockClient(url, way)
    const task = await send(client, says('weapons'))
    expect([stateOf(task), ...textsOf(task.status?.message)]).toEqual(['REJECTED', 'I do not deal in these.'])
    expect(stateOf(await getTask(client, task.id))).toBe('REJECTED')
    await expect(send(client, says('please', { taskId: task.id }))).rejects.toThrow(/This task is over/)
    const events = await collect(client.sendMessageStream(request(says('weapons'))))
    expect(statesIn(events).at(-1)).toBe('REJECTED')
    expect(statesIn(events).filter((state) => state === 'REJECTED')).toHaveLength(1)
  })

  test('one with the outcome auth-required is AUTH_REQUIRED, and goes on with the next message', async () => {
    const { url } = await startAgent({ actors: { desk: desk() }, turnStates })
    const client = await stockClient(url, way)
    const asked = await send(client, says('my invoices'))
    expect(stateOf(asked)).toBe('AUTH_REQUIRED')
    expect(textsOf(asked.status?.message)).toEqual(['Sign in at https://id.example/, then say so.'])
    const done = await send(client, says('done', { taskId: asked.id }))
    expect([done.id, stateOf(done), ...answerOf(done)]).toEqual([asked.id, 'COMPLETED', 'Welcome: done'])
    const events = await collect(client.sendMessageStream(request(says('my invoices'))))
    expect(statesIn(events).at(-1)).toBe('AUTH_REQUIRED')
  })

  test('an AUTH_REQUIRED task can be cancelled', async () => {
    const { url } = await startAgent({ actors: { desk: desk() }, turnStates })
    const client = await stockClient(url, way)
    const asked = await send(client, says('my invoices'))
    const cancelled = await client.cancelTask({ id: asked.id, tenant: '', metadata: undefined })
    expect(stateOf(cancelled)).toBe('CANCELED')
    expect(stateOf(await getTask(client, asked.id))).toBe('CANCELED')
    await expect(send(client, says('done', { taskId: asked.id }))).rejects.toThrow(/over|cancelled/)
  })

  // A2A 1.0, 7.6.1: the stream stays, and the task goes on without a message.
  test('a turn that waits for the authorisation itself returns at AUTH_REQUIRED, and its stream goes on', async () => {
    const signedIn = new Gate()
    const { url } = await startAgent({ actors: { desk: desk(signedIn) }, turnStates })
    const client = await stockClient(url, way)
    const asked = await send(client, says('my payslip'))
    expect([stateOf(asked), ...textsOf(asked.status?.message)]).toEqual([
      'AUTH_REQUIRED',
      'Sign in at https://id.example/.',
    ])
    await expect(send(client, says('done', { taskId: asked.id }))).rejects.toThrow(/comes another way/)
    const stream = client.resubscribeTask({ id: asked.id, tenant: '' })
    const { value: first } = await stream.next()
    expect(first?.payload?.$case === 'task' && stateOf(first.payload.value)).toBe('AUTH_REQUIRED')
    signedIn.open()
    expect(statesIn(await collect(stream)).at(-1)).toBe('COMPLETED')
    const done = await getTask(client, asked.id)
    expect([stateOf(done), ...answerOf(done)]).toEqual(['COMPLETED', 'Here it is.'])
  })
})

test('A2A 1.0, 7.6.1: a stream that comes to AUTH_REQUIRED is not cut, and sees what follows', async () => {
  const signedIn = new Gate()
  const { url } = await startAgent({ actors: { desk: desk(signedIn) }, turnStates })
  const client = await stockClient(url)
  const states: string[] = []
  for await (const { payload } of client.sendMessageStream(request(says('my payslip')))) {
    states.push(...statesIn(payload === undefined ? [] : [payload]))
    if (states.at(-1) === 'AUTH_REQUIRED') signedIn.open()
  }
  expect(states).toContain('AUTH_REQUIRED')
  expect(states.at(-1)).toBe('COMPLETED')
})

test('a registered state without an outcome is COMPLETED, said once', async () => {
  const { url } = await startAgent({ actors: { desk: desk() }, turnStates })
  const client = await stockClient(url)
  const events = await collect(client.sendMessageStream(request(says('archive'))))
  expect(statesIn(events)).toEqual(['SUBMITTED', 'WORKING', 'COMPLETED'])
})

test('a config is pushed the task that is REJECTED, and the one that is AUTH_REQUIRED', async () => {
  const receiver = await PushReceiver.start()
  const { url } = await startAgent({ actors: { desk: desk() }, turnStates, protocols: { a2a: { fetch } } })
  const client = await stockClient(url)
  const config = { tenant: '', id: '', taskId: '', url: receiver.url, token: '', authentication: undefined }
  for (const text of ['weapons', 'my invoices']) await send(client, says(text), { taskPushNotificationConfig: config })
  await receiver.count(2)
  const states = receiver.received.map(({ body }) => /TASK_STATE_\w+/.exec(body)?.[0])
  expect(new Set(states)).toEqual(new Set(['TASK_STATE_AUTH_REQUIRED', 'TASK_STATE_REJECTED']))
})

test('document 003: the card may name the states that the agent has registered', async () => {
  const agent = {
    id: 'desk',
    name: 'Desk',
    description: 'Deals.',
    extensions: { beach: { turnStates: ['desk.rejected'] } },
  }
  await expect(startAgent({ agent })).rejects.toThrow("names 'desk.rejected'")
  const { url } = await startAgent({ agent, turnStates })
  const card = (await (await fetch(`${url}/.well-known/agent-card.json`)).json()) as { capabilities: unknown }
  expect(JSON.stringify(card.capabilities)).toContain('"turnStates":["desk.rejected"]')
})

test.each([
  [{ outcome: 'maybe' }, 'has an outcome that is not known. Use one of: rejected, auth-required.'],
  [{ outcome: 'rejected', isTerminal: false, holdsActor: true }, 'a turn that is rejected is over (isTerminal).'],
])('a state that cannot be is refused: %j', (given, message) => {
  const registry = TurnStateRegistry.canonical()
  expect(() => registry.register({ id: 'odd', ...ending, ...(given as object) })).toThrow(message)
})

describe('the calling side: an agent that asks a peer', () => {
  test.each([
    ['weapons', 'refused', 'I do not deal in these.'],
    ['my invoices', 'unauthorized', 'Sign in at https://id.example/, then say so.'],
    ['my payslip', 'unauthorized', 'Sign in at https://id.example/.'],
  ])('for %s is told that it is %s, and why', async (message, state, why) => {
    const { url } = await startAgent({ actors: { desk: desk() }, turnStates })
    const card = readAgentCard(await (await fetch(`${url}/.well-known/agent-card.json`)).json())
    const { callAgent } = caller({ desk: card })
    const result = await callAgent('desk', [{ text: message, metadata: { partType: 'message' } }])
    expect([result.state, ...result.parts.map(({ text }) => text)]).toEqual([state, why])
    const home = homeAgent({
      cards: { desk: card },
      rules: inOrder(asks('ask_desk', { message }), modelSays('I see.')),
    })
    const sessions = home.start()
    await say(sessions, 'Ask the desk.')
    expect(home.prompts.at(-1)).toContain(state)
    expect(home.prompts.at(-1)).toContain(why)
    await sessions.stop()
  })
})
