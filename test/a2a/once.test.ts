import { defineActor } from '@cool-ai/beach'
import { describe, expect, test } from 'vitest'
import {
  approvalIn,
  collect,
  data,
  Gate,
  getTask,
  newToken,
  ownContext,
  request,
  says,
  send,
  startAgent,
  stateOf,
  stockClient,
  answerOf,
  textsOf,
  ways,
} from './agent.ts'

function counting() {
  const runs: string[] = []
  const actor = defineActor(async ({ text, respond }) => {
    runs.push(text)
    const isQuestion = text.startsWith('book')
    await respond({
      parts: [{ partType: isQuestion ? 'clarify' : 'response', text: isQuestion ? 'Where to?' : `To ${text}.` }],
      turnState: isQuestion ? 'clarifying' : 'complete',
    })
  })
  return { runs, actor }
}

describe('a message that comes twice', () => {
  test('is one task, in whatever way it comes the second time', async () => {
    const { runs, actor } = counting()
    const { url } = await startAgent({ actors: { actor } })
    const client = await stockClient(url)
    const message = says('Corfu')
    const first = await send(client, message)
    const second = await send(client, message)
    expect(second).toEqual(first)
    const [event] = await collect(client.sendMessageStream(request(message)))
    expect(event?.value).toMatchObject({ id: first.id })
    expect(runs).toEqual(['Corfu'])
  })

  test('is one task when both come at once, with and without a context', async () => {
    const { runs, actor } = counting()
    const { url } = await startAgent({ actors: { actor } })
    const client = await stockClient(url)
    for (const contextId of ['', ownContext('mine')]) {
      const message = says('Corfu', { contextId })
      const tasks = await Promise.all(Array.from({ length: 10 }, () => send(client, message)))
      expect(new Set(tasks.map(({ id }) => id)).size).toBe(1)
      expect(tasks.every((task) => stateOf(task) === 'COMPLETED')).toBe(true)
    }
    expect(runs).toEqual(['Corfu', 'Corfu'])
  })

  test.each(['', ownContext('mine')])(
    'is another message when its content is another one (context “%s”)',
    async (contextId) => {
      const { runs, actor } = counting()
      const { url } = await startAgent({ actors: { actor } })
      const client = await stockClient(url)
      const message = says('Corfu', { contextId })
      const first = await send(client, message)
      const second = await send(client, says('Rome', { messageId: message.messageId, contextId }))
      expect(second.id).not.toBe(first.id)
      expect((await send(client, message)).id).toBe(first.id)
      expect(runs).toEqual(['Corfu', 'Rome'])
    },
  )

  test.each(['', ownContext('mine')])(
    'begins something new only for a caller that has gone on with its task (context “%s”)',
    async (contextId) => {
      const { runs, actor } = counting()
      const { url } = await startAgent({ actors: { actor } })
      const client = await stockClient(url)
      const message = says('book', { contextId })
      const asked = await send(client, message)
      expect((await send(client, message)).id).toBe(asked.id)
      expect(runs).toEqual(['book'])
      await send(client, says('Corfu', { taskId: asked.id }))
      const again = await Promise.all([send(client, message), send(client, message)])
      expect(again.map(stateOf)).toEqual(['INPUT_REQUIRED', 'INPUT_REQUIRED'])
      expect(new Set([asked.id, ...again.map(({ id }) => id)]).size).toBe(2)
      expect(runs).toEqual(['book', 'Corfu', 'book'])
    },
  )

  test('of two principals is two tasks', async () => {
    const { actor } = counting()
    const { url } = await startAgent({ actors: { actor } })
    const message = says('Corfu')
    const [one, other] = await Promise.all(
      [await newToken(url), await newToken(url)].map(async (token) => {
        return send(await stockClient(url, 'JSONRPC 1.0', token), message)
      }),
    )
    expect(one?.id).not.toBe(other?.id)
  })
})

describe('answers to one question', () => {
  test('the first of several that come at once counts, the others are told so, and the actor runs once', async () => {
    const { runs, actor } = counting()
    const { url, beach } = await startAgent({ actors: { actor } })
    const client = await stockClient(url)
    const asked = await send(client, says('book'))
    // All of them have seen the open question before the first one is written.
    const { sessions } = beach
    const post = sessions.post.bind(sessions)
    const arrived = new Gate()
    let waiting = 0
    sessions.post = async (...message) => {
      if (++waiting === 4) arrived.open()
      await arrived.opened
      return post(...message)
    }
    const answers = ['Corfu', 'Rome', 'Oslo', 'Paris'].map((text) => send(client, says(text, { taskId: asked.id })))
    const settled = await Promise.allSettled(answers)
    const taken = settled.filter(({ status }) => status === 'fulfilled')
    expect(taken).toHaveLength(1)
    for (const outcome of settled) {
      if (outcome.status === 'rejected') expect(String(outcome.reason)).toMatch(/answered by another message/)
    }
    expect(runs).toHaveLength(2)
    expect(stateOf(await getTask(client, asked.id))).toBe('COMPLETED')
  })

  test('the same answer sent again is the same answer, also when the task is over', async () => {
    const { runs, actor } = counting()
    const { url } = await startAgent({ actors: { actor } })
    const client = await stockClient(url)
    const asked = await send(client, says('book'))
    const answer = says('Corfu', { taskId: asked.id })
    const tasks = await Promise.all([send(client, answer), send(client, answer)])
    tasks.push(await send(client, answer))
    expect(tasks.map((task) => answerOf(task))).toEqual([['To Corfu.'], ['To Corfu.'], ['To Corfu.']])
    expect(runs).toEqual(['book', 'Corfu'])
  })

  test('a second question of the same task can be answered as well', async () => {
    const { runs, actor } = counting()
    const { url } = await startAgent({ actors: { actor } })
    const client = await stockClient(url)
    const asked = await send(client, says('book'))
    const again = await send(client, says('book it', { taskId: asked.id }))
    expect(stateOf(again)).toBe('INPUT_REQUIRED')
    const done = await send(client, says('Corfu', { taskId: asked.id }))
    expect(stateOf(done)).toBe('COMPLETED')
    expect(runs).toEqual(['book', 'book it', 'Corfu'])
  })

  test('a task that is over, or under way, takes no message; the next one in the context is a new task', async () => {
    const { actor } = counting()
    const { url } = await startAgent({ actors: { actor } })
    const client = await stockClient(url)
    const done = await send(client, says('Corfu'))
    await expect(send(client, says('Rome', { taskId: done.id }))).rejects.toThrow(/over/)
    const next = await send(client, says('Rome', { contextId: done.contextId }))
    expect(next.contextId).toBe(done.contextId)
    expect(next.id).not.toBe(done.id)
    expect(next.history.map((message) => textsOf(message))).toEqual([['Rome']])
  })
})

test('of several decisions on one approval that come at once, one counts, and the tool runs once', async () => {
  let ran = 0
  const pays = defineActor(async ({ respond, tool }) => {
    await tool({ name: 'pay', args: {}, requiresApproval: true }, async () => {
      ran++
      return 'paid'
    })
    await respond({ parts: [{ partType: 'response', text: 'Done.' }], turnState: 'complete' })
  })
  const { url } = await startAgent({ actors: { pays } })
  const client = await stockClient(url)
  const asked = await send(client, says('pay'))
  const approvalId = approvalIn(asked)
  const decide = () => {
    const parts = [data({ approvalId, decision: 'granted' }, 'approval-response')]
    return send(client, says('', { taskId: asked.id, parts }))
  }
  const settled = await Promise.allSettled([decide(), decide(), decide()])
  expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(ran).toBe(1)
})

test('two messages of one context are two tasks, each with its own answer', async () => {
  const gate = new Gate()
  const slow = defineActor(async ({ text, respond }) => {
    if (text === 'first') await gate.opened
    await respond({ parts: [{ partType: 'response', text: `Answer to ${text}.` }], turnState: 'complete' })
  })
  const { url } = await startAgent({ actors: { slow } })
  const client = await stockClient(url)
  const first = await send(client, says('first', { contextId: ownContext('shared') }), { returnImmediately: true })
  const second = send(client, says('second', { contextId: ownContext('shared') }))
  gate.open()
  expect(answerOf(await second)).toEqual(['Answer to second.'])
  const done = await getTask(client, first.id)
  expect([done.contextId, ...answerOf(done)]).toEqual([ownContext('shared'), 'Answer to first.'])
})

describe.each(ways)('docs/http.md, a message: sent again after its task was cancelled, by %s', (way) => {
  test('it is the cancelled task, and nothing runs again; another messageId begins anew', async () => {
    const gate = new Gate()
    const runs: string[] = []
    const actor = defineActor(async ({ text, signal, respond }) => {
      runs.push(text)
      if (runs.length === 1) {
        gate.open()
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      }
      await respond({ parts: [{ partType: 'response', text: 'Done.' }], turnState: 'complete' })
    })
    const { url } = await startAgent({ actors: { actor } })
    const client = await stockClient(url, way)
    const message = says('slowly')
    const { id } = await send(client, message, { returnImmediately: true })
    await gate.opened
    const cancelled = await client.cancelTask({ id, tenant: '', metadata: undefined })
    const again = await send(client, message)
    expect([again.id, stateOf(again)]).toEqual([cancelled.id, 'CANCELED'])
    const events = await collect(client.sendMessageStream(request(message)))
    expect(events.map((event) => event.$case === 'task' && [event.value.id, stateOf(event.value)])).toEqual([
      [id, 'CANCELED'],
    ])
    expect(runs).toEqual(['slowly'])
    const anew = await send(client, says('slowly'))
    expect([anew.id === id, stateOf(anew), runs.length]).toEqual([false, 'COMPLETED', 2])
  })
})
