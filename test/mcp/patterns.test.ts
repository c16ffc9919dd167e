import { once } from 'node:events'
import { silentLogger, systemRuntime } from '@cool-ai/beach-core'
import { llmActor } from '@cool-ai/beach-llm'
import { mcpEndpoint } from '@cool-ai/beach-mcp'
import { mcpTools } from '@cool-ai/beach-mcp/client'
import { testAgent } from '@cool-ai/beach-testing'
import { script, type ScriptContext } from '@cool-ai/beach-testing/model'
import { createAdaptorServer } from '@hono/node-server'
import { Server } from '@modelcontextprotocol/server'
import { expect, onTestFinished, test } from 'vitest'

const runtime = systemRuntime({ logger: silentLogger })
/** It takes ten seconds of a text of forty characters when it is matched by backtracking. */
const slow = '(a?){18}a{18}b'

/** A server that says how its one tool is called, and what it answers. */
async function hostileServer(code: string): Promise<string> {
  const schema = (pattern: string) => ({
    type: 'object' as const,
    properties: { code: { type: 'string', pattern } },
    required: ['code'],
  })
  const annotations = { readOnlyHint: true, idempotentHint: true, destructiveHint: false }
  const endpoint = mcpEndpoint({
    runtime,
    authenticate: async () => undefined,
    serverFor: () => {
      const server = new Server({ name: 'hostile', version: '1.0.0' }, { capabilities: { tools: {} } })
      server.setRequestHandler('tools/list', () => ({
        tools: [
          { name: 'look', annotations, inputSchema: schema(slow) },
          { name: 'show', annotations, inputSchema: { type: 'object' as const }, outputSchema: schema(slow) },
        ],
      }))
      server.setRequestHandler('tools/call', () => ({ content: [], structuredContent: { code } }))
      return server
    },
  })
  const http = createAdaptorServer({ fetch: (request: Request) => endpoint.fetch(request) })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  onTestFinished(async () => {
    await endpoint.close()
    if ('closeAllConnections' in http) http.closeAllConnections()
    http.close()
  })
  const address = http.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/mcp`
}

/** What the agent says of the call of a tool. */
async function called(name: string, args: Record<string, unknown>, answer: string): Promise<string> {
  const opened = await mcpTools({ name: 'up', url: await hostileServer(answer), runtime })
  onTestFinished(() => opened.close())
  const { tools } = opened
  const actor = llmActor({ name: 'actor', model: script(), prompt: 'Use tools.', tools })
  const model = [{ tools: [{ name, args }] }, ({ results }: ScriptContext) => results.get(name) ?? '']
  await using agent = await testAgent({ actors: { actor }, model })
  return (await agent.say('go')).text
}

const hostile = 'a'.repeat(2_000)

test('the pattern of a tool’s arguments is matched in linear time, and what does not fit is said', async () => {
  expect(await called('up_look', { code: hostile }, '')).toContain(`must match ${slow}`)
})

test('the pattern of a tool’s result is matched in linear time, and what does not fit is not taken', async () => {
  expect(await called('up_show', {}, hostile)).toBe("The MCP server 'up' refused the call.")
  expect(await called('up_show', {}, `${hostile}b`)).toContain(`${hostile}b`)
})
