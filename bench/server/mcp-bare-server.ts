import { createAdaptorServer } from '@hono/node-server'
import { createMcpHandler, McpServer, type CallToolResult } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { control } from './control.ts'

// What the agent answered once; everything is made beforehand that can be.
const result = JSON.parse(process.argv[2] ?? '{}') as CallToolResult
const inputSchema = z.object({ message: z.string(), conversationId: z.string().optional() })
const outputSchema = z.looseObject({
  conversationId: z.string(),
  role: z.literal('agent'),
  parts: z.array(z.looseObject({ text: z.string().optional(), metadata: z.looseObject({ partType: z.string() }) })),
  meta: z.looseObject({ sessionId: z.string(), turnId: z.string(), producedAt: z.string() }),
})

/** The least that an MCP server can do with the SDK: one tool that returns the same. */
const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'bench', version: '0.0.0' })
  server.registerTool('ask_bench', { description: 'Asks.', inputSchema, outputSchema }, async () => result)
  return server
})

const server = createAdaptorServer({ fetch: (request) => handler.fetch(request) })
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object' && address !== null) control(`http://127.0.0.1:${address.port}/mcp`)
})
