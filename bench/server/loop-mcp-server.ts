import { createAdaptorServer } from '@hono/node-server'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { control } from './control.ts'
import { providerLoop } from './provider-loop.ts'

const inputSchema = z.object({ message: z.string() })

/** The provider loop behind the SDK's MCP server: one tool, which answers by its text. */
const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'bench', version: '0.0.0' })
  server.registerTool('ask_bench', { description: 'Asks.', inputSchema }, async ({ message }) => {
    let text = ''
    for await (const delta of providerLoop(message)) text += delta
    return { content: [{ type: 'text', text }] }
  })
  return server
})

const server = createAdaptorServer({ fetch: (request) => handler.fetch(request) })
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object' && address !== null) control(`http://127.0.0.1:${address.port}`)
})
