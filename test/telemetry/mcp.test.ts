import { fileURLToPath } from 'node:url'
import { createBeach } from '@cool-ai/beach'
import { apiKeyAuth, hashApiKey, newApiKey } from '@cool-ai/beach-channel/auth'
import { llmActor, scriptedModel } from '@cool-ai/beach-llm'
import { mcpTools } from '@cool-ai/beach-mcp/client'
import { expect, onTestFinished, test } from 'vitest'
import { connect, startConcierge } from '../mcp/support.ts'
import { until } from '../support/phone-context.ts'
import { recorded } from './recorded.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`

test('a tool of an MCP server is told the trace of the message, also without headers and without an SDK', async () => {
  const { runtime, lines } = recorded()
  const upstream = fileURLToPath(new URL('../mcp/upstream-stdio.ts', import.meta.url))
  const server = { command: process.execPath, args: ['--conditions=@cool-ai/source', upstream] }
  const upstreamTools = await mcpTools({ name: 'up', runtime, ...server })
  onTestFinished(() => upstreamTools.close())
  const { tools } = upstreamTools
  const reported: string[] = []
  const rules = [
    {
      when: ({ results }: { results: ReadonlyMap<string, string> }) => results.has('up_meta'),
      say: ({ results }: { results: ReadonlyMap<string, string> }) => {
        reported.push(results.get('up_meta') ?? '')
        return { respond: { turnState: 'complete', parts: [{ metadata: { partType: 'response' }, text: 'Done.' }] } }
      },
    },
    { say: () => ({ tools: [{ name: 'up_meta', args: {} }] }) },
  ]
  const clerk = llmActor({ name: 'clerk', prompt: '', model: scriptedModel({ rules }), tools })
  const key = newApiKey()
  const keys = [{ hash: hashApiKey(key), id: 'anna', tenant: 'default', kind: 'user' as const }]
  const authenticators = [apiKeyAuth({ header: 'x-api-key', keys })]
  const agent = { id: 'clerk', name: 'Clerk' }
  const beach = await createBeach({ agent, data: 'memory', actors: { clerk }, runtime, access: { authenticators } })
  onTestFinished(() => beach.close())
  const send = async (path: string, body: unknown) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json', traceparent }
    const request = new Request(`http://127.0.0.1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    return (await (await beach.fetch(request)).json()) as { sessionId: string }
  }
  const { sessionId } = await send('/sessions', {})
  await send(`/sessions/${sessionId}/messages`, { text: 'hello' })
  await until(() => lines('turn').length === 1)
  expect(reported).toEqual([expect.stringContaining(`"traceparent":"${traceparent}"`)])
  expect(lines('turn')[0]?.trace).toBe(traceId)
  expect(lines('request').at(-1)).toMatchObject({ session: sessionId, trace: traceId })
})

test.each(['legacy', 'modern'] as const)('a client of MCP names its trace in the call (%s)', async (era) => {
  const { runtime, lines } = recorded()
  const { url } = await startConcierge({ runtime, telemetry: { guestTraces: true } })
  const client = await connect(url, era)
  const call = { name: 'ask_the_concierge', arguments: { message: 'hello' } }
  await client.callTool({ ...call, _meta: { traceparent } })
  await client.callTool({ ...call, _meta: { traceparent: 'none' } })
  await until(() => lines('turn').length === 2)
  expect(lines('turn').map(({ trace }) => trace === traceId)).toEqual([true, false])
})
