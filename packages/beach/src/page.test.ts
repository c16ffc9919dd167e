import { silentLogger, systemRuntime } from '@cool-ai/beach-core'
import { defineActor } from '@cool-ai/beach-session'
import { expect, onTestFinished, test } from 'vitest'
import type { BeachOptions } from './beach-options.ts'
import { createBeach } from './create-beach.ts'

const echo = defineActor(async ({ respond }) => respond({ parts: [], turnState: 'complete' }))

/** What an agent with these options answers to a GET request. */
async function asked(options: Partial<BeachOptions>, path: string, accept = 'text/html') {
  const beach = await createBeach({
    agent: { id: 'echo', name: 'Echo <1>' },
    data: 'memory',
    actors: { echo },
    runtime: systemRuntime({ logger: silentLogger }),
    ...options,
  })
  onTestFinished(() => beach.close())
  const response = await beach.fetch(new Request(`http://localhost${path}`, { headers: { accept } }))
  return { status: response.status, headers: response.headers, text: await response.text() }
}

test('an agent has the chat page at /, with a strict policy, a cookie and its name as text', async () => {
  const { status, headers, text } = await asked({}, '/')
  expect(status).toBe(200)
  expect(headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
  expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
  expect(headers.get('set-cookie')).toMatch(/^beach_echo=/)
  expect(text).toContain('<title>Echo &lt;1> · Beach</title>')
  const script = /src="\.(\/assets\/[^"]+\.js)"/.exec(text)?.[1] ?? ''
  expect((await asked({}, script)).headers.get('content-type')).toMatch(/^text\/javascript/)
})

test.each(['/index.html', '/page', '/assets/none.js', '/theme.css'])(
  'the chat page has nothing at %s',
  async (path) => {
    expect((await asked({}, path)).status).toBe(404)
  },
)

test('`page: false` means no page, and a function is the only page', async () => {
  expect((await asked({ page: false }, '/')).status).toBe(404)
  const page = (path: string) => (path === '/own' ? new Response('own') : undefined)
  expect((await asked({ page }, '/own')).text).toBe('own')
  expect((await asked({ page }, '/')).status).toBe(404)
})

test('an agent without server-sent events says that its chat page needs them', async () => {
  const options = { protocols: { sse: false } }
  const { status, headers, text } = await asked(options, '/')
  expect(status).toBe(404)
  expect(text).toContain('switched off for this agent (`protocols.sse`)')
  expect(text).toContain('Echo &lt;1&gt;')
  expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  const json = await asked(options, '/', 'application/json')
  expect(JSON.parse(json.text)).toMatchObject({ error: { code: 'NOT_FOUND', message: expect.stringMatching(/sse/) } })
  expect((await asked(options, '/other')).text).not.toContain('sse')
})

test('a page that is neither a function nor settings is refused', async () => {
  for (const page of ['page', true, null]) {
    await expect(asked({ page: page as never }, '/')).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' })
  }
})
