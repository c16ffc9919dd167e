import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createAdaptorServer } from '@hono/node-server'
import { createBeach, defineActor } from '@cool-ai/beach'
import { freePort } from '@cool-ai/beach-testing/free-port'
import { createMcpHandler, legacyStatelessFallback, McpServer } from '@modelcontextprotocol/server'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { runBeach } from '../support/beach-command.ts'

const cwd = fileURLToPath(new URL('../..', import.meta.url))
const call = (args: readonly string[], input?: string) => runBeach(['call', ...args], { cwd, ...(input && { input }) })

const clerk = defineActor(async ({ text, respond, tool }) => {
  if (!text.startsWith('pay')) {
    await respond({ parts: [{ partType: 'response', text: `You said: ${text}` }], turnState: 'complete' })
    return
  }
  const { outcome } = await tool({ name: 'pay', args: { invoice: 'A1' }, requiresApproval: true }, async () => 'paid')
  await respond({ parts: [{ partType: 'response', text: `Outcome: ${outcome}` }], turnState: 'complete' })
})

describe('beach call, of an agent that speaks MCP only,', () => {
  let url = ''
  let close = async () => {}
  beforeAll(async () => {
    const port = await freePort()
    const transports = [
      {
        protocol: 'mcp',
        version: 'stable',
        endpoint: `http://127.0.0.1:${port}/mcp`,
        transport: 'http',
        tool: 'ask_clerk',
      },
    ] as const
    const beach = await createBeach({
      agent: { id: 'clerk', name: 'Clerk', description: 'Pays invoices.', transports },
      data: 'memory',
      actors: { clerk },
      protocols: { a2a: false },
    })
    url = (await beach.listen({ port, signals: false })).url
    close = () => beach.close()
  })
  afterAll(() => close())

  test('finds the tool in its card, shows the answer, and goes on with the conversation', async () => {
    const said = await call([url, 'hello'])
    expect(said).toMatchObject({ code: 0, out: 'You said: hello\n' })
    const [, context = ''] = /--context (\S+)/.exec(said.err) ?? []
    const again = await call([url, 'again', '--context', context, '--json'])
    expect(JSON.parse(again.out)).toMatchObject({ peer: 'clerk', state: 'complete', contextId: context })
  })

  test.each([
    ['y\n', 'Outcome: ok'],
    ['n too much\n', 'Outcome: denied'],
  ])('has its approval answered in the terminal: %j', async (answer, outcome) => {
    const { code, out, err } = await call([url, 'pay', '--ask'], answer)
    expect(err).toContain('\n  Invoice: A1\n')
    expect([code, out.trim().split('\n').at(-1)]).toEqual([0, outcome])
  })

  test('calls the tool that --tool names at the address of its MCP server', async () => {
    expect(await call([`${url}/mcp`, 'hello', '--tool', 'ask_clerk'])).toMatchObject({
      code: 0,
      out: 'You said: hello\n',
    })
    const { code, err } = await call([`${url}/mcp`, 'hello', '--tool', 'ask_klerk'])
    expect(code).toBe(1)
    expect(err).toContain('ask_klerk')
  })
})

test.each(['2026-07-28', 'the earlier one'])(
  'beach call calls a tool of a stock MCP server, of revision %s',
  async (era) => {
    const server = () => {
      const made = new McpServer({ name: 'stock', version: '1.0.0' })
      made.registerTool('echo', { inputSchema: z.object({ message: z.string() }) }, async ({ message }) => ({
        content: [{ type: 'text', text: `echo: ${message}` }],
      }))
      return made
    }
    const handler = createMcpHandler(server)
    const earlier = legacyStatelessFallback(server)
    const fetch = (request: Request) => (era === '2026-07-28' ? handler.fetch(request) : earlier(request))
    const http = createAdaptorServer({ fetch })
    http.listen(0, '127.0.0.1')
    await once(http, 'listening')
    onTestFinished(async () => {
      await handler.close()
      http.close()
    })
    const address = http.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const { code, out } = await call([`http://127.0.0.1:${port}/mcp`, 'hello', '--tool', 'echo'])
    expect([code, out]).toEqual([0, 'echo: hello\n'])
  },
)
