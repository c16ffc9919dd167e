import { inspect } from 'node:util'
import { noAuth } from '@cool-ai/beach-channel/auth'
import { silentLogger, systemRuntime, type Authenticator, type Principal } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import { Identity } from '../../packages/beach/src/identity/identity.ts'
import { apiKey, newToken, ownContext, startAgent, type AgentOptions } from './agent.ts'
import { mergeOptions } from '../support/merge-options.ts'

const header = 'X-Beach-Key'
const auth = { type: 'api-key', header } as const
const none = { type: 'none' } as const

interface Answer {
  readonly status: number
  readonly challenge: string | null
  readonly text: string
}

type Headers = Readonly<Record<string, string>>
type Knock = (url: string, headers?: Headers) => Promise<Answer>

async function answered(response: Response): Promise<Answer> {
  const { status, headers } = response
  return { status, challenge: headers.get('www-authenticate'), text: await response.text() }
}

function rpc(version: string, method: string, params: unknown): Knock {
  return async (url, headers = {}) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const all = { 'content-type': 'application/json', 'a2a-version': version, ...headers }
    return answered(await fetch(`${url}/a2a`, { method: 'POST', headers: all, body }))
  }
}

function rest(version: string, path: string): Knock {
  return async (url, headers = {}) => {
    return answered(await fetch(`${url}/a2a/rest${path}`, { headers: { 'a2a-version': version, ...headers } }))
  }
}

function message(text: string, more: object = {}) {
  return { message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...more } }
}

const legacyMessage = {
  message: { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'hi' }] },
}

/** Every way in, by a request that is answered with 200. */
const ways: Readonly<Record<string, Knock>> = {
  'JSON-RPC 1.0': rpc('1.0', 'ListTasks', {}),
  'JSON-RPC 1.0, a message': rpc('1.0', 'SendMessage', message('hi')),
  'JSON-RPC 1.0, the extended card': rpc('1.0', 'GetExtendedAgentCard', {}),
  'JSON-RPC 0.3': rpc('0.3', 'message/send', legacyMessage),
  'JSON-RPC 0.3, the extended card': rpc('0.3', 'agent/getAuthenticatedExtendedCard', {}),
  'HTTP+JSON 1.0': rest('1.0', '/tasks'),
  'HTTP+JSON 1.0, the extended card': rest('1.0', '/extendedAgentCard'),
}

const card = {
  schemaVersion: '1.0',
  id: 'tester',
  name: 'Tester',
  description: 'Says what it is told.',
  version: '1.0.0',
  capabilities: [{ id: 'echo', description: 'Says it again.' }],
} as const

const extendedCard = { ...card, name: 'Tester, extended' }

/** The bearer token of a user, signed by the agent's own secret. */
function tokenOf(principal: Principal): Promise<string> {
  const runtime = systemRuntime({ logger: silentLogger })
  const secret = new Uint8Array(32).fill(7)
  return new Identity({ secret, runtime, agentId: 'tester', tenant: 'default' }).issueToken(principal)
}

function bearer(token: string): Headers {
  return { authorization: `Bearer ${token}` }
}

describe('where the card asks for an API key', () => {
  const baxter = apiKey(header)
  const start = () =>
    startAgent({ protocols: { a2a: { auth, extendedCard } }, access: { authenticators: [baxter.authenticate] } })
  const wanted = /Send an API key in the header 'X-Beach-Key', as the Agent Card says\./

  test.each(Object.entries(ways))('%s requires one', async (_, call) => {
    const { url } = await start()
    const token = await newToken(url)
    const strangers: Headers[] = [{}, bearer(token), bearer('nonsense'), { cookie: `beach_tester=${token}` }]
    for (const headers of strangers) {
      const { status, challenge, text } = await call(url, headers)
      expect([status, challenge]).toEqual([401, 'ApiKey header="X-Beach-Key"'])
      expect(text).toMatch(wanted)
    }
    const known = await call(url, baxter.headers)
    expect([known.status, known.text]).toEqual([200, expect.not.stringContaining('"error"') as string])
  })

  test('HTTP+JSON 0.3 requires one', async () => {
    const { url } = await start()
    const call = rest('', '/v1/tasks/sess_x.1')
    expect(await call(url, bearer(await newToken(url)))).toMatchObject({ status: 401 })
    expect(await call(url, baxter.headers)).toMatchObject({ status: 404 })
  })

  test('an unknown key is refused with the reason', async () => {
    const { url } = await start()
    const { status, challenge, text } = await rest('1.0', '/tasks')(url, { [header]: 'wrong' })
    expect([status, challenge]).toEqual([401, 'ApiKey header="X-Beach-Key"'])
    expect(text).toMatch(/is not known here/)
  })

  test('a token that the agent has issued for a known caller counts', async () => {
    const { url } = await start()
    const token = await tokenOf({ kind: 'user', id: 'ann', tenant: 'default' })
    expect(await rest('1.0', '/tasks')(url, bearer(token))).toMatchObject({ status: 200 })
  })
})

test('where the card asks for nothing, guests and strangers come in as before', async () => {
  const { url } = await startAgent({ protocols: { a2a: { extendedCard } } })
  const guest = bearer(await newToken(url))
  for (const call of Object.values(ways)) expect(await call(url, guest)).toMatchObject({ status: 200 })
  expect(await rest('1.0', '/tasks')(url)).toMatchObject({ status: 200 })
})

/** The transports of a card at the places where the agent has them. */
function transport(binding: 'JSONRPC' | 'HTTP+JSON', more: object, version = '1.0') {
  const path = binding === 'JSONRPC' ? '/a2a' : '/a2a/rest'
  return { protocol: 'a2a', version, endpoint: `https://agent.example${path}`, binding, ...more }
}

const [list, legacy, listByRest] = [
  rpc('1.0', 'ListTasks', {}),
  rpc('0.3', 'tasks/get', { id: 'x' }),
  rest('1.0', '/tasks'),
]

/** The first request of a client of MCP. */
const initialise: Knock = async (url, headers = {}) => {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  const all = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
  return answered(await fetch(`${url}/mcp`, { method: 'POST', headers: all, body }))
}

describe('each way in', () => {
  const one = apiKey('X-One', { id: 'one' })
  const two = apiKey('X-Two', { id: 'two', scopes: ['admin'] })
  const weak = apiKey('X-Two', { id: 'weak' })
  const byOne = { auth: { type: 'api-key', header: 'X-One' } }
  const byTwo = { auth: { type: 'api-key', header: 'X-Two' }, requiredScopes: ['admin'] }
  const start = (transports: NonNullable<AgentOptions['card']>['transports'] & object, more: AgentOptions = {}) =>
    startAgent(
      mergeOptions(
        { agent: { ...card, transports }, access: { authenticators: [one.authenticate, two.authenticate] } },
        more,
      ),
    )

  test('asks for the scopes of its own transport, and for no others', async () => {
    const { url } = await start([transport('JSONRPC', byOne), transport('HTTP+JSON', byTwo)])
    expect(await list(url, one.headers)).toMatchObject({ status: 200 })
    expect(await listByRest(url, two.headers)).toMatchObject({ status: 200 })
  })

  test('is closed to callers without the scopes of its transport', async () => {
    const authenticators = [weak.authenticate]
    const { url } = await start([transport('JSONRPC', byOne), transport('HTTP+JSON', byTwo)], {
      access: { authenticators },
    })
    const { status, text } = await listByRest(url, weak.headers)
    expect([status, text]).toEqual([403, expect.stringMatching(/needs the scope admin/) as string])
  })

  test('is not opened by a key for another one', async () => {
    const { url } = await start([transport('JSONRPC', byOne), transport('HTTP+JSON', byTwo)])
    expect(await list(url, two.headers)).toMatchObject({ status: 401, challenge: 'ApiKey header="X-One"' })
    expect(await listByRest(url, one.headers)).toMatchObject({ status: 401, challenge: 'ApiKey header="X-Two"' })
    // A caller with both is the principal that the endpoint asks for.
    expect(await listByRest(url, { ...one.headers, ...two.headers })).toMatchObject({ status: 200 })
  })

  test('is one of its version of the protocol too', async () => {
    const { url } = await start([transport('JSONRPC', byOne), transport('JSONRPC', { auth: none }, '0.3')])
    expect(await list(url)).toMatchObject({ status: 401 })
    expect(await legacy(url)).toMatchObject({ status: 200 })
  })

  test('that the card does not list asks for all that the others ask for', async () => {
    const { url } = await start([transport('JSONRPC', byOne), transport('HTTP+JSON', byTwo)])
    for (const headers of [{}, bearer(await newToken(url))])
      expect(await legacy(url, headers)).toMatchObject({ status: 401 })
    expect(await legacy(url, one.headers)).toMatchObject({ status: 403 })
    expect(await legacy(url, two.headers)).toMatchObject({ status: 200 })
  })

  describe('that is open next to one that is closed', () => {
    const mixed = [transport('JSONRPC', byOne), transport('HTTP+JSON', { auth: none })]

    test('lets strangers in, and gives away nothing of callers of the other', async () => {
      const { url } = await start(mixed)
      const said = await rpc(
        '1.0',
        'SendMessage',
        message('secret plans', { contextId: ownContext('c1') }),
      )(url, one.headers)
      const { id, contextId } = (JSON.parse(said.text) as { result: { task: { id: string; contextId: string } } })
        .result.task
      for (const headers of [{}, bearer(await newToken(url))]) {
        expect(await list(url, headers)).toMatchObject({ status: 401 })
        for (const query of ['', `?contextId=${contextId}`]) {
          const { status, text } = await rest('1.0', `/tasks${query}`)(url, headers)
          expect([status, text]).toEqual([200, expect.not.stringContaining('secret plans') as string])
        }
        expect(await rest('1.0', `/tasks/${id}`)(url, headers)).toMatchObject({ status: 404 })
      }
      expect(await rest('1.0', `/tasks/${id}`)(url, one.headers)).toMatchObject({ status: 200 })
    })

    test('shows the extended card only to callers that the other admits', async () => {
      const { url } = await start(mixed, { protocols: { a2a: { extendedCard } } })
      const read = rest('1.0', '/extendedAgentCard')
      for (const headers of [{}, bearer(await newToken(url))])
        expect(await read(url, headers)).toMatchObject({ status: 401 })
      expect(await read(url, one.headers)).toMatchObject({ status: 200 })
    })

    test('gives no access to a caller with a credential that has the name of all strangers', async () => {
      const namesake = apiKey('X-One', { id: 'anonymous' })
      const { url } = await start(mixed, { access: { authenticators: [namesake.authenticate] } })
      const { status, text } = await list(url, namesake.headers)
      expect([status, text]).toEqual([403, expect.stringMatching(/kept for callers without a credential/) as string])
    })
  })
})

describe('an authenticator that wraps another one', () => {
  const baxter = apiKey(header)
  const other = apiKey('X-Other', { id: 'other' })
  const start = (...authenticators: Authenticator[]) =>
    startAgent({ protocols: { a2a: { auth } }, access: { authenticators } })
  const endpoints = [list, listByRest, rest('', '/v1/tasks/sess_x.1'), initialise]

  test('may copy the principal, and opens the endpoints that the credential is for and no others', async () => {
    const copying: Authenticator = async (request) => {
      const known = (await baxter.authenticate(request)) ?? (await other.authenticate(request))
      return known && { ...known, principal: { ...known.principal, scopes: ['extra'] } }
    }
    const { url } = await start(copying)
    for (const call of endpoints) {
      expect(await call(url, other.headers)).toMatchObject({ status: 401 })
      expect((await call(url, baxter.headers)).status).not.toBe(401)
    }
  })

  test.each<[string, (principal: Principal) => unknown]>([
    ['the bare principal', (principal) => principal],
    ['a principal that is spread', (principal) => ({ ...principal })],
    ['no credential', (principal) => ({ principal })],
    ['a credential that is none', (principal) => ({ principal, credential: {} })],
    ['null', () => null],
  ])('admits no caller when it returns %s, and the log says what to return', async (_, give) => {
    const logged: unknown[] = []
    const logger = { log: (...args: unknown[]) => void logged.push(args) }
    const ann = { kind: 'operator', id: 'ann', tenant: 'default' } as const
    // As plain JavaScript may have it.
    const authenticate = (async () => give(ann)) as unknown as Authenticator
    const { url } = await startAgent({
      protocols: { a2a: { auth } },
      access: { authenticators: [authenticate] },
      runtime: systemRuntime({ logger }),
    })
    const sessions: Knock = async (to) => answered(await fetch(`${to}/sessions`, { method: 'POST' }))
    const letters: Knock = async (to) => answered(await fetch(`${to}/operator/dead-letters`))
    for (const call of [...endpoints, sessions, letters]) expect(await call(url)).toMatchObject({ status: 500 })
    expect(inspect(logged, { depth: 5 })).toContain('must return { principal, credential } or undefined')
  })

  test('does not compile when it returns the bare principal', () => {
    // @ts-expect-error -- a principal alone does not say by what it is known.
    const bare: Authenticator = async () => ({ kind: 'user', id: 'ann', tenant: 'default' }) as const
    expect(bare).toBeDefined()
  })

  test('that asks for nothing opens no endpoint for which the card asks for something', async () => {
    const { url } = await start(noAuth({ kind: 'user', id: 'developer', tenant: 'default' }))
    for (const call of endpoints) expect(await call(url)).toMatchObject({ status: 401 })
  })

  test('and does not say which header a key came in opens no endpoint that names one', async () => {
    const { url } = await start(async () => {
      return { principal: { kind: 'user', id: 'ann', tenant: 'default' }, credential: { type: 'api-key' } }
    })
    for (const call of endpoints) expect(await call(url)).toMatchObject({ status: 401 })
  })
})

describe('a capability of the extended card', () => {
  const admin = apiKey(header, { id: 'admin', scopes: ['admin'] })
  const capabilities = [
    { id: 'quiet-echo', description: 'Says it quietly.' },
    { id: 'reset', description: 'Forgets.', requiredScopes: ['admin'] },
    { id: 'echo', description: 'Says it again.', requiredScopes: ['admin'] },
  ]
  const start = (more: AgentOptions = {}) =>
    startAgent(
      mergeOptions(
        {
          protocols: { a2a: { extendedCard: { ...extendedCard, capabilities } } },
          access: { authenticators: [admin.authenticate] },
        },
        more,
      ),
    )
  const ask = (capability: string) =>
    rpc(
      '1.0',
      'SendMessage',
      message('hi', { metadata: { 'https://beach.cool-ai.io/extensions/v1/capability': capability } }),
    )

  test('can be asked for by callers that may read it, with the scopes that it needs', async () => {
    const { url } = await start()
    const guest = bearer(await newToken(url))
    expect((await ask('quiet-echo')(url, guest)).text).toContain('TASK_STATE_COMPLETED')
    for (const capability of ['reset', 'echo']) expect(await ask(capability)(url, guest)).toMatchObject({ status: 403 })
    for (const capability of ['reset', 'echo']) {
      expect((await ask(capability)(url, admin.headers)).text).toContain('TASK_STATE_COMPLETED')
    }
  })

  test('does not exist for other callers', async () => {
    const { url } = await start()
    expect(await ask('echo')(url)).toMatchObject({ status: 403 })
    const { text } = await ask('quiet-echo')(url)
    expect(text).toContain("no capability 'quiet-echo'. It has: echo.")
  })
})

describe('createBeach refuses', () => {
  const refused = (options: AgentOptions) =>
    expect(startAgent(options)).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringMatching(/./) as string,
    })

  test('a card that asks for a credential which no authenticator recognises', async () => {
    await expect(startAgent({ protocols: { a2a: { auth } } })).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringMatching(/'api-key'.*Give createBeach `authenticators`/) as string,
    })
    await refused({ protocols: { a2a: { auth } }, access: { authenticators: [] } })
  })

  test('a header that can carry no key', async () => {
    await refused({
      protocols: { a2a: { auth: { type: 'api-key', header: 'X "Key"' } } },
      access: { authenticators: [apiKey(header).authenticate] },
    })
  })
})

test('what a capability asks for is asked by whatever channel its name comes', async () => {
  const capabilities = [{ id: 'refund', description: 'Pays back.', requiredScopes: ['refunds'] }]
  const { url } = await startAgent({ agent: { ...card, capabilities } })
  const opened = (await (await fetch(`${url}/sessions`, { method: 'POST' })).json()) as Record<string, string>
  const say = (metadata: Record<string, unknown>) =>
    fetch(`${url}/sessions/${opened.sessionId}/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${opened.token}` },
      body: JSON.stringify({ parts: [{ text: 'My money, please.', metadata: { partType: 'message', ...metadata } }] }),
    })
  const refused = await say({ skillId: 'refund' })
  expect(refused.status).toBe(403)
  expect(await refused.text()).toContain('refunds')
  // A name that is none of the agent's says nothing.
  expect((await say({ skillId: 'other' })).status).toBe(202)
})
