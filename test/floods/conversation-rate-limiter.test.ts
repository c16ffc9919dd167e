import { describe, expect, test } from 'vitest'
import { endpointHeaders, startAgent } from './flooded-agent.ts'
import { mergeOptions } from '../support/merge-options.ts'

type Headers = Readonly<Record<string, string>>

interface Answer {
  readonly status: number
  readonly retryAfter: number
  readonly text: string
}

async function post(url: string, path: string, body: unknown, headers: Headers = {}): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { ...endpointHeaders[path], ...headers },
    body: JSON.stringify(body),
  })
  const retryAfter = Number(response.headers.get('retry-after') ?? 0)
  return { status: response.status, retryAfter, text: await response.text() }
}

const uuid = () => crypto.randomUUID()
const message = () => ({ messageId: uuid(), role: 'ROLE_USER', parts: [{ text: 'hello' }] })
const rpc = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params })
const initialize = () =>
  rpc('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } })

/** A call of the conversational tool that names no conversation, in the revision that has no sessions. */
const ask = rpc('tools/call', {
  name: 'ask_tester',
  arguments: { message: 'hello' },
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'c', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  },
})
const askHeaders = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'ask_tester' }

const run = () => ({
  threadId: uuid(),
  runId: uuid(),
  state: {},
  messages: [{ id: uuid(), role: 'user', content: 'hello' }],
  tools: [],
  context: [],
  forwardedProps: {},
})

/** What begins a conversation at each endpoint. */
const begins: Readonly<Record<string, (url: string, headers?: Headers) => Promise<Answer>>> = {
  'POST /sessions': (url, headers) => post(url, '/sessions', {}, headers),
  'a message of A2A': (url, headers) => post(url, '/a2a', rpc('SendMessage', { message: message() }), headers),
  'a message of A2A in a context': (url, headers) =>
    post(url, '/a2a', rpc('SendMessage', { message: { ...message(), contextId: uuid() } }), headers),
  'a stream of A2A': (url, headers) => post(url, '/a2a', rpc('SendStreamingMessage', { message: message() }), headers),
  'a message of A2A by HTTP+JSON': (url, headers) =>
    post(url, '/a2a/rest/message:send', { message: message() }, headers),
  'a session of MCP': (url, headers) => post(url, '/mcp', initialize(), headers),
  'a run of AG-UI': (url, headers) => post(url, '/agui', run(), headers),
}

const from = (address: string): Headers => ({ 'x-from': address })
const remoteAddress = ({ headers }: Request) => headers.get('x-from') ?? undefined
const limited = { access: { limits: { guestSessionsPerMinute: 5 }, remoteAddress } }

describe.each(Object.entries(begins))('of %s', (_, begin) => {
  test('guests of one network begin as many as they may, and are told when to come again', async () => {
    const { url } = await startAgent(limited)
    const answers: Answer[] = []
    for (let n = 0; n < 8; n++) answers.push(await begin(url, from(`2001:db8::${n}`)))
    expect(answers.map(({ status }) => status < 300)).toEqual([true, true, true, true, true, false, false, false])
    for (const { status, retryAfter, text } of answers.slice(5)) {
      expect([status, retryAfter, text]).toEqual([429, expect.any(Number), expect.stringMatching(/next one in \d+ s/)])
      expect(retryAfter).toBeGreaterThan(1)
    }
    expect((await begin(url, from('2001:db8:0:1::1'))).status).toBeLessThan(300)
  })

  test('guests with a token count with those without, and a caller with another credential by itself', async () => {
    const ann = { principal: { kind: 'user', id: 'ann', tenant: 'default' }, credential: { type: 'test' } } as const
    const authenticators = [async ({ headers }: Request) => (headers.has('x-ann') ? ann : undefined)]
    const { url } = await startAgent(mergeOptions(limited, { access: { authenticators } }))
    const opened = await post(url, '/sessions', {}, from('192.0.2.1'))
    const { token } = JSON.parse(opened.text) as { token: string }
    const guest = { ...from('192.0.2.1'), authorization: `Bearer ${token}` }
    for (let n = 0; n < 2; n++) expect((await begin(url, guest)).status).toBeLessThan(300)
    for (let n = 0; n < 2; n++) expect((await begin(url, from('192.0.2.1'))).status).toBeLessThan(300)
    expect((await begin(url, guest)).status).toBe(429)
    for (let n = 0; n < 8; n++) {
      expect((await begin(url, { ...from('192.0.2.1'), 'x-ann': 'yes' })).status).toBeLessThan(300)
    }
  })
})

test('all endpoints count together', async () => {
  const { url } = await startAgent({ access: { limits: { guestSessionsPerMinute: Object.keys(begins).length } } })
  for (const begin of Object.values(begins)) expect((await begin(url)).status).toBeLessThan(300)
  for (const begin of Object.values(begins)) expect((await begin(url)).status).toBe(429)
})

test('an MCP tool that would begin one conversation too many says so to its caller', async () => {
  const { url } = await startAgent({ access: { limits: { guestSessionsPerMinute: 2 } } })
  const answers = []
  for (let n = 0; n < 3; n++) answers.push((await post(url, '/mcp', ask, askHeaders)).text)
  expect(answers.map((text) => /"isError":true/.test(text))).toEqual([false, false, true])
  expect(answers[2]).toMatch(/Begin the next one in 30 s/)
})

test('what goes on with a conversation is not counted', async () => {
  const { url } = await startAgent({ access: { limits: { guestSessionsPerMinute: 1 } } })
  const first = await post(url, '/a2a', rpc('SendMessage', { message: message() }))
  const { contextId } = (JSON.parse(first.text) as { result: { task: { contextId: string } } }).result.task
  for (let n = 0; n < 3; n++) {
    const next = await post(url, '/a2a', rpc('SendMessage', { message: { ...message(), contextId } }))
    expect([next.status, next.text]).toEqual([200, expect.stringContaining('TASK_STATE_COMPLETED')])
  }
})

test('a flood of MCP sessions from the same address leaves those alone that are used', async () => {
  const { url } = await startAgent({ protocols: { mcp: { legacy: { sessions: 40 } } } })
  const opened = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { ...endpointHeaders['/mcp'] },
    body: JSON.stringify(initialize()),
  })
  await opened.text()
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
  expect((await post(url, '/mcp', rpc('tools/list', {}), session)).status).toBe(200)
  const floods = await Promise.all(Array.from({ length: 100 }, () => post(url, '/mcp', initialize())))
  expect(floods.every(({ status }) => status === 200)).toBe(true)
  expect((await post(url, '/mcp', rpc('tools/list', {}), session)).status).toBe(200)
})
