import { expect, test } from 'vitest'
import { connect, eras, startConcierge, type Era } from '../mcp/support.ts'
import { tableFlows } from './shop-flows.ts'

test.each(Object.keys(eras) as Era[])(
  'a stock MCP client (%s) opens a flow and confirms what must be confirmed',
  async (era) => {
    const made = tableFlows({ publicUrl: 'https://tables.example' })
    const { url, beach } = await startConcierge(made.beach)
    const token = await tokenOf(new URL('/sessions', url))
    const client = await connect(url, era, { token })
    const call = async (name: string, args: Record<string, unknown>) => {
      const { structuredContent } = await client.callTool({ name, arguments: args })
      return structuredContent as Record<string, unknown>
    }
    const names = (await client.listTools()).tools.map(({ name }) => name)
    expect(names).toEqual(
      expect.arrayContaining(['table__book', 'flow_get', 'flow_event', 'flow_confirm', 'flow_dismiss']),
    )
    const opened = await call('table__book', { guests: 2 })
    expect(opened).toMatchObject({ status: 'open', text: 'A table for 2, <asking>' })
    const { instanceId } = opened
    const asked = await call('flow_event', { instanceId, event: 'CONFIRM', payload: { name: 'Alex' } })
    expect(asked).toMatchObject({ status: 'confirmation_required' })
    expect(made.booked).toEqual([])
    const { confirmation } = asked
    const stranger = await connect(url, era, { token: await tokenOf(new URL('/sessions', url)) })
    const { structuredContent: stolen } = await stranger.callTool({
      name: 'flow_confirm',
      arguments: { instanceId, confirmation },
    })
    expect(stolen).toMatchObject({ status: 'failed', error: { code: 'INSTANCE_NOT_FOUND' } })
    expect(await call('flow_confirm', { instanceId, confirmation })).toMatchObject({ status: 'done', state: 'booked' })
    expect(await call('flow_confirm', { instanceId, confirmation })).toMatchObject({ status: 'failed' })
    expect(made.booked).toHaveLength(1)
    expect(beach.agent.id).toBe('concierge')
  },
)

/** Somebody new, who is known by a token. */
async function tokenOf(url: URL): Promise<string> {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
  return ((await response.json()) as { token: string }).token
}
