import { defineActor } from '@cool-ai/beach'
import { describe, expect, test } from 'vitest'
import { ownContext, startAgent, type AgentOptions } from './agent.ts'
import { PushReceiver } from './push-receiver.ts'

/** What the public compatibility kit looks at, by plain requests as it makes them; its agent acts by the message's id. */

interface Wire {
  readonly status: number
  readonly headers: Headers
  readonly body: Json
}

// oxlint-disable-next-line typescript/no-explicit-any -- what is on the wire is looked at, whatever it is.
type Json = any

const bindings = ['JSON-RPC', 'HTTP+JSON'] as const
type Binding = (typeof bindings)[number]

/** The operations as the kit calls them, in each binding. */
function client(url: string, binding: Binding, more: Record<string, string> = {}) {
  const headers = { 'content-type': 'application/json', 'a2a-version': '1.0', ...more }
  const rpc = (method: string, params: object) =>
    fetch(`${url}/a2a`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
  // The kit names a content type even where it sends no body.
  const rest = (method: string, path: string, body?: object) =>
    fetch(`${url}/a2a/rest${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  const isRpc = binding === 'JSON-RPC'
  const configs = (task: string) => `/tasks/${task}/pushNotificationConfigs`
  const query = (of: object) => new URLSearchParams(Object.entries(of).map(([name, value]) => [name, String(value)]))
  const calls = {
    send: (params: object) => (isRpc ? rpc('SendMessage', params) : rest('POST', '/message:send', params)),
    stream: (params: object) => (isRpc ? rpc('SendStreamingMessage', params) : rest('POST', '/message:stream', params)),
    subscribe: (id: string) => (isRpc ? rpc('SubscribeToTask', { id }) : rest('POST', `/tasks/${id}:subscribe`)),
    get: (id: string, of: object = {}) =>
      isRpc ? rpc('GetTask', { id, ...of }) : rest('GET', `/tasks/${id}?${query(of)}`),
    list: (of: object) => (isRpc ? rpc('ListTasks', of) : rest('GET', `/tasks?${query(of)}`)),
    cancel: (id: string) => (isRpc ? rpc('CancelTask', { id }) : rest('POST', `/tasks/${id}:cancel`)),
    extendedCard: () => (isRpc ? rpc('GetExtendedAgentCard', {}) : rest('GET', '/extendedAgentCard')),
    createConfig: (taskId: string, config: object) =>
      isRpc ? rpc('CreateTaskPushNotificationConfig', { taskId, ...config }) : rest('POST', configs(taskId), config),
    getConfig: (taskId: string, id: string) =>
      isRpc ? rpc('GetTaskPushNotificationConfig', { taskId, id }) : rest('GET', `${configs(taskId)}/${id}`),
    listConfigs: (taskId: string) =>
      isRpc ? rpc('ListTaskPushNotificationConfigs', { taskId }) : rest('GET', configs(taskId)),
    deleteConfig: (taskId: string, id: string) =>
      isRpc ? rpc('DeleteTaskPushNotificationConfig', { taskId, id }) : rest('DELETE', `${configs(taskId)}/${id}`),
  }
  /** The result, however the binding wraps it. */
  const result = async (answer: Promise<Response>): Promise<Json> => {
    const { status, body } = await read(answer)
    expect(status, JSON.stringify(body)).toBeLessThan(300)
    expect(body?.error, JSON.stringify(body)).toBeUndefined()
    return isRpc ? body.result : body
  }
  /** The error's code in JSON-RPC, its status in REST, and its reason. */
  const failure = async (answer: Promise<Response>): Promise<[number, string]> => {
    const { status, headers: got, body } = await read(answer)
    expect(got.get('content-type')).toMatch(/^application\/json/)
    const details = isRpc ? body.error.data : body.error.details
    if (!isRpc) expect(body.error.code).toBe(status)
    expect(details[0]).toMatchObject({
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      domain: 'a2a-protocol.org',
    })
    return [isRpc ? body.error.code : status, details[0].reason]
  }
  const task = async (params: object): Promise<Json> => (await result(calls.send(params))).task
  return { ...calls, result, failure, task }
}

async function read(answer: Promise<Response>): Promise<Wire> {
  const response = await answer
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
}

/** The events of a stream, read to its end or, with `max`, until so many have come. */
async function eventsOf(answer: Promise<Response>, max = Infinity): Promise<Json[]> {
  const response = await answer
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  const events: Json[] = []
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of response.body ?? []) {
    rest += decoder.decode(chunk, { stream: true })
    const blocks = rest.split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const data = block.split('\n').flatMap((line) => (line.startsWith('data:') ? [line.slice(5)] : []))
      if (data.length > 0) events.push(JSON.parse(data.join('\n')))
    }
    if (events.length >= max) break
  }
  return events
}

/** What an event says, without what JSON-RPC puts around it. */
function payload(event: Json): Json {
  return event.jsonrpc === '2.0' ? event.result : event
}

function says(prefix: string, more: object = {}, text = `Hello, ${prefix}`) {
  return {
    message: {
      messageId: `tck-${prefix}-${crypto.randomUUID()}`,
      role: 'ROLE_USER',
      parts: [{ text }],
      ...more,
    },
  }
}

/** Acts by the id of the message that has come last. */
const byMessageId = defineActor(async ({ messages, respond, signal }) => {
  const { messageId } = (messages.at(-1)?.parts[0]?.metadata.a2a ?? { messageId: '' }) as { messageId: string }
  if (messageId.startsWith('tck-input-required')) {
    return respond({ parts: [{ partType: 'clarify', text: 'What?' }], turnState: 'clarifying' })
  }
  if (messageId.startsWith('tck-reject-task')) throw new Error('rejected')
  if (messageId.startsWith('tck-endless')) {
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    return
  }
  if (messageId.startsWith('tck-artifact-data')) {
    const data = { key: 'value', count: 42 }
    return respond({ parts: [{ partType: 'domain-data', data }], turnState: 'complete' })
  }
  await respond({ parts: [{ partType: 'response', text: 'Hello from TCK' }], turnState: 'complete' })
})

async function start(options: AgentOptions = {}) {
  return startAgent({ actors: { byMessageId }, ...options })
}

describe.each(bindings)('by %s', (binding) => {
  const isRpc = binding === 'JSON-RPC'
  const code = (rpc: number, rest: number) => (isRpc ? rpc : rest)

  test('a task has what it must have, in the form of Protocol Buffers’ JSON', async () => {
    const { url } = await start()
    const { send, result } = client(url, binding)
    const response = await send(says('complete-task'))
    expect(response.headers.get('content-type')).toBe(isRpc ? 'application/json' : 'application/a2a+json')
    const { task } = await result(Promise.resolve(response))
    expect(task).toMatchObject({
      id: expect.any(String) as string,
      contextId: expect.any(String) as string,
      status: {
        state: 'TASK_STATE_COMPLETED',
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/) as string,
      },
      artifacts: [{ artifactId: expect.any(String) as string, parts: [{ text: 'Hello from TCK' }] }],
      history: [{ role: 'ROLE_USER', parts: [{ text: 'Hello, complete-task' }] }],
    })
    expect(keysOf(task).filter((key) => /^[a-z]+(_[a-z]+)+$/.test(key))).toEqual([])
    const data = await result(send(says('artifact-data')))
    expect(data.task.artifacts[0].parts[0].data).toEqual({ key: 'value', count: 42 })
    const failed = await result(send(says('reject-task')))
    expect(failed.task.status.state).toBe('TASK_STATE_FAILED')
  })

  test('unknown members are ignored', async () => {
    const { url } = await start()
    const { task } = client(url, binding)
    const odd = await task({ ...says('complete-task', { tckUnknownField: 1 }), tckExtraParam: 42 })
    expect(odd.status.state).toBe('TASK_STATE_COMPLETED')
  })

  test('waiting and not waiting are two things', async () => {
    const { url } = await start()
    const { task, cancel, result } = client(url, binding)
    const running = await task({ ...says('endless'), configuration: { returnImmediately: true } })
    expect(running.status.state).toMatch(/SUBMITTED|WORKING/)
    expect(await result(cancel(running.id))).toMatchObject({ id: running.id, status: { state: 'TASK_STATE_CANCELED' } })
    const waited = await task({ ...says('input-required'), configuration: { returnImmediately: false } })
    expect(waited.status.state).toBe('TASK_STATE_INPUT_REQUIRED')
  })

  test('a task that is over takes no message, no subscription and no cancellation; a foreign one is not found', async () => {
    const { url } = await start()
    const { task, get, send, cancel, subscribe, failure, result } = client(url, binding)
    const done = await task(says('complete-task'))
    expect((await result(get(done.id))).id).toBe(done.id)
    const unsupported = [code(-32004, 400), 'UNSUPPORTED_OPERATION']
    const notFound = [code(-32001, 404), 'TASK_NOT_FOUND']
    expect(await failure(send(says('more', { taskId: done.id })))).toEqual(unsupported)
    expect(await failure(subscribe(done.id))).toEqual(unsupported)
    const notCancelable = [code(-32002, 400), 'TASK_NOT_CANCELABLE']
    expect(await failure(cancel(done.id))).toEqual(notCancelable)
    const asks = await task(says('input-required'))
    expect((await result(cancel(asks.id))).status.state).toBe('TASK_STATE_CANCELED')
    expect(await failure(cancel(asks.id))).toEqual(notCancelable)
    for (const answer of [get, cancel, subscribe].map((call) => call('tck-nonexistent'))) {
      expect(await failure(answer)).toEqual(notFound)
    }
    expect(await failure(send(says('more', { taskId: 'tck-nonexistent' })))).toEqual(notFound)
  })

  test('a task’s context is known by the task; another one does not fit it', async () => {
    const { url } = await start()
    const { task, send, failure } = client(url, binding)
    const asks = await task(says('input-required', { contextId: ownContext('mine') }))
    expect(asks.contextId).toBe(ownContext('mine'))
    expect(await failure(send(says('more', { taskId: asks.id, contextId: ownContext('other') })))).toEqual([
      code(-32602, 400),
      'INVALID_PARAMS',
    ])
    const done = await task(says('complete-task', { taskId: asks.id }))
    expect([done.id, done.contextId, done.status.state]).toEqual([asks.id, ownContext('mine'), 'TASK_STATE_COMPLETED'])
    const generated = await task(says('complete-task'))
    expect(generated.contextId).not.toBe('')
    const next = await task(says('complete-task', { contextId: generated.contextId }))
    expect([next.contextId, next.id === generated.id]).toEqual([generated.contextId, false])
  })

  test('history is as long as wanted, and left out when it is to be empty', async () => {
    const { url } = await start()
    const { task, get, result } = client(url, binding)
    const asks = await task(says('input-required'))
    const done = await task({
      ...says('complete-task', { taskId: asks.id }, 'An answer'),
      configuration: { historyLength: 0 },
    })
    expect(done.history).toBeUndefined()
    expect((await result(get(asks.id, { historyLength: 0 }))).history).toBeUndefined()
    expect((await result(get(asks.id, { historyLength: 1 }))).history).toMatchObject([
      { parts: [{ text: 'An answer' }] },
    ])
    const all = (await result(get(asks.id, { historyLength: 10 }))).history
    expect(all.map((message: Json) => [message.role, message.parts[0].text])).toEqual([
      ['ROLE_USER', 'Hello, input-required'],
      ['ROLE_AGENT', 'What?'],
      ['ROLE_USER', 'An answer'],
    ])
  })

  test('an id that is used again for another message of the task has sent another one', async () => {
    const { url } = await start()
    const { task, get, result } = client(url, binding)
    const asks = await task(says('input-required', {}, 'First'))
    const { messageId } = asks.history[0]
    for (const text of ['Second', 'Third', 'Third']) {
      const { status } = await task(says('', { messageId, taskId: asks.id }, text))
      expect(status.state).toBe('TASK_STATE_INPUT_REQUIRED')
    }
    const done = await task(says('complete-task', { taskId: asks.id }, 'Last'))
    expect(done.status.state).toBe('TASK_STATE_COMPLETED')
    const { history } = await result(get(asks.id))
    const texts = history.map((message: Json) => message.parts[0].text)
    expect(texts).toEqual(['First', 'What?', 'Second', 'What?', 'Third', 'What?', 'Last'])
  })

  test('members may have the names that Protocol Buffers give them', async () => {
    const { url } = await start()
    const { send, result, failure } = client(url, binding)
    const message = {
      message_id: crypto.randomUUID(),
      role: 'ROLE_USER',
      parts: [{ text: 'hi', media_type: 'text/plain' }],
    }
    const { task } = await result(send({ message, configuration: { history_length: 0 } }))
    expect(task.history).toBeUndefined()
    const wrong = { message: { ...message, reference_task_ids: 7 }, configuration: { return_immediately: 'yes' } }
    expect(await failure(send(wrong))).toEqual([code(-32602, 400), 'INVALID_PARAMS'])
  })

  test('what says nothing has no message: one has a part at least', async () => {
    const { url } = await start()
    const { send, result, cancel } = client(url, binding)
    const { task } = await result(send({ ...says('endless'), configuration: { returnImmediately: true } }))
    const cancelled = await result(cancel(task.id))
    expect(cancelled.status).toMatchObject({ state: 'TASK_STATE_CANCELED' })
    expect(cancelled.status.message).toBeUndefined()
  })

  test('a list is in pages, the latest first, without artifacts unless they are wanted', async () => {
    const { url } = await start()
    const { task, list, result, failure } = client(url, binding)
    const ids: string[] = []
    for (let n = 0; n < 3; n++) ids.unshift((await task(says('complete-task', { contextId: ownContext('c') }))).id)
    const first = await result(list({ contextId: ownContext('c'), pageSize: 2 }))
    expect(first).toMatchObject({ pageSize: 2, totalSize: 3, nextPageToken: expect.stringMatching(/./) as string })
    expect(first.tasks.every((one: Json) => !('artifacts' in one))).toBe(true)
    const times = first.tasks.map((one: Json) => Date.parse(one.status.timestamp))
    expect(times).toEqual(times.toSorted((one: number, other: number) => other - one))
    const last = await result(list({ contextId: ownContext('c'), pageSize: 2, pageToken: first.nextPageToken }))
    expect(last.nextPageToken).toBe('')
    const listed: string[] = [...first.tasks, ...last.tasks].map((one: Json) => one.id)
    expect(new Set(listed)).toEqual(new Set(ids))
    const whole = await result(list({ contextId: ownContext('c'), includeArtifacts: true }))
    expect(whole.tasks[0].artifacts[0].parts[0].text).toBe('Hello from TCK')
    const asks = await task(says('input-required', { contextId: ownContext('asks') }))
    expect((await result(list({ contextId: ownContext('asks'), includeArtifacts: true }))).tasks[0].artifacts).toEqual(
      [],
    )
    const since = (statusTimestampAfter: string) =>
      result(list({ contextId: ownContext('asks'), statusTimestampAfter }))
    expect((await since(asks.status.timestamp)).totalSize).toBe(1)
    expect((await since(new Date(Date.parse(asks.status.timestamp) + 1).toISOString())).totalSize).toBe(0)
    expect(await result(list({ contextId: ownContext('nobody-was-here') }))).toMatchObject({
      tasks: [],
      nextPageToken: '',
    })
    expect(await failure(list({ contextId: ownContext('c'), pageToken: 'nonsense' }))).toEqual([
      code(-32602, 400),
      'INVALID_PARAMS',
    ])
  })

  test('a stream begins with the task, goes on in order and ends with the task', async () => {
    const { url } = await start()
    const { stream } = client(url, binding)
    const events = await eventsOf(stream(says('complete-task')))
    if (isRpc) expect(events.every(({ jsonrpc, id }) => jsonrpc === '2.0' && id === 1)).toBe(true)
    const kinds = events.map((event) => Object.keys(payload(event)))
    expect(kinds.every((kind) => kind.length === 1)).toBe(true)
    expect(kinds[0]).toEqual(['task'])
    expect(payload(events.at(-1)).statusUpdate.status.state).toBe('TASK_STATE_COMPLETED')
    const artifact = events.findIndex((event) => 'artifactUpdate' in payload(event))
    expect(artifact).toBeGreaterThan(0)
    expect(artifact).toBeLessThan(events.length - 1)
  })

  test('all who follow a task get the same events; one that goes away affects no other', async () => {
    const { url } = await start()
    const { task, subscribe } = client(url, binding)
    const asks = await task(says('input-required'))
    const leaves = await eventsOf(subscribe(asks.id), 1)
    expect(payload(leaves[0]).task).toMatchObject({ id: asks.id, status: { state: 'TASK_STATE_INPUT_REQUIRED' } })
    const open = await Promise.all([subscribe(asks.id), subscribe(asks.id)])
    const following = open.map((response) => eventsOf(Promise.resolve(response)))
    await task(says('complete-task', { taskId: asks.id }))
    const [one, other] = await Promise.all(following)
    expect(one?.length).toBeGreaterThan(1)
    expect(other).toEqual(one)
    expect(payload(one?.at(-1)).statusUpdate.status.state).toBe('TASK_STATE_COMPLETED')
  })

  test('push notification configs are made, read, listed and deleted, twice if need be', async () => {
    const { url } = await start()
    const { task, createConfig, getConfig, listConfigs, deleteConfig, result, failure } = client(url, binding)
    const { id } = await task(says('complete-task'))
    const config = { id: 'tck-push', url: 'https://example.com/webhook' }
    expect(await result(createConfig(id, config))).toMatchObject({ ...config, taskId: id })
    expect(await result(getConfig(id, config.id))).toMatchObject({ ...config, taskId: id })
    expect((await result(listConfigs(id))).configs).toHaveLength(1)
    await result(createConfig(id, config))
    expect((await result(listConfigs(id))).configs).toHaveLength(1)
    await result(deleteConfig(id, config.id))
    await result(deleteConfig(id, config.id))
    expect((await result(listConfigs(id))).configs).toEqual([])
    const notFound = [code(-32001, 404), 'TASK_NOT_FOUND']
    expect(await failure(getConfig(id, config.id))).toEqual(notFound)
    expect(await failure(createConfig('tck-nonexistent', config))).toEqual(notFound)
    expect(await failure(createConfig(id, { url: 'file:///etc/passwd' }))).toEqual([
      code(-32602, 400),
      'INVALID_PARAMS',
    ])
  })

  test('a push notification has its credentials and is an event of a stream', async () => {
    const receiver = await PushReceiver.start()
    const { url } = await start({ protocols: { a2a: { fetch: (address, init) => fetch(address, init) } } })
    const { task } = client(url, binding)
    const authentication = { scheme: 'Bearer', credentials: 'tck-token' }
    const configuration = { taskPushNotificationConfig: { id: 'tck-push', url: receiver.url, authentication } }
    const asks = await task({ ...says('input-required'), configuration })
    await task(says('complete-task', { taskId: asks.id }))
    await receiver.count(2)
    for (const { headers, body } of receiver.received) {
      expect(headers.authorization).toBe('Bearer tck-token')
      expect(JSON.parse(body)).toMatchObject({ task: { id: asks.id } })
    }
  })

  test('what the agent does not do is said as such', async () => {
    const { url } = await start()
    const { extendedCard, send, failure } = client(url, binding)
    expect(await failure(extendedCard())).toEqual([code(-32004, 400), 'UNSUPPORTED_OPERATION'])
    const parts = [{ raw: 'dGNr', mediaType: 'application/x-unsupported-tck-type' }]
    expect(await failure(send(says('send-003', { parts })))).toEqual([code(-32005, 400), 'CONTENT_TYPE_NOT_SUPPORTED'])
    const later = client(url, binding, { 'a2a-version': '99.0' })
    expect(await later.failure(later.send(says('x')))).toEqual([code(-32009, 400), 'VERSION_NOT_SUPPORTED'])
    const text = client(url, binding, { 'content-type': 'text/plain' })
    expect(await text.failure(text.send(says('x')))).toEqual([code(-32005, 400), 'CONTENT_TYPE_NOT_SUPPORTED'])
  })

  test('the last number of a version does not count, and unknown extensions are no error', async () => {
    const { url } = await start()
    const { task } = client(url, binding, { 'a2a-version': '1.0.7', 'a2a-extensions': 'https://example.com/ext/v1' })
    expect((await task(says('complete-task'))).status.state).toBe('TASK_STATE_COMPLETED')
  })

  test('an agent that takes pictures says so in its card, and takes them', async () => {
    const { url } = await start({ protocols: { a2a: { inputModes: ['text/plain', 'image/*'] } } })
    const card = (await read(fetch(`${url}/.well-known/agent-card.json`))).body
    expect(card.defaultInputModes).toEqual(['text/plain', 'image/*'])
    const { task } = client(url, binding)
    const parts = [{ raw: 'dGNr', mediaType: 'image/png' }]
    expect((await task(says('complete-task', { parts }))).status.state).toBe('TASK_STATE_COMPLETED')
  })
})

test('the card has what it must have, and may be kept for a while', async () => {
  const { url } = await start()
  const { headers, body } = await read(fetch(`${url}/.well-known/agent-card.json`))
  expect(headers.get('cache-control')).toMatch(/max-age=\d+/)
  expect(headers.get('etag')).toMatch(/^(W\/)?".+"$/)
  const again = await fetch(`${url}/.well-known/agent-card.json`, {
    headers: { 'if-none-match': headers.get('etag') ?? '' },
  })
  expect(again.status).toBe(304)
  const required = ['name', 'description', 'supportedInterfaces', 'version', 'capabilities', 'skills']
  expect(Object.keys(body)).toEqual(
    expect.arrayContaining([...required, 'defaultInputModes', 'defaultOutputModes']) as string[],
  )
  for (const way of body.supportedInterfaces) {
    expect(way.url).toMatch(/^http/)
    expect(way.protocolVersion).toMatch(/^\d+\.\d+$/)
  }
  for (const skill of body.skills) {
    expect(Object.keys(skill)).toEqual(expect.arrayContaining(['id', 'name', 'description', 'tags']) as string[])
  }
})

function keysOf(value: Json): string[] {
  if (typeof value !== 'object' || value === null) return []
  return [...(Array.isArray(value) ? [] : Object.keys(value)), ...Object.values(value).flatMap((one) => keysOf(one))]
}
