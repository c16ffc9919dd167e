import { silentLogger, systemRuntime, type Principal } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import { Identity } from '../../packages/beach/src/identity.ts'
import { apiKey, newToken, startAgent, type AgentOptions } from './agent.ts'

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

/** The bearer token of somebody, signed by the agent's own secret. */
function tokenOf(principal: Principal): string {
  const runtime = systemRuntime({ logger: silentLogger })
  const secret = new Uint8Array(32).fill(7)
  return new Identity({ secret, runtime, agentId: 'tester', tenant: 'default' }).issueToken(principal)
}

function bearer(token: string): Headers {
  return { authorization: `Bearer ${token}` }
}

describe('where the card asks for an API key', () => {
  const baxter = apiKey(header)
  const start = () => startAgent({ a2a: { auth, extendedCard }, authenticators: [baxter.authenticate] })
  const wanted = /Bring an API key in the header 'X-Beach-Key', as the Agent Card says\./

  test.each(Object.entries(ways))('%s is for those who bring one', async (_, knock) => {
    const { url } = await start()
    const token = await newToken(url)
    const strangers: Headers[] = [{}, bearer(token), bearer('nonsense'), { cookie: `beach_tester=${token}` }]
    for (const headers of strangers) {
      const { status, challenge, text } = await knock(url, headers)
      expect([status, challenge]).toEqual([401, 'ApiKey header="X-Beach-Key"'])
      expect(text).toMatch(wanted)
    }
    const known = await knock(url, baxter.headers)
    expect([known.status, known.text]).toEqual([200, expect.not.stringContaining('"error"') as string])
  })

  test('HTTP+JSON 0.3 is for those who bring one', async () => {
    const { url } = await start()
    const knock = rest('', '/v1/tasks/sess_x.1')
    expect(await knock(url, bearer(await newToken(url)))).toMatchObject({ status: 401 })
    expect(await knock(url, baxter.headers)).toMatchObject({ status: 404 })
  })

  test('a key that nobody knows is told so', async () => {
    const { url } = await start()
    const { status, challenge, text } = await rest('1.0', '/tasks')(url, { [header]: 'wrong' })
    expect([status, challenge]).toEqual([401, 'ApiKey header="X-Beach-Key"'])
    expect(text).toMatch(/is not known here/)
  })

  test('a token that the agent has issued for somebody known counts', async () => {
    const { url } = await start()
    const token = tokenOf({ kind: 'user', id: 'ann', tenant: 'default' })
    expect(await rest('1.0', '/tasks')(url, bearer(token))).toMatchObject({ status: 200 })
  })
})

test('where the card asks for nothing, guests and strangers come in as before', async () => {
  const { url } = await startAgent({ a2a: { extendedCard } })
  const guest = bearer(await newToken(url))
  for (const knock of Object.values(ways)) expect(await knock(url, guest)).toMatchObject({ status: 200 })
  expect(await rest('1.0', '/tasks')(url)).toMatchObject({ status: 200 })
})
