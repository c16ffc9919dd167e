import { silentLogger, systemRuntime, type SessionView, type ToolContext } from '@cool-ai/beach-core'
import { mcpTools } from '@cool-ai/beach-mcp/client'

// The client that the suite starts: it lists a server's tools and calls each of them, all at once.
const url = process.argv.at(-1) ?? ''
const { MCP_CONFORMANCE_CONTEXT = '{}' } = process.env
const { toolCalls = [] } = JSON.parse(MCP_CONFORMANCE_CONTEXT) as {
  toolCalls?: { readonly name: string; readonly arguments: Record<string, unknown> }[]
}

const runtime = systemRuntime({ logger: silentLogger })
const server = await mcpTools({
  name: 'suite',
  runtime,
  url,
  fillIn: async ({ requestedSchema }) => ({ action: 'accept', content: example(requestedSchema) }),
})
const context: ToolContext = {
  key: 'key',
  signal: new AbortController().signal,
  session: { sessionId: 'sess', originators: [] } as unknown as SessionView,
  emit: async () => {},
}
await Promise.all(
  server.tools.map(async ({ name, inputSchema, handler }) => {
    const given = toolCalls.find((call) => `suite_${call.name}` === name)
    // A call that fails is for the server to explain: the suite looks at what was sent.
    await Promise.resolve(handler(given?.arguments ?? example(inputSchema), context)).catch(() => {})
  }),
)
await server.close()

/** Values for what a schema requires. */
function example(schema: unknown): Record<string, string | number | boolean> {
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, { type?: string }>
    required?: string[]
  }
  const values: Record<string, string | number | boolean> = { string: 'text', boolean: true, integer: 5, number: 5 }
  return Object.fromEntries(required.map((name) => [name, values[properties[name]?.type ?? 'string'] ?? 'text']))
}
