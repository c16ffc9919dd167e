import { connect } from 'node:net'
import { defineActor } from '@cool-ai/beach'
import type { Clock } from '@cool-ai/beach-core'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  apiKey,
  approvalIn as pendingIn,
  collect,
  data,
  getTask,
  newToken,
  onlySession,
  runtime,
  says,
  send,
  startAgent,
  stateOf,
  statesIn,
  stockClient,
  answerOf,
  ways,
} from './agent.ts'
import { mergeOptions } from '../support/merge-options.ts'

interface Answer {
  readonly id: unknown
  // oxlint-disable-next-line typescript/no-explicit-any -- answers are looked into by the tests.
  readonly result?: any
  readonly error?: { readonly code: number; readonly message: string }
}

function post(url: string, method: string, params: object, more: RequestInit & { token?: string } = {}) {
  const { token, ...init } = more
  const headers = {
    'content-type': 'application/json',
    'a2a-version': '1.0',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method, params })
  return fetch(`${url}/a2a`, { ...init, method: 'POST', headers, body })
}

async function call(url: string, method: string, params: object, token?: string) {
  const response = await post(url, method, params, token === undefined ? {} : { token })
  return { status: response.status, ...((await response.json()) as Answer) }
}

function message(text: string, more: object = {}) {
  return { message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...more } }
}

const asks = defineActor(({ respond }) =>
  respond({ parts: [{ partType: 'clarify', text: 'Which?' }], turnState: 'clarifying' }),
)

/** Sends the head of a request and less of its body than it says; gives what comes back. */
function halfRequest(url: string, path: string) {
  const { port, host } = new URL(url)
  const socket = connect(Number(port), '127.0.0.1')
  let answer = ''
  socket.on('data', (chunk) => (answer += String(chunk)))
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  const headers = ['content-type: application/json', 'a2a-version: 1.0', 'content-length: 1000']
  socket.write(`POST ${path} HTTP/1.1\r\nhost: ${host}\r\n${headers.join('\r\n')}\r\n\r\n{`)
  return () => answer
}

test('guests with a token each count with all others from their address', async () => {
  const limits = { streamsPerPrincipal: 2, guestStreamsPerNetwork: 3 }
  const { url } = await startAgent({ actors: { asks }, access: { limits } })
  const end = new AbortController()
  onTestFinished(() => end.abort())
  const statuses: number[] = []
  for (let guest = 0; guest < 2; guest++) {
    const token = await newToken(url)
    const { result } = await call(url, 'SendMessage', message('hello'), token)
    for (let n = 0; n < 2; n++) {
      const { status } = await post(url, 'SubscribeToTask', { id: result.task.id }, { token, signal: end.signal })
      statuses.push(status)
    }
  }
  expect(statuses).toEqual([200, 200, 200, 429])
})

test.each(['/a2a', '/a2a/rest/message:send'])('at %s no body of an unknown caller is read', async (path) => {
  const header = 'x-key'
  const { authenticate } = apiKey(header)
  const { url } = await startAgent({
    protocols: { a2a: { auth: { type: 'api-key', header } } },
    access: { authenticators: [authenticate] },
  })
  const answer = halfRequest(url, path)
  await vi.waitFor(() => expect(answer()).toContain('401'))
  if (path === '/a2a') expect(answer()).toContain('"id":null')
})

test('a body that is on its way counts for its sender', async () => {
  const { url } = await startAgent({ access: { limits: { streamsPerPrincipal: 1 } } })
  halfRequest(url, '/a2a')
  await vi.waitFor(async () => expect((await call(url, 'GetTask', { id: 'x' })).status).toBe(429))
})

test.each(['/a2a', '/a2a/rest/message:send'])('at %s the body of a guest is not waited for long', async (path) => {
  const waiting: (() => void)[] = []
  const timer: Clock['timer'] = (ms, run) => {
    if (ms !== 15_000) return runtime.clock.timer(ms, run)
    waiting.push(run)
    return () => {}
  }
  // Others that wait as long are not meant.
  const more = { runtime: { ...runtime, clock: { ...runtime.clock, timer } }, protocols: { heartbeatMs: 14_000 } }
  const { url } = await startAgent(more)
  const answer = halfRequest(url, path)
  await vi.waitFor(() => expect(waiting).toHaveLength(1))
  for (const run of waiting) run()
  await vi.waitFor(() => expect(answer()).toContain('did not come within 15 seconds'))
  // The connection ends with the answer.
  expect(answer().toLowerCase()).toContain('connection: close')
})

test('an error keeps the id of its request, once that was read', async () => {
  const { url } = await startAgent()
  const headers = { 'content-type': 'application/json', 'a2a-version': '9.9' }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'GetTask', params: { id: 'x' } })
  const answer = (await (await fetch(`${url}/a2a`, { method: 'POST', headers, body })).json()) as Answer
  expect(answer).toMatchObject({ id: 7, error: { code: -32_009 } })
})

/** Both are what an agent may have: the default of this machine, and a public address. */
const places = [{}, { publicUrl: 'https://agent.example' }]

const pays = defineActor(async ({ respond, tool }) => {
  await tool({ name: 'pay', args: {}, requiresApproval: true }, async () => 'paid')
  await respond({ parts: [{ partType: 'response', text: 'Paid.' }], turnState: 'complete' })
})

function decision(approvalId: string, more: object) {
  const granted = { approvalId, decision: 'granted' }
  return message('', { parts: [{ data: granted, metadata: { partType: 'approval-response' } }], ...more })
}

function approvalIn(task: { status: { message: { parts: { data?: { approvalId?: string } }[] } } }): string {
  return task.status.message.parts.flatMap((part) => part.data?.approvalId ?? [])[0] ?? ''
}

describe.each(places)('guests of an agent at %j', (place) => {
  test('do not meet in contexts whose names can be guessed', async () => {
    const { url } = await startAgent(place)
    const advice = expect.stringContaining('at least 32 characters') as string
    for (const contextId of ['default', 'thread-00000000000000000000000000000001', 'x'.repeat(64)]) {
      const sent = await call(url, 'SendMessage', message('hello', { contextId }))
      expect(sent).toMatchObject({ status: 401, id: 7, error: { message: advice } })
      const listed = await call(url, 'ListTasks', { contextId })
      expect(listed).toMatchObject({ status: 401, error: { message: advice } })
    }
    const contextId = crypto.randomUUID()
    const { result } = await call(url, 'SendMessage', message('hello', { contextId }))
    expect(result.task).toMatchObject({ contextId })
    expect((await call(url, 'ListTasks', { contextId })).result.totalSize).toBe(1)
    // Without a name the context is named by us, and a caller with a token has names of its own.
    const own = (await call(url, 'SendMessage', message('hello'))).result.task
    expect((await call(url, 'SendMessage', message('again', { contextId: own.contextId }))).result).toBeDefined()
    const token = await newToken(url)
    expect((await call(url, 'SendMessage', message('hello', { contextId: 'default' }), token)).result).toBeDefined()
  })

  test('see their own tasks by the ids that they were given, and nothing of others', async () => {
    const { url, beach } = await startAgent({ ...place, actors: { pays } })
    const first = await call(url, 'SendMessage', message('my secret plans'))
    const { task } = first.result
    const session = await onlySession(beach)
    expect((await call(url, 'GetTask', { id: task.id })).result.id).toBe(task.id)
    expect((await call(url, 'ListTasks', { contextId: task.contextId })).result.totalSize).toBe(1)
    const other = (await call(url, 'SendMessage', message('hello'))).result.task
    expect((await call(url, 'ListTasks', {})).result).toMatchObject({ tasks: [], totalSize: 0 })
    const operator = { kind: 'operator', id: 'o', tenant: 'default' } as const
    const { items } = await beach.sessions.list({}, operator)
    const owners = await Promise.all(items.map(({ sessionId }) => beach.sessions.checkAccess(sessionId, operator)))
    // Two principals: what a tool finds for one, such as missives, is not the other's.
    expect(new Set(owners.map((owner) => owner?.id)).size).toBe(2)
    const seq = task.id.split('.')[1]
    const inner = JSON.stringify(await beach.sessions.view(session, operator))
    // Neither the session's id nor whatever else is seen of it leads back to the guest's.
    expect(inner).not.toContain(task.contextId)
    for (const id of [`${session}.${seq}`, `${other.contextId}.${Number(seq) + 1}`, `${other.contextId}.999`]) {
      const tries = [
        call(url, 'GetTask', { id }),
        call(url, 'CancelTask', { id }),
        call(url, 'SubscribeToTask', { id }),
        call(url, 'ListTaskPushNotificationConfigs', { taskId: id }),
        call(url, 'CreateTaskPushNotificationConfig', { taskId: id, url: 'https://x.example/' }),
        call(url, 'SendMessage', decision(approvalIn(task), { taskId: id })),
      ]
      for (const answer of await Promise.all(tries)) expect(answer.error?.message).toMatch(/no such task/)
    }
    for (const contextId of [session, `ctx_${'a'.repeat(26)}`]) {
      const sent = await call(url, 'SendMessage', message('hello', { contextId }))
      expect(sent.error?.message).toMatch(/no such context/)
    }
  })

  test('decide their own approvals only', async () => {
    const { url } = await startAgent({ ...place, actors: { pays } })
    const { task } = (await call(url, 'SendMessage', message('pay'))).result
    const { task: mallory } = (await call(url, 'SendMessage', message('pay'))).result
    const approvalId = approvalIn(task)
    // By a task of one's own, with or without the token of a guest.
    const token = await newToken(url)
    const { task: known } = (await call(url, 'SendMessage', message('pay'), token)).result
    const tries = [
      call(url, 'SendMessage', decision(approvalId, { taskId: mallory.id })),
      call(url, 'SendMessage', decision(approvalId, { taskId: known.id }), token),
      call(url, 'SendMessage', decision(approvalId, { taskId: task.id }), token),
    ]
    for (const answer of await Promise.all(tries)) expect(answer.error?.message).toMatch(/not yours/)
    expect((await call(url, 'GetTask', { id: task.id })).result.status.state).toBe('TASK_STATE_INPUT_REQUIRED')
    const decided = (await call(url, 'SendMessage', decision(approvalId, { taskId: task.id }))).result
    expect(decided.task.status.state).toBe('TASK_STATE_COMPLETED')
  })

  test.each(['192.0.2.1', '192.0.2.2'])('who send the same message from %s share no task', async (second) => {
    let address = '192.0.2.1'
    const { url } = await startAgent(mergeOptions(place, { access: { remoteAddress: () => address } }))
    const sendFrom = async (from: string, messageId: string) => {
      address = from
      return (await call(url, 'SendMessage', message('hello', { messageId }))).result.task.id
    }
    for (const messageId of ['1', 'msg-00000000000000000000000000000001']) {
      expect(await sendFrom('192.0.2.1', messageId)).not.toBe(await sendFrom(second, messageId))
    }
    // With an id that only its sender can know it is the same message once more, from wherever it comes.
    const id = crypto.randomUUID()
    expect(await sendFrom('192.0.2.1', id)).toBe(await sendFrom(second, id))
  })
})

test.each(ways)('by %s a stock client without a credential asks, answers, decides and follows', async (way) => {
  const actor = defineActor(async ({ text, respond, tool }) => {
    if (text === 'book') return respond({ parts: [{ partType: 'clarify', text: 'Which?' }], turnState: 'clarifying' })
    await tool({ name: 'pay', args: {}, requiresApproval: true }, async () => 'paid')
    return respond({ parts: [{ partType: 'response', text: 'Paid.' }], turnState: 'complete' })
  })
  const { url } = await startAgent({ actors: { actor } })
  const client = await stockClient(url, way)
  const { id: taskId, contextId } = await send(client, says('book'))
  const asked = await send(client, says('Corfu', { taskId, contextId }))
  expect([asked.id, asked.contextId, stateOf(asked)]).toEqual([taskId, contextId, 'INPUT_REQUIRED'])
  const following = collect(client.resubscribeTask({ id: taskId, tenant: '' }))
  const granted = data({ approvalId: pendingIn(asked), decision: 'granted' }, 'approval-response')
  const paid = await send(client, says('', { taskId, parts: [granted] }))
  expect([stateOf(paid), answerOf(paid)]).toEqual(['COMPLETED', ['Paid.']])
  expect(statesIn(await following).at(-1)).toBe('COMPLETED')
  const next = await send(client, says('book', { contextId }))
  expect(next.contextId).toBe(contextId)
  expect((await getTask(client, next.id)).history).toHaveLength(1)
})
