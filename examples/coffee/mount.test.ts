import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineActor } from '@cool-ai/beach'
import { startAgent, type AgentStart, type Running } from '@cool-ai/example-kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { coffeeAgent } from './coffee-agent.ts'

const greeter: AgentStart = {
  agent: { id: 'greeter', name: 'Greeter' },
  make: () => ({
    actors: {
      greeter: defineActor(({ respond }) =>
        respond({ parts: [{ partType: 'response', text: 'Hello.' }], turnState: 'complete' }),
      ),
    },
  }),
  mounted: { '/coffee': coffeeAgent },
}

let running: Running | undefined
let folder = ''

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'beach-test-'))
  running = await startAgent(greeter, { port: 0, folder, store: 'memory' })
})

afterAll(async () => {
  await running?.close()
  rmSync(folder, { recursive: true, force: true })
})

async function call(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(new URL(path, running?.url), { redirect: 'manual', ...init })
}

async function post(path: string, body: unknown, token?: string): Promise<Record<string, string>> {
  const headers = {
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  }
  const response = await call(path, { method: 'POST', headers, body: JSON.stringify(body) })
  expect(response.ok, path).toBe(true)
  return (await response.json()) as Record<string, string>
}

test('two agents share a port: one has a path, the other the rest', async () => {
  expect(await (await call('/healthz')).json()).toMatchObject({ agent: 'greeter' })
  expect(await (await call('/coffee/healthz')).json()).toMatchObject({ agent: 'example-coffee' })
  const moved = await call('/coffee?a=1')
  expect([moved.status, moved.headers.get('location')]).toEqual([308, '/coffee/?a=1'])
  expect(await (await call('/coffee/')).text()).toContain('Example Coffee')
  expect((await call('/coffeehouse')).status).toBe(404)
})

test('neither knows the sessions of the other', async () => {
  const { sessionId = '', token = '' } = await post('/coffee/sessions', {})
  const headers = { authorization: `Bearer ${token}` }
  expect((await call(`/coffee/sessions/${sessionId}`, { headers })).status).toBe(200)
  expect((await call(`/sessions/${sessionId}`, { headers })).status).toBe(401)
})

test('a flow that came as words is finished by its link, below the path', async () => {
  const { sessionId = '', token = '' } = await post('/coffee/sessions', {})
  await post(`/coffee/sessions/${sessionId}/messages`, { text: 'order a latte' }, token)
  const link = await linkIn(sessionId, token)
  expect(link).toContain('/coffee/intentflow/open/')
  const html = await (await call(link)).text()
  expect(html).toContain('1 × Latte')
  const fields = new URLSearchParams({ event: 'CANCEL', seq: '0' })
  const sent = await call(link, { method: 'POST', body: fields })
  expect(sent.status).toBe(303)
  const after = await call(new URL(sent.headers.get('location') ?? '', link).href)
  expect([after.status, await after.text()]).toEqual([200, expect.stringContaining('Place an order')])
})

/** The link in the words that a mail would have of the first answer. */
async function linkIn(sessionId: string, token: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}` }
  const events = await call(`/coffee/sessions/${sessionId}/events`, { headers })
  let text = ''
  for await (const chunk of events.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    if (text.includes('event: settled')) break
  }
  const turnId = /"turnId":"([^"]+)"/.exec(text)?.[1] ?? ''
  const previews = await call(`/coffee/sessions/${sessionId}/turns/${turnId}/previews`, { headers })
  const found = /http:\/\/[^\s"\\<]+\/intentflow\/open\/[\w.~-]+/.exec(await previews.text())
  return found?.[0] ?? 'no link'
}
