import { BeachError, type Authenticator, type Principal } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import { answerOf, connect, eras, newToken, say, startConcierge, textsOf, type Era } from './support.ts'

const initialize = (protocolVersion: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
})

async function post(url: URL, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

describe('revisions', () => {
  test.each(['2025-11-25', '2025-06-18'])('%s is agreed on when a client asks for it', async (revision) => {
    const { url } = await startConcierge()
    const { status, headers, text } = await post(url, initialize(revision))
    expect(status).toBe(200)
    expect(headers.get('mcp-session-id')).toMatch(/^mcp_/)
    expect(text).toContain(`"protocolVersion":"${revision}"`)
  })
})

describe('conversations', () => {
  test.each(Object.keys(eras) as Era[])('of other callers do not exist (%s)', async (era) => {
    const { url, serving } = await startConcierge()
    const [one, other] = await Promise.all([newToken(serving.url), newToken(serving.url)])
    const mine = await connect(url, era, { token: one })
    const { conversationId } = answerOf(await say(mine, 'hello'))
    const theirs = await connect(url, era, { token: other })
    const guest = await connect(url, era)
    for (const client of [theirs, guest]) {
      expect(await say(client, 'hello', conversationId)).toMatchObject({
        isError: true,
        content: [{ text: expect.stringMatching(/no such conversation, or it is not yours/) as string }],
      })
      const uri = `beach://concierge/conversations/${conversationId}`
      await expect(client.readResource({ uri })).rejects.toThrow(/not found/i)
      expect((await client.listResources()).resources.map(({ name }) => name)).not.toContain(conversationId)
    }
    expect(textsOf(await say(mine, 'again', conversationId))[0]?.text).toBe('You said again')
    expect((await mine.listResources()).resources.map(({ name }) => name)).toContain(conversationId)
  })

  test('of a guest are known by their ids alone, which say nothing of whose they are', async () => {
    const { url } = await startConcierge()
    const one = await connect(url, 'modern')
    const { conversationId, meta } = answerOf(await say(one, 'hello'))
    expect(conversationId).toMatch(/^conv_[0-9a-z]{26}$/)
    const other = await connect(url, 'modern')
    expect(textsOf(await say(other, 'again', conversationId))[0]?.text).toBe('You said again')
    for (const wrong of [meta.sessionId, 'conv_00000000000000000000000000', '', '../x', '__proto__']) {
      expect(await say(other, 'again', wrong)).toMatchObject({ isError: true })
    }
  })
})

describe('another site', () => {
  test.each([
    ['https://evil.example', 403],
    ['null', 403],
    ['http://localhost:6274', 200],
    ['https://inspector.example', 200],
  ])('with the origin %s gets %i', async (origin, status) => {
    const { url } = await startConcierge({ protocols: { mcp: { origins: ['https://inspector.example'] } } })
    expect((await post(url, initialize('2025-11-25'), { origin })).status).toBe(status)
  })

  test('that points its name here gets 421', async () => {
    const { beach } = await startConcierge()
    const request = new Request('http://evil.example/mcp', { method: 'POST', body: '{}' })
    expect((await beach.fetch(request)).status).toBe(421)
  })

  test('cannot use the cookie of the page', async () => {
    const { url, serving } = await startConcierge({
      page: () => new Response('<p>', { headers: { 'content-type': 'text/html' } }),
    })
    const cookie = (await fetch(serving.url)).headers.get('set-cookie')?.split(';')[0] ?? ''
    expect(cookie).toMatch(/^beach_/)
    const { headers } = await post(url, initialize('2025-11-25'), { cookie })
    const session = headers.get('mcp-session-id') ?? ''
    // The session is a guest's: with a credential it is not found, without one it is.
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' }
    const token = await newToken(serving.url)
    expect((await post(url, list, { 'mcp-session-id': session })).status).toBe(200)
    expect((await post(url, list, { 'mcp-session-id': session, authorization: `Bearer ${token}` })).status).toBe(404)
  })
})

describe('an agent that wants tokens', () => {
  const resource = 'https://agent.example/mcp'
  const auth = {
    resource,
    authorizationServers: ['https://login.example'],
    tokenEndpoint: 'https://login.example/token',
    requiredScopes: ['chat'],
  }
  const known: Record<string, Principal> = {
    good: { kind: 'peer', id: 'p', tenant: 'default', scopes: ['chat'] },
    weak: { kind: 'peer', id: 'w', tenant: 'default', scopes: [] },
  }
  const byToken: Authenticator = async (request) => {
    const token = request.headers.get('authorization')?.replace('Bearer ', '')
    if (token === undefined) return undefined
    const principal = known[token]
    if (principal === undefined) throw new BeachError('UNAUTHENTICATED', "This bearer token has the wrong 'aud'.")
    return { principal, credential: { type: 'oauth2' } }
  }

  test.each([
    ['none', {}, 401],
    ['one for another audience', { authorization: 'Bearer other' }, 401],
    ['one without the scope', { authorization: 'Bearer weak' }, 403],
    ['a good one', { authorization: 'Bearer good' }, 200],
  ] as const)('with %s', async (_, headers, status) => {
    const { url } = await startConcierge({ protocols: { mcp: { auth } }, access: { authenticators: [byToken] } })
    const answer = await post(url, initialize('2025-11-25'), headers)
    expect(answer.status).toBe(status)
    const metadata = 'resource_metadata="https://agent.example/.well-known/oauth-protected-resource/mcp"'
    const challenge = answer.headers.get('www-authenticate')
    if (status === 200) expect(challenge).toBeNull()
    else
      expect(challenge).toBe(`Bearer ${status === 403 ? 'error="insufficient_scope", ' : ''}scope="chat", ${metadata}`)
  })

  test.each(['/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-protected-resource'])(
    'says at %s where to get them',
    async (path) => {
      const { serving } = await startConcierge({ protocols: { mcp: { auth } }, access: { authenticators: [byToken] } })
      const response = await fetch(serving.url + path)
      expect(await response.json()).toEqual({
        resource,
        authorization_servers: ['https://login.example'],
        bearer_methods_supported: ['header'],
        scopes_supported: ['chat'],
      })
    },
  )

  test('has no such place when it wants none', async () => {
    const { serving } = await startConcierge()
    expect((await fetch(`${serving.url}/.well-known/oauth-protected-resource`)).status).toBe(404)
  })
})

describe('a body', () => {
  test.each([
    ['that is too large', `{"x":"${'x'.repeat(300_000)}"}`, 413, -32_000],
    ['that is no JSON', '{', 400, -32_700],
    ['that is empty', '', 400, -32_700],
    ['that reaches for a prototype', '{"__proto__":{}}', 400, -32_600],
    ['that is too deep', `${'['.repeat(50)}${']'.repeat(50)}`, 400, -32_000],
  ])('%s is refused', async (_, body, status, code) => {
    const { url } = await startConcierge()
    const answer = await post(url, body)
    expect(answer.status).toBe(status)
    expect(JSON.parse(answer.text)).toMatchObject({ jsonrpc: '2.0', id: null, error: { code } })
  })

  test('of another type is refused', async () => {
    const { url } = await startConcierge()
    expect((await post(url, '{}', { 'content-type': 'text/plain' })).status).toBe(415)
  })
})

test('an agent that is not served by MCP has nothing there', async () => {
  const { url, beach } = await startConcierge({ protocols: { mcp: false } })
  expect((await post(url, initialize('2025-11-25'))).status).toBe(404)
  expect(() => beach.mcpStdio()).toThrow(/not served by MCP/)
})

test('a request that has come through this agent before is refused', async () => {
  const { url } = await startConcierge()
  const client = await connect(url, 'modern')
  const ask = (hops: string[]) =>
    client.callTool({
      name: 'ask_the_concierge',
      arguments: { message: 'hello' },
      _meta: { 'cool-ai.beach/hops': hops },
    })
  expect(await ask(['baxter', 'concierge'])).toMatchObject({ isError: true })
  expect((await ask(['baxter'])).isError).toBeUndefined()
})
