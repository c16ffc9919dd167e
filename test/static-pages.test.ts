import { request, type IncomingMessage } from 'node:http'
import { createBeach, defineActor, serve, type Serving } from '@cool-ai/beach'
import { silentLogger, systemRuntime } from '@cool-ai/beach-core'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { staticFiles } from '@cool-ai/beach-web/static'
import { afterAll, beforeAll, expect, test } from 'vitest'

const runtime = systemRuntime({ logger: silentLogger })
const html = `<!doctype html><title>Agent</title>${'<p>Words</p>'.repeat(200)}`
let serving: Serving

beforeAll(async () => {
  const files = staticFiles()
  const beach = await createBeach({
    agent: { id: 'tester', name: 'Tester' },
    actors: {
      echo: defineActor(async ({ respond }) =>
        respond({ parts: [{ partType: 'response', text: 'Hello' }], turnState: 'complete' }),
      ),
    },
    data: { store: new MemoryStore({ runtime }), secret: new Uint8Array(32).fill(7) },
    page: (path, asked) => (path === '/' ? files(asked, '/index.html', html) : undefined),
    runtime,
  })
  serving = await serve(beach, { port: 0 })
})
afterAll(() => serving.close())

/** What a browser gets, before it decodes anything. */
async function raw(path: string, headers: Record<string, string> = {}) {
  const asked = request(serving.url + path, { headers: { 'accept-encoding': 'gzip, deflate, br', ...headers } }).end()
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  asked.once('response', resolve).once('error', reject)
  const response = await promise
  return { response, end: () => asked.destroy() }
}

test('a page is served compressed, and once a browser has it only its cookie is', async () => {
  const { response: first } = await raw('/')
  const bytes = (await first.toArray()) as Buffer[]
  expect(first.headers).toMatchObject({ 'content-encoding': 'br', 'cache-control': 'private, no-cache' })
  expect(Buffer.concat(bytes).length).toBeLessThan(html.length / 5)
  const { response: again } = await raw('/', { 'if-none-match': first.headers.etag ?? '' })
  expect([again.statusCode, await again.toArray()]).toEqual([304, []])
  // The browser may have lost its cookie and kept the page.
  expect(again.headers['set-cookie']?.[0]).toMatch(/^beach_tester=/)
})

test('answers that hold secrets, and live streams, are not compressed', async () => {
  const opened = await fetch(`${serving.url}/sessions`, { method: 'POST', headers: { 'accept-encoding': 'br' } })
  expect(opened.headers.get('content-encoding')).toBeNull()
  const { sessionId, token } = (await opened.json()) as { sessionId: string; token: string }
  const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' }
  const { response, end } = await raw(`/sessions/${sessionId}/events`, headers)
  expect(response.headers['content-type']).toMatch(/^text\/event-stream/)
  expect(response.headers['content-encoding']).toBeUndefined()
  end()
})
