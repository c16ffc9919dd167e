import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type * as Client from '@cool-ai/beach-client'
import { beforeAll, expect, test, type TestContext } from 'vitest'
import { booker, serveAgent } from '../client/agent.ts'
import { bundle } from '../client/bundle.ts'
import { newBrowser } from '../support/browser.ts'

declare const client: typeof Client

let code = ''
beforeAll(async () => {
  const all = await bundle(`import * as client from '@cool-ai/beach-client'\nObject.assign(globalThis, { client })`)
  code = all.code
})

/** A page with the client on an origin of its own: another host name, and another port. */
async function pageAt(context: TestContext): Promise<string> {
  const server = createServer(({ url }, response) => {
    if (url === '/client.js') return response.setHeader('content-type', 'text/javascript').end(code)
    return response
      .setHeader('content-type', 'text/html')
      .end('<!doctype html><title>Shop</title><script type="module" src="/client.js"></script>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  context.onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://localhost:${(server.address() as AddressInfo).port}`
}

async function opened(context: TestContext, origin: string) {
  const browser = await newBrowser(context)
  const page = await browser.newPage()
  page.setDefaultTimeout(30_000)
  await page.goto(origin)
  await page.waitForFunction(() => 'client' in globalThis)
  return page
}

test.for(['websocket', 'sse'] as const)(
  'a page on a listed origin converses, approves and stops by %s, with nothing but `origins`',
  async (via, context) => {
    const origin = await pageAt(context)
    const { url } = await serveAgent(context, { actors: { booker }, access: { origins: [origin] } })
    const page = await opened(context, origin)
    const said = await page.evaluate(
      async (agent) => {
        const opening = await client.openSession({ url: agent.url })
        const conversation = client.connect({ ...opening, ...agent })
        const until = (holds: (now: Client.Snapshot) => boolean) =>
          new Promise<void>((resolve) => {
            const look = () => holds(conversation.snapshot) && resolve()
            conversation.on('change', look)
            look()
          })
        await until(({ connection }) => connection.state === 'open')
        const { via: by } = conversation.connection
        await conversation.send('book it')
        await until(({ parts }) => parts.some(({ partType }) => partType === 'approval-request'))
        const asked = conversation.snapshot.parts.find(({ partType }) => partType === 'approval-request')
        const decided = await conversation.approve((asked && client.askedApproval(asked)?.request.approvalId) ?? '')
        await until(({ turns }) => turns.some(({ settled }) => settled))
        const text = conversation.snapshot.parts.findLast(({ role }) => role === 'agent')?.text
        return { by, decided, text, cancelled: await conversation.cancel() }
      },
      { url, via },
    )
    expect(said).toEqual({ by: via, decided: 'decided', text: 'booked', cancelled: false })
  },
)

test('a page on a listed origin reaches the API document, MCP and AG-UI, and reads errors', async (context) => {
  const origin = await pageAt(context)
  const { url } = await serveAgent(context, {
    agent: { id: 'tester', name: 'Tester', description: 'Tests.', capabilities: [] },
    actors: { booker },
    access: { origins: [origin] },
  })
  const page = await opened(context, origin)
  const statuses = await page.evaluate(async (agent) => {
    const post = (path: string, body: unknown) =>
      fetch(`${agent}${path}`, {
        method: 'POST',
        credentials: 'include',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify(body),
      })
    const initialize = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'page', version: '1' } },
    }
    const answers = [
      await fetch(`${agent}/openapi.json`),
      await post('/mcp', initialize),
      await post('/agui', {}),
      await fetch(`${agent}/agui/capabilities`),
      await fetch(`${agent}/sessions/none`),
    ]
    return answers.map(({ status }) => status)
  }, url)
  expect(statuses).toEqual([200, 200, 400, 200, 401])
})

test('a page that is not listed reaches nothing, and its developer is told what to do', async (context) => {
  const origin = await pageAt(context)
  const { url } = await serveAgent(context, { actors: { booker }, access: { origins: ['https://shop.example'] } })
  const page = await opened(context, origin)
  const refused = await page.evaluate(async (agent) => {
    const conversation = client.connect({ sessionId: 'x', token: 'y', url: agent })
    const message = await new Promise<string | undefined>((resolve) => {
      conversation.on('connection', ({ error }) => error && resolve(error.message))
    })
    conversation.close()
    const socket = new WebSocket(`${agent.replace('http', 'ws')}/sessions/x/ws`)
    const connected = new Promise((resolve) => {
      socket.addEventListener('open', () => resolve('open'))
      socket.addEventListener('error', () => resolve('refused'))
    })
    return { message, socket: await connected }
  }, url)
  expect(refused.socket).toBe('refused')
  expect(refused.message).toContain(`Is ${origin} in its \`access.origins\`?`)
})
