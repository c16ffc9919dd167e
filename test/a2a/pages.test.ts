import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { newBrowser } from '../support/browser.ts'
import { apiKey, startAgent } from './agent.ts'

const evil = 'https://evil.example'
const shop = 'https://shop.example'

function call(text: string, method = 'SendMessage') {
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }] }
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { message } })
}

const json = { 'content-type': 'application/json', 'a2a-version': '1.0' }

test('pages of other origins are refused unless they are listed, also on the same machine', async () => {
  const { url, beach } = await startAgent({ protocols: { a2a: { origins: [shop] } } })
  for (const origin of [evil, 'null', 'http://localhost:3000', `${shop}:8443`]) {
    const post = await fetch(`${url}/a2a`, { method: 'POST', headers: { ...json, origin }, body: call('hi') })
    const got = await fetch(`${url}/a2a/rest/tasks?A2A-Version=1.0`, { headers: { origin } })
    const asked = await fetch(`${url}/a2a`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    })
    const answers = [post, got, asked].map((one) => [one.status, one.headers.get('access-control-allow-origin')])
    expect([origin, ...answers]).toEqual([origin, [403, null], [403, null], [403, null]])
  }
  const { items } = await beach.sessions.list({}, { kind: 'operator', id: 'olga', tenant: 'default' })
  expect(items).toEqual([])
})

test('a listed page may ask, send what A2A needs, and read errors too', async () => {
  const { headers, authenticate } = apiKey('X-Shop-Key')
  const auth = { type: 'api-key', header: 'X-Shop-Key' }
  const { url } = await startAgent({
    protocols: { a2a: { origins: [shop], auth } },
    access: { authenticators: [authenticate] },
  })
  const sent = 'authorization, content-type, a2a-version, a2a-extensions, x-shop-key'
  const asking = {
    origin: shop,
    'access-control-request-method': 'DELETE',
    'access-control-request-headers': sent,
  }
  for (const path of ['/a2a', '/a2a/rest/tasks/x/pushNotificationConfigs/y']) {
    const asked = await fetch(`${url}${path}`, { method: 'OPTIONS', headers: asking })
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, shop])
    expect(asked.headers.get('vary')).toContain('origin')
    expect(asked.headers.get('access-control-allow-methods')).toContain('DELETE')
    expect(asked.headers.get('access-control-allow-headers')).toBe(sent)
  }
  const page = { ...json, origin: shop }
  const unknown = await fetch(`${url}/a2a`, { method: 'POST', headers: page, body: call('hi') })
  expect([unknown.status, unknown.headers.get('access-control-allow-origin')]).toEqual([401, shop])
  expect(unknown.headers.get('access-control-expose-headers')).toContain('www-authenticate')
  const known = await fetch(`${url}/a2a`, { method: 'POST', headers: { ...page, ...headers }, body: call('hi') })
  expect(known.status).toBe(200)
})

test('a cookie never counts across origins', async () => {
  const { url } = await startAgent({ protocols: { a2a: { origins: [shop] } } })
  const headers = { ...json, origin: shop, cookie: 'beach_tester=x' }
  expect((await fetch(`${url}/a2a`, { method: 'POST', headers, body: call('hi') })).status).toBe(403)
})

test.each(['*', 'https://shop.example/'])('%s is no origin, and refused at the start', async (origin) => {
  await expect(startAgent({ protocols: { a2a: { origins: [origin] } } })).rejects.toThrow(`a2a.origins has '${origin}'`)
})

/** An empty page on an origin of its own. */
async function pageServer(): Promise<string> {
  const server = createServer((_, response) =>
    response.setHeader('content-type', 'text/html').end('<title>Shop</title>'),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a page in Chromium calls an agent of another origin by JSON-RPC, by HTTP+JSON and as a stream', async (context) => {
  const origin = await pageServer()
  const { url } = await startAgent({ protocols: { a2a: { origins: [origin] } } })
  const browser = await newBrowser(context)
  const page = await browser.newPage()
  await page.goto(origin)
  const uri = 'https://beach.cool-ai.io/extensions/v1'
  const answer = await page.evaluate(
    async ([agent, rpc, stream, message, extension]) => {
      const headers = { 'content-type': 'application/json', 'a2a-version': '1.0', 'a2a-extensions': extension ?? '' }
      const post = (path: string, body?: string) =>
        fetch(`${agent}${path}`, { method: 'POST', headers, body: body ?? null })
      const spoken = await post('/a2a', rpc)
      const { result } = (await spoken.json()) as { result: { task: { id: string; artifacts: unknown } } }
      const sent = (await (await post('/a2a/rest/message:send', message)).json()) as { task: { status: unknown } }
      const events = await (await post('/a2a', stream)).text()
      const got = await fetch(`${agent}/a2a/rest/tasks/${result.task.id}`, { headers })
      return {
        activated: spoken.headers.get('a2a-extensions'),
        artifacts: JSON.stringify(result.task.artifacts),
        sent: JSON.stringify(sent.task.status),
        events,
        got: got.status,
      }
    },
    [url, call('over there'), call('in pieces', 'SendStreamingMessage'), rest('by path'), uri],
  )
  expect(answer).toMatchObject({ activated: uri, got: 200 })
  expect(answer.artifacts).toContain('You said over there')
  expect(answer.sent).toContain('TASK_STATE_COMPLETED')
  expect(answer.events).toContain('TASK_STATE_COMPLETED')
})

test('a page in Chromium that is not listed cannot call', async (context) => {
  const origin = await pageServer()
  const { url, beach } = await startAgent()
  const browser = await newBrowser(context)
  const page = await browser.newPage()
  await page.goto(origin)
  const failed = await page.evaluate(
    async ([agent, body]) => {
      const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' }
      const said = (error: unknown) => String(error)
      const asked = await fetch(`${agent}/a2a`, { method: 'POST', headers, body: body ?? null }).then(
        () => 'read',
        said,
      )
      // Without a header of its own the browser does not ask first.
      const simple = await fetch(`${agent}/a2a`, { method: 'POST', body: body ?? null }).then(() => 'read', said)
      return [asked, simple]
    },
    [url, call('hi')],
  )
  expect(failed).toEqual(['TypeError: Failed to fetch', 'TypeError: Failed to fetch'])
  const { items } = await beach.sessions.list({}, { kind: 'operator', id: 'olga', tenant: 'default' })
  expect(items).toEqual([])
})

function rest(text: string): string {
  return JSON.stringify({ message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }] } })
}
