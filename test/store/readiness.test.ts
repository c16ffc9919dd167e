import { mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBeach, defineActor, openData, type Beach, type BeachData } from '@cool-ai/beach'
import { BeachError, silentLogger, simulatedRuntime, systemRuntime, type Runtime } from '@cool-ai/beach-core'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, onTestFinished, test } from 'vitest'

const agent = { id: 'tester', name: 'Tester' }
const card = {
  schemaVersion: '1.0',
  ...agent,
  description: 'Repeats.',
  version: '1.0.0',
  capabilities: [],
} as const
const actors = { main: defineActor(async ({ respond }) => respond({ parts: [], turnState: 'complete' })) }

async function get(beach: Beach, path: string, method = 'GET') {
  const response = await beach.fetch(new Request(`http://localhost${path}`, { method }))
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  }
}

describe('the stores of a data folder', () => {
  async function start(): Promise<{ folder: string; beach: Beach; data: BeachData }> {
    const folder = join(mkdtempSync(join(tmpdir(), 'beach-ready-')), 'data')
    const runtime = systemRuntime({ logger: silentLogger })
    const data = await openData({ folder, runtime })
    const beach = await createBeach({ agent: card, actors, runtime, publicUrl: 'http://localhost', data })
    onTestFinished(async () => {
      await beach.close()
      rmSync(join(folder, '..'), { recursive: true, force: true })
    })
    return { folder, beach, data }
  }

  test('are written by GET /readyz, which leaves nothing behind', async () => {
    const { beach, data } = await start()
    expect(await get(beach, '/readyz')).toMatchObject({ status: 200, body: { status: 'ready', agent: 'tester' } })
    expect((await data.store.list('')).filter(({ key }) => !key.startsWith('audit-chain:'))).toEqual([])
    expect(await get(beach, '/readyz', 'POST')).toMatchObject({
      status: 405,
      body: { error: { code: 'METHOD_NOT_ALLOWED' } },
    })
  })

  test.for([
    ['store', 'beach.db', 'STORE_LOST'],
    ['missives', 'missives.db', 'STORE_LOST'],
    ['identities', 'identities.db', 'STORE_LOST'],
    ['artifacts', 'artifacts', 'STORE_UNAVAILABLE'],
  ] as const)('make the agent unready, not dead, when one of them is gone: %s', async ([part, name, code]) => {
    const { beach, folder } = await start()
    renameSync(join(folder, name), join(folder, 'elsewhere'))
    const { status, headers, body } = await get(beach, '/readyz')
    expect({ status, body }).toMatchObject({
      status: 503,
      body: { status: 'unavailable', error: { code }, failing: [{ part, code }] },
    })
    expect(headers.get('retry-after')).toBe('5')
    expect(JSON.stringify(body)).not.toContain(folder)
    expect(await get(beach, '/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } })
  })

  test('answer every way in with 503 in the form of its protocol when they are lost', async () => {
    const { beach, folder } = await start()
    const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
      const init = {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      }
      const response = await beach.fetch(
        new Request(`http://localhost${path}`, { ...init, body: JSON.stringify(body) }),
      )
      return { status: response.status, text: await response.text() }
    }
    const opened = JSON.parse((await post('/sessions', {})).text) as { sessionId: string; token: string }
    const auth = { authorization: `Bearer ${opened.token}` }
    const mcp = new Client({ name: 'tester', version: '1.0.0' })
    const through = (url: URL | string, init?: RequestInit) => beach.fetch(new Request(url, init))
    const options = { fetch: through, requestInit: { headers: auth } }
    await mcp.connect(new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), options))
    onTestFinished(() => mcp.close())
    const [tool] = (await mcp.listTools()).tools
    renameSync(folder, `${folder}-moved`)
    const inOurForm = { status: 503, text: expect.stringContaining('"code":"STORE_LOST"') as string }
    expect(await post('/sessions', {})).toEqual(inOurForm)
    expect(await post(`/sessions/${opened.sessionId}/messages`, { text: 'hi' }, auth)).toEqual(inOurForm)
    expect(await post(`/sessions/${opened.sessionId}/cancel`, {}, auth)).toEqual(inOurForm)
    expect(await post(`/sessions/${opened.sessionId}/approvals/a`, { decision: 'granted' }, auth)).toEqual(inOurForm)
    const messages = [{ id: '1', role: 'user', content: 'hi' }]
    const run = { threadId: crypto.randomUUID(), runId: crypto.randomUUID(), messages, tools: [], context: [] }
    expect(await post('/agui', run, auth)).toEqual(inOurForm)
    const message = { messageId: '1', role: 'ROLE_USER', parts: [{ text: 'hi' }] }
    const rpc = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } }
    const sent = await post('/a2a', rpc, { ...auth, 'a2a-version': '1.0' })
    expect(sent).toMatchObject({
      status: 503,
      text: expect.stringMatching(/"error":\{"code":-32000,"message":"The file/) as string,
    })
    expect(await post('/a2a/rest/message:send', { message }, { ...auth, 'a2a-version': '1.0' })).toEqual({
      status: 503,
      text: expect.stringContaining('"status":"STORE_LOST"') as string,
    })
    expect(await mcp.callTool({ name: tool?.name ?? '', arguments: { message: 'hi' } })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/removed, moved or replaced/) as string }],
    })
    await expect(mcp.listResources()).rejects.toMatchObject({ code: -32_603 })
  })
})

describe('GET /readyz', () => {
  async function checked(runtime: Runtime, check: () => Promise<void>): Promise<Beach> {
    const store = Object.assign(new MemoryStore({ runtime }), { check })
    const beach = await createBeach({ agent, actors, runtime, data: { store, secret: new Uint8Array(32) } })
    onTestFinished(() => beach.close())
    return beach
  }

  test('writes once for all who ask within a second', async () => {
    const runtime = simulatedRuntime()
    let checks = 0
    const beach = await checked(runtime, async () => void checks++)
    const ask = () => Promise.all(Array.from({ length: 100 }, () => get(beach, '/readyz')))
    await ask()
    await runtime.clock.advance(999)
    await ask()
    expect(checks).toBe(1)
    await runtime.clock.advance(1)
    expect((await ask()).every(({ status }) => status === 200)).toBe(true)
    expect(checks).toBe(2)
  })

  test('is 503 while a store fails, with the reason, and 200 again afterwards', async () => {
    const runtime = simulatedRuntime()
    const failures: unknown[] = [new BeachError('STORE_UNAVAILABLE', 'The disk is full.'), new Error('at /home/secret')]
    const beach = await checked(runtime, async () => {
      const failure = failures.shift()
      if (failure !== undefined) throw failure
    })
    const full = { part: 'store', code: 'STORE_UNAVAILABLE', message: 'The disk is full.' }
    expect(await get(beach, '/readyz')).toMatchObject({ status: 503, body: { failing: [full] } })
    await runtime.clock.advance(1_000)
    const unknown = await get(beach, '/readyz')
    expect(unknown).toMatchObject({ status: 503, body: { failing: [{ code: 'STORE_UNAVAILABLE' }] } })
    expect(JSON.stringify(unknown.body)).not.toContain('secret')
    await runtime.clock.advance(1_000)
    expect(await get(beach, '/readyz')).toMatchObject({ status: 200 })
  })

  test('is 503 when a store does not answer within five seconds', async () => {
    const runtime = simulatedRuntime()
    const beach = await checked(runtime, () => new Promise(() => {}))
    const asked = get(beach, '/readyz')
    await runtime.clock.advance(5_000)
    expect(await asked).toMatchObject({ status: 503, body: { error: { code: 'STORE_BUSY' } } })
  })

  test('is 503 once the agent is stopping, and /healthz stays as it is', async () => {
    const beach = await checked(simulatedRuntime(), async () => {})
    expect(await get(beach, '/readyz')).toMatchObject({ status: 200 })
    beach.readiness.stopping()
    expect(await get(beach, '/readyz')).toMatchObject({ status: 503, body: { error: { code: 'STOPPING' } } })
    expect(await get(beach, '/healthz')).toMatchObject({ status: 200 })
  })
})
