import type { BeachOptions } from '@cool-ai/beach'
import type { Authenticator } from '@cool-ai/beach-core'
import { readAgentCard } from '@cool-ai/beach-protocol/agent-card'
import { describe, expect, test } from 'vitest'
import { apiKey, startAgent, type AgentOptions } from '../a2a/agent.ts'
import { newToken } from './support.ts'
import { mergeOptions } from '../support/merge-options.ts'

const header = 'X-Beach-Key'
const auth = { type: 'api-key', header } as const
const tokenEndpoint = 'https://login.example/token'
const oauth2 = { type: 'oauth2', tokenEndpoint } as const
const tokens = { resource: 'https://agent.example/mcp', authorizationServers: ['https://login.example'] } as const

const card = {
  schemaVersion: '1.0',
  id: 'tester',
  name: 'Tester',
  description: 'Says what it is told.',
  version: '1.0.0',
  capabilities: [],
} as const

const byHttp = {
  protocol: 'mcp',
  version: 'stable',
  endpoint: 'https://agent.example/mcp',
  tool: 'ask_tester',
} as const

type Headers = Readonly<Record<string, string>>

async function knock(url: string, headers: Headers = {}) {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
  })
  const challenge = response.headers.get('www-authenticate')
  return { status: response.status, challenge, text: await response.text() }
}

/** What the card says of `/mcp`. */
async function saidOf(url: string) {
  const read = readAgentCard(await (await fetch(`${url}/.well-known/agent-card.json`)).json())
  return read.transports.find(({ protocol }) => protocol === 'mcp')
}

async function guestOf(url: string): Promise<Headers> {
  return { authorization: `Bearer ${await newToken(url)}` }
}

/** Knows bearer tokens by the scopes that they are named after. */
const byToken: Authenticator = async (request) => {
  const token = /^Bearer (chat|nothing)$/.exec(request.headers.get('authorization') ?? '')?.[1]
  if (token === undefined) return undefined
  const principal = { kind: 'peer', id: token, tenant: 'default', scopes: [token] } as const
  return { principal, credential: { type: 'oauth2' } }
}

function refusing(options: AgentOptions, message: RegExp) {
  return expect(startAgent(options)).rejects.toMatchObject({
    code: 'INVALID_CONFIGURATION',
    message: expect.stringMatching(message) as string,
  })
}

describe('what A2A asks for, MCP asks for too', () => {
  const baxter = apiKey(header, { scopes: ['chat'] })
  const weak = apiKey(header)
  const start = (options: Partial<BeachOptions>) =>
    startAgent(mergeOptions({ access: { authenticators: [baxter.authenticate] } }, options))

  test.each([
    ['and its card says so', {}],
    ['by a transport that says nothing of it', { card: { ...card, transports: [byHttp] } }],
  ])('%s', async (_, options) => {
    const { url } = await start(mergeOptions({ protocols: { a2a: { auth } } }, options))
    expect(await saidOf(url)).toMatchObject({ auth })
    for (const headers of [{}, await guestOf(url)]) {
      const { status, challenge, text } = await knock(url, headers)
      expect([status, challenge]).toEqual([401, 'ApiKey header="X-Beach-Key"'])
      expect(text).toContain("Send an API key in the header 'X-Beach-Key'")
    }
    expect(await knock(url, baxter.headers)).toMatchObject({ status: 200 })
  })

  test('where the card does not say that there is MCP', async () => {
    const byA2a = { protocol: 'a2a', version: '1.0', endpoint: 'https://agent.example/a2a', auth }
    const { url } = await start({ agent: { ...card, transports: [byA2a] } })
    expect(await knock(url)).toMatchObject({ status: 401 })
    expect(await knock(url, baxter.headers)).toMatchObject({ status: 200 })
  })

  test('but not where the card opens it', async () => {
    const byA2a = { protocol: 'a2a', version: '1.0', endpoint: 'https://agent.example/a2a' }
    const transports = [byA2a, { ...byHttp, auth: { type: 'none' } }]
    const { url } = await start({ protocols: { a2a: { auth } }, agent: { ...card, transports } })
    expect(await knock(url)).toMatchObject({ status: 200 })
    const refused = await fetch(`${url}/a2a/rest/tasks`, { headers: { 'a2a-version': '1.0' } })
    expect(refused.status).toBe(401)
  })

  test('with the scopes of its own transport', async () => {
    const transports = [{ ...byHttp, auth, requiredScopes: ['chat'] }]
    const { url } = await start({ agent: { ...card, transports } })
    expect(await knock(url, baxter.headers)).toMatchObject({ status: 200 })
    const other = await start({ agent: { ...card, transports }, access: { authenticators: [weak.authenticate] } })
    expect(await knock(other.url, weak.headers)).toMatchObject({ status: 403, challenge: null })
  })

  test('and where it asks for nothing, every caller is admitted', async () => {
    const { url } = await start({})
    expect(await saidOf(url)).toMatchObject({ auth: { type: 'none' } })
    for (const headers of [{}, await guestOf(url), baxter.headers])
      expect(await knock(url, headers)).toMatchObject({ status: 200 })
  })
})

describe('an agent whose MCP clients need tokens', () => {
  const mcp = { auth: { ...tokens, tokenEndpoint, requiredScopes: ['chat'] } }

  test.each([
    ['in a card that it writes itself', {}],
    ['in a card that lists MCP', { card: { ...card, transports: [byHttp] } }],
  ])('says so %s, and takes no guests', async (_, options) => {
    const { url } = await startAgent(
      mergeOptions({ protocols: { mcp }, access: { authenticators: [byToken] } }, options),
    )
    expect(await saidOf(url)).toMatchObject({ auth: oauth2, requiredScopes: ['chat'] })
    for (const headers of [{}, await guestOf(url)]) {
      const { status, challenge } = await knock(url, headers)
      expect([status, challenge]).toEqual([401, expect.stringMatching(/^Bearer scope="chat", resource_metadata=/)])
    }
    expect(await knock(url, { authorization: 'Bearer nothing' })).toMatchObject({ status: 403 })
    expect(await knock(url, { authorization: 'Bearer chat' })).toMatchObject({ status: 200 })
  })

  test('takes no API keys instead', async () => {
    const baxter = apiKey(header, { scopes: ['chat'] })
    const { url } = await startAgent({ protocols: { mcp }, access: { authenticators: [baxter.authenticate, byToken] } })
    expect(await knock(url, baxter.headers)).toMatchObject({ status: 401 })
  })

  test('has the token endpoint of A2A where it names no other', async () => {
    const { url } = await startAgent({
      protocols: { a2a: { auth: oauth2 }, mcp: { auth: tokens } },
      access: { authenticators: [byToken] },
    })
    expect(await saidOf(url)).toMatchObject({ auth: oauth2 })
  })

  test('is refused when its card could not say so, or says otherwise', async () => {
    const authenticators = [byToken]
    await refusing(
      { protocols: { mcp: { auth: tokens } }, access: { authenticators } },
      /Give `mcp\.auth\.tokenEndpoint`/,
    )
    const transports = [{ ...byHttp, auth }]
    await refusing(
      { protocols: { mcp }, agent: { ...card, transports }, access: { authenticators } },
      /'api-key'.*access tokens/,
    )
  })

  test('is refused without authenticators', async () => {
    await refusing({ protocols: { mcp } }, /Give createBeach `authenticators`/)
  })
})

test.each([
  ['A2A', { protocol: 'a2a', version: '1.0', endpoint: 'https://agent.example/a2a' }],
  ['MCP', byHttp],
])('a transport of %s that asks for scopes and for no credential is refused', async (_, transport) => {
  const transports = [{ ...transport, requiredScopes: ['chat:write'] }]
  const said = /No caller can have the scope chat:write on a transport without auth\. Change one of the two\./
  await refusing({ agent: { ...card, transports } }, said)
})
