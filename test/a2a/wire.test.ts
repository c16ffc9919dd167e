import { defineActor } from '@cool-ai/beach'
import { BEACH_EXTENSION_URI } from '@cool-ai/beach-protocol/agent-card'
import { describe, expect, test } from 'vitest'
import { collect, Gate, knownClient, newToken, request, says, send, startAgent, stateOf, stockClient } from './agent.ts'

interface RpcBody {
  id?: unknown
  result?: { task?: { id: string; status: { state: string } }; tasks?: unknown[] }
  error?: { code: number; message: string; data?: unknown }
}

async function rpc(url: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}/a2a`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) as RpcBody }
}

function call(method: string, params: unknown = {}, id: unknown = 1) {
  return { jsonrpc: '2.0', id, method, params }
}

function message(text: string, more: object = {}): { message: object } {
  return { message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...more } }
}

function legacyMessage(more: object) {
  const parts = [{ kind: 'text', text: 'hi' }]
  return { message: { kind: 'message', messageId: 'm', role: 'user', parts, ...more } }
}

const picture = { raw: 'aGk=', mediaType: 'image/png' }

function impatient(returnImmediately: unknown) {
  return { ...message('a'), configuration: { returnImmediately } }
}

describe('JSON-RPC', () => {
  test.each<[string, unknown, number]>([
    ['what is no JSON', '{nonsense', -32700],
    ['the same key twice', '{"jsonrpc":"2.0","id":1,"method":"GetTask","method":"CancelTask"}', -32700],
    ['an object that is no request', { hello: 1 }, -32600],
    ['a text', '"hello"', -32600],
    ['another version of JSON-RPC', { ...call('GetTask'), jsonrpc: '1.0' }, -32600],
    ['an id that is an object', call('GetTask', {}, {}), -32600],
    ['a batch of nothing', [], -32600],
    ['a method that does not exist', call('DropTables'), -32601],
    ['a method of Object', call('toString'), -32601],
    ['parameters that are a list', call('GetTask', [1]), -32602],
    ['a message without parts', call('SendMessage', message('', { parts: [] })), -32602],
    ['a part with two contents', call('SendMessage', message('', { parts: [{ text: 'a', data: {} }] })), -32602],
    ['a part with data that is null', call('SendMessage', message('', { parts: [{ data: null }] })), -32602],
    ['a part without content', call('SendMessage', message('', { parts: [{}] })), -32602],
    ['a message without an id', call('SendMessage', message('a', { messageId: undefined })), -32602],
    ['a message of the agent’s own', call('SendMessage', message('a', { role: 'ROLE_AGENT' })), -32602],
    ['a message with an unknown role', call('SendMessage', message('a', { role: 'ROLE_KING' })), -32602],
    ['a message without a role', call('SendMessage', message('a', { role: undefined })), -32602],
    ['a message whose parts are none', call('SendMessage', message('', { parts: ['a'] })), -32602],
    ['a message with bytes that are none', call('SendMessage', message('', { parts: [{ raw: '!' }] })), -32602],
    ['a message of another media type', call('SendMessage', message('', { parts: [picture] })), -32005],
    ['a message for a list of tasks', call('SendMessage', message('a', { taskId: ['x'] })), -32602],
    ['references that are no list', call('SendMessage', message('a', { referenceTaskIds: 'x' })), -32602],
    ...([-1, 1.5, 'x', true] as const).map((historyLength): [string, unknown, number] => [
      `a history of ${historyLength} with a message`,
      call('SendMessage', { ...message('a'), configuration: { historyLength } }),
      -32602,
    ]),
    ['a wish that is neither yes nor no', call('SendMessage', impatient('yes')), -32602],
    ['a configuration that is none', call('SendMessage', { ...message('a'), configuration: [] }), -32602],
    ['an id that is a number', call('GetTask', { id: 7 }), -32602],
    ['half a message of history', call('GetTask', { id: 'sess_x.1', historyLength: 0.5 }), -32602],
    ['a context that is a number', call('ListTasks', { contextId: 7 }), -32602],
    ['half a page', call('ListTasks', { pageSize: 1.5 }), -32602],
    ['a time that is none', call('ListTasks', { statusTimestampAfter: 'yesterday' }), -32602],
    ['artifacts perhaps', call('ListTasks', { includeArtifacts: 'perhaps' }), -32602],
    ['a push to nowhere', call('CreateTaskPushNotificationConfig', { taskId: 'sess_x.1', url: {} }), -32602],
    ['a config without a task', call('ListTaskPushNotificationConfigs', {}), -32602],
    ['no message at all', call('SendMessage', {}), -32602],
    ['a task that does not exist', call('GetTask', { id: 'sess_x.1' }), -32001],
    ['an id that is none', call('GetTask', { id: '../../etc/passwd' }), -32001],
    ['a context of another caller', call('SendMessage', message('a', { contextId: 'sess_other' })), -32602],
    ['a negative history', call('GetTask', { id: 'sess_x.1', historyLength: -1 }), -32602],
    ['a task without an id', call('GetTask', { id: ' ' }), -32602],
    ['a state that no task has', call('ListTasks', { status: 'TASK_STATE_NONSENSE' }), -32602],
    ['a page of nothing', call('ListTasks', { pageSize: 0 }), -32602],
    ['a page that is too large', call('ListTasks', { pageSize: 1000 }), -32602],
    ['a page that does not exist', call('ListTasks', { pageToken: 'x' }), -32602],
  ])('%s gets its error', async (_, body, code) => {
    const { url } = await startAgent()
    const answer = await rpc(url, body)
    expect(answer.status).toBe(200)
    expect(answer.body.error?.code).toBe(code)
  })

  test('a batch gets its answers in order, streams excepted', async () => {
    const { url } = await startAgent()
    const batch = [
      call('SendMessage', message('hi'), 'a'),
      call('Nothing', {}, 'b'),
      call('SubscribeToTask', {}, 'c'),
      7,
    ]
    const { body } = await rpc(url, batch)
    const answers = body as unknown as RpcBody[]
    expect(answers.map(({ id }) => id)).toEqual(['a', 'b', 'c', null])
    expect(answers[0]?.result?.task?.status.state).toBe('TASK_STATE_COMPLETED')
    expect(answers.slice(1).map(({ error }) => error?.code)).toEqual([-32601, -32600, -32600])
  })

  test('the version decides: none is 0.3, others are refused', async () => {
    const { url } = await startAgent()
    const params = message('hi')
    const none = await rpc(url, call('SendMessage', params), { 'a2a-version': '' })
    expect(none.body.error).toMatchObject({
      code: -32601,
      message: expect.stringContaining('A2A-Version: 1.0') as string,
    })
    const future = await rpc(url, call('SendMessage', params), { 'a2a-version': '2.0' })
    expect(future.body.error?.code).toBe(-32009)
    expect((await rpc(url, call('SendMessage', params))).body.result?.task).toBeDefined()
    const legacy = { message: { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'hi' }] } }
    const old = await rpc(url, call('message/send', legacy), { 'a2a-version': '' })
    expect(old.body.result).toMatchObject({ kind: 'task', status: { state: 'completed' } })
  })

  test.each<[string, unknown, number]>([
    ['a method that does not exist', call('tasks/drop'), -32601],
    ['a method of Object', call('toString'), -32601],
    ['no message at all', call('message/send', {}), -32602],
    ['a message without parts', call('message/send', legacyMessage({ parts: undefined })), -32602],
    ['a part without a kind', call('message/send', legacyMessage({ parts: [{ text: 'a' }] })), -32602],
    ['a part of an unknown kind', call('message/send', legacyMessage({ parts: [{ kind: 'x' }] })), -32602],
    ['a message of the agent’s own', call('message/stream', legacyMessage({ role: 'agent' })), -32602],
    ['a message without an id', call('message/send', legacyMessage({ messageId: undefined })), -32602],
    ['a negative history', call('tasks/get', { id: 'sess_x.1', historyLength: -1 }), -32602],
    ['a task without an id', call('tasks/get', {}), -32602],
    ['a task that does not exist', call('tasks/get', { id: 'sess_x.1' }), -32001],
    ['a push without an address', call('tasks/pushNotificationConfig/set', { taskId: 'sess_x.1' }), -32602],
  ])('in 0.3, %s gets its error', async (_, body, code) => {
    const { url } = await startAgent()
    const answer = await rpc(url, body, { 'a2a-version': '0.3' })
    expect(answer.body.error).toMatchObject({
      code,
      message: expect.not.stringMatching(/undefined|1\.0|Cannot/) as string,
    })
  })

  test('extensions that the agent has are echoed, others are not', async () => {
    const { url } = await startAgent()
    const asked = { 'a2a-extensions': `${BEACH_EXTENSION_URI}, https://unknown.example/v1` }
    const { headers } = await rpc(url, call('SendMessage', message('hi')), asked)
    expect(headers.get('a2a-extensions')).toBe(BEACH_EXTENSION_URI)
    expect((await rpc(url, call('ListTasks'))).headers.get('a2a-extensions')).toBeNull()
  })

  test('bodies that are too large, too deep or of another type are refused', async () => {
    const { url } = await startAgent()
    const large = await rpc(url, call('SendMessage', message('x'.repeat(300_000))))
    expect([large.status, large.body.error?.code]).toEqual([413, -32000])
    const deep = await rpc(url, `${'['.repeat(40)}${']'.repeat(40)}`)
    expect(deep.body.error?.code).toBe(-32600)
    const typed = await rpc(url, 'messageId=1', { 'content-type': 'application/x-www-form-urlencoded' })
    expect(typed.body.error?.code).toBe(-32005)
    const polluted = await rpc(
      url,
      '{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"__proto__":{"polluted":1}}}',
    )
    expect(polluted.body.error?.code).toBe(-32602)
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
    expect((await fetch(`${url}/a2a`)).status).toBe(405)
    expect((await fetch(`${url}/a2a/nothing`)).status).toBe(404)
  })

  test('a fault of our own is told without a word of its insides', async () => {
    const { url, beach } = await startAgent()
    const { sessions } = beach
    sessions.post = async () => {
      throw new Error('canary in /var/lib/beach.db')
    }
    const { status, text, body } = await rpc(url, call('SendMessage', message('hi')))
    expect([status, body.error?.code]).toEqual([500, -32603])
    expect(text).not.toContain('canary')
  })
})

describe('REST', () => {
  const headers = { 'a2a-version': '1.0', 'content-type': 'application/json' }

  test('errors have the status and the form of the binding', async () => {
    const { url } = await startAgent()
    const at = (path: string, init: RequestInit = {}) => fetch(`${url}/a2a/rest${path}`, { headers, ...init })
    const unknown = await at('/tasks/sess_x.1')
    expect(unknown.status).toBe(404)
    expect(await unknown.json()).toMatchObject({
      error: {
        code: 404,
        status: 'NOT_FOUND',
        details: [{ reason: 'TASK_NOT_FOUND' }, { requestId: expect.stringMatching(/^err_/) }],
      },
    })
    expect((await at('/nothing')).status).toBe(404)
    expect((await at('/message:send')).status).toBe(405)
    expect((await at('/message:send', { method: 'POST', body: '{' })).status).toBe(400)
    expect((await at('/message:send', { method: 'POST', body: '{}' })).status).toBe(400)
    expect((await at('/message:send', { method: 'POST', body: '[]' })).status).toBe(400)
    expect((await at('/tasks?pageSize=x')).status).toBe(400)
    expect((await at('/tasks?historyLength=-1')).status).toBe(400)
    expect((await at('/tasks?includeArtifacts=perhaps')).status).toBe(400)
    expect((await at('/tasks?status=TASK_STATE_NONSENSE')).status).toBe(400)
    expect((await at('/tasks/%E0%A4%A')).status).toBe(400)
  })

  test('the protocol’s own media type is taken and given', async () => {
    const { url } = await startAgent()
    const response = await fetch(`${url}/a2a/rest/message:send`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/a2a+json' },
      body: JSON.stringify(message('hi')),
    })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/a2a+json'])
  })
})

describe('listing', () => {
  test('tasks are listed by context and state, page by page, the latest first', async () => {
    const actor = defineActor(async ({ text, respond }) => {
      const turnState = text === 'ask' ? 'clarifying' : 'complete'
      await respond({ parts: [{ partType: text === 'ask' ? 'clarify' : 'response', text }], turnState })
    })
    const { url } = await startAgent({ actors: { actor } })
    const client = await knownClient(url)
    const all: string[] = []
    for (const text of ['one', 'ask', 'two', 'three'])
      all.push((await send(client, says(text, { contextId: 'c1' }))).id)
    all.push((await send(client, says('elsewhere'))).id)
    const list = (more: object = {}) =>
      client.listTasks({
        tenant: '',
        contextId: '',
        status: 0,
        pageToken: '',
        statusTimestampAfter: undefined,
        includeArtifacts: false,
        ...more,
      })
    const everything = await list()
    expect(everything.totalSize).toBe(5)
    expect(everything.tasks.map(({ id }) => id).toSorted()).toEqual(all.toSorted())
    expect(everything.tasks.every(({ artifacts }) => artifacts.length === 0)).toBe(true)
    expect((await list({ contextId: 'c1' })).totalSize).toBe(4)
    const asking = await list({ status: 6 })
    expect(asking.tasks.map((task) => [task.id, stateOf(task)])).toEqual([[all[1], 'INPUT_REQUIRED']])
    const pages: string[] = []
    for (let pageToken: string | undefined = ''; pageToken !== undefined;) {
      const page = await list({ contextId: 'c1', pageSize: 3, pageToken })
      pages.push(...page.tasks.map(({ id }) => id))
      pageToken = page.nextPageToken === '' ? undefined : page.nextPageToken
    }
    expect(pages.toSorted()).toEqual(all.slice(0, 4).toSorted())
    expect(
      (await list({ includeArtifacts: true, contextId: 'c1' })).tasks.some((task) => task.artifacts.length > 0),
    ).toBe(true)
  })

  test('history is as long as the caller wants', async () => {
    const { url } = await startAgent()
    const client = await stockClient(url)
    const task = await send(client, says('hi'))
    const lengths = [undefined, 0, 1, 5].map(async (historyLength) => {
      return (await client.getTask({ id: task.id, tenant: '', historyLength })).history.length
    })
    expect(await Promise.all(lengths)).toEqual([1, 0, 1, 1])
  })
})

describe('callers by A2A:', () => {
  test('a page of another site cannot call', async () => {
    const { url } = await startAgent()
    const refused = await rpc(url, call('ListTasks'), { origin: 'https://evil.example' })
    expect(refused.status).toBe(403)
  })

  test('a caller cannot see, cancel, follow, answer or configure another’s task, nor enter its context', async () => {
    const actor = defineActor(async ({ respond }) => {
      await respond({ parts: [{ partType: 'clarify', text: 'What?' }], turnState: 'clarifying' })
    })
    const { url } = await startAgent({ actors: { actor } })
    const alice = await stockClient(url, 'JSONRPC 1.0', await newToken(url))
    const mallory = await stockClient(url, 'JSONRPC 1.0', await newToken(url))
    const task = await send(alice, says('hello', { contextId: 'c1' }))
    const id = { id: task.id, tenant: '' }
    const config = {
      tenant: '',
      id: '',
      taskId: task.id,
      url: 'https://x.example/',
      token: '',
      authentication: undefined,
    }
    const tries = [
      () => mallory.getTask(id),
      () => mallory.cancelTask({ ...id, metadata: undefined }),
      () => mallory.resubscribeTask(id).next(),
      () => send(mallory, says('me', { taskId: task.id })),
      () => mallory.createTaskPushNotificationConfig(config),
      () => mallory.listTaskPushNotificationConfig({ taskId: task.id, tenant: '', pageSize: 0, pageToken: '' }),
    ]
    for (const attempt of tries) await expect(attempt()).rejects.toThrow(/no such task/)
    const session = task.id.split('.')[0] ?? ''
    await expect(send(mallory, says('hi', { contextId: session }))).rejects.toThrow(/no such context/)
    // The same name is another context when another caller uses it.
    const other = await send(mallory, says('hello', { contextId: 'c1' }))
    expect(other.id.split('.')[0]).not.toBe(session)
    const listed = await rpc(url, call('ListTasks', { contextId: session }), {
      authorization: `Bearer ${await newToken(url)}`,
    })
    expect(listed.body.result?.tasks).toEqual([])
  })

  test('a caller cannot have more requests open than the agent allows; those that end make room', async () => {
    const gate = new Gate()
    const actor = defineActor(async ({ respond }) => {
      await gate.opened
      await respond({ parts: [{ partType: 'response', text: 'Yes.' }], turnState: 'complete' })
    })
    const { url } = await startAgent({ actors: { actor }, access: { limits: { streamsPerPrincipal: 2 } } })
    const client = await stockClient(url)
    const streams = [1, 2].map(() => client.sendMessageStream(request(says('hi'))))
    for (const stream of streams) await stream.next()
    const refused = await rpc(url, call('ListTasks'))
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
    gate.open()
    for (const stream of streams) await collect(stream)
    await expect.poll(async () => (await rpc(url, call('ListTasks'))).status).toBe(200)
  })

  test('a caller without a credential who takes all that it may have leaves others theirs', async () => {
    const gate = new Gate()
    const actor = defineActor(async ({ respond }) => {
      await gate.opened
      await respond({ parts: [{ partType: 'response', text: 'Yes.' }], turnState: 'complete' })
    })
    const { url } = await startAgent({
      actors: { actor },
      access: {
        limits: { streamsPerPrincipal: 2 },
        remoteAddress: ({ headers }) => headers.get('x-forwarded-for') ?? undefined,
      },
    })
    const greedy = { 'x-forwarded-for': '2001:db8:0:1::1' }
    const open = [1, 2].map(() =>
      fetch(`${url}/a2a`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'a2a-version': '1.0', ...greedy },
        body: JSON.stringify(call('SendStreamingMessage', message('hi'))),
      }),
    )
    const streams = await Promise.all(open)
    expect(streams.map(({ status }) => status)).toEqual([200, 200])
    const status = async (address: string) => {
      return (await rpc(url, call('ListTasks'), { 'x-forwarded-for': address })).status
    }
    expect(await status('2001:db8:0:1::1')).toBe(429)
    expect(await status('2001:db8:0:1:ffff::2')).toBe(429)
    expect(await status('2001:db8:0:2::1')).toBe(200)
    expect(await status('192.0.2.7')).toBe(200)
    gate.open()
    for (const stream of streams) await stream.text()
  })

  test('a message that came through this agent before is refused', async () => {
    const { url } = await startAgent()
    const client = await stockClient(url)
    const metadata = { [`${BEACH_EXTENSION_URI}/hops`]: ['tester', 'other'] }
    await expect(send(client, says('hi', { metadata }))).rejects.toThrow(/circle/)
  })

  test('a capability that needs a scope is refused to callers that lack it, before anything happens', async () => {
    const { url } = await startAgent({
      agent: {
        schemaVersion: '1.0',
        id: 'tester',
        name: 'Tester',
        description: 'Books.',
        version: '1.0.0',
        capabilities: [{ id: 'booking', description: 'Books.', requiredScopes: ['booking:write'] }],
      },
    })
    const metadata = { [`${BEACH_EXTENSION_URI}/capability`]: 'booking' }
    const { status, body } = await rpc(url, call('SendMessage', message('book', { metadata })))
    expect([status, body.error?.message]).toEqual([403, expect.stringContaining('booking:write') as string])
    expect((await rpc(url, call('ListTasks'))).body.result?.tasks).toEqual([])
  })

  test('the extended card requires a credential, where there is one', async () => {
    const plain = await startAgent()
    expect((await rpc(plain.url, call('GetExtendedAgentCard'))).body.error?.code).toBe(-32004)
    const extendedCard = {
      schemaVersion: '1.0',
      id: 'tester',
      name: 'Tester, extended',
      description: 'Says more.',
      version: '1.0.0',
      capabilities: [{ id: 'secret-echo', description: 'Says it quietly.' }],
    }
    const { url } = await startAgent({ protocols: { a2a: { extendedCard } } })
    expect((await rpc(url, call('GetExtendedAgentCard'))).status).toBe(401)
    const client = await stockClient(url, 'JSONRPC 1.0', await newToken(url))
    expect((await client.getAgentCard()).name).toBe('Tester, extended')
    expect((await (await stockClient(url, 'HTTP+JSON 1.0', await newToken(url))).getAgentCard()).name).toBe(
      'Tester, extended',
    )
  })
})

test('an agent that is not served by A2A has its card all the same, which says how it is reached', async () => {
  const card = {
    schemaVersion: '1.0',
    id: 'tester',
    name: 'Tester',
    description: 'Says what it is told.',
    version: '1.0.0',
    capabilities: [],
  }
  const transports = [{ protocol: 'mcp', version: 'stable', endpoint: 'https://x.example/mcp', tool: 'ask_tester' }]
  const { url } = await startAgent({ protocols: { a2a: false }, agent: { ...card, transports } })
  expect((await fetch(`${url}/.well-known/agent-card.json`)).status).toBe(200)
  expect((await fetch(`${url}/a2a`, { method: 'POST' })).status).toBe(404)
  await expect(startAgent({ protocols: { a2a: false }, agent: card })).rejects.toThrow(/card.transports/)
})

test('the card is at its well-known place, with every way to reach the agent', async () => {
  const { url } = await startAgent()
  const response = await fetch(`${url}/.well-known/agent-card.json`)
  expect(response.headers.get('etag')).not.toBeNull()
  const card = (await response.json()) as { supportedInterfaces: { url: string; protocolBinding: string }[] }
  expect(card.supportedInterfaces).toEqual([
    { url: `${url}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    { url: `${url}/a2a/rest`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
    { url: `${url}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
    { url: `${url}/a2a/rest`, protocolBinding: 'HTTP+JSON', protocolVersion: '0.3' },
  ])
})
