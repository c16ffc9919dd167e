import { testAgent } from '@cool-ai/beach-testing'
import { describe, expect, test } from 'vitest'
import {
  answerOf,
  approvalIn,
  data,
  newToken,
  runtime,
  send,
  startAgent,
  stateOf,
  stockClient,
  says,
  ways,
} from '../a2a/agent.ts'
import { answerOf as mcpAnswer, connect } from '../mcp/support.ts'
import { actionMessage, decides, type Pressed } from '../support/press.ts'
import { buys, shop } from './shop.ts'

const received = 'You: Pressed “Buy” (flight: "BA 2043", seat: "12A")'

// By REST in 0.3 the stock client sends parts without their metadata.
describe.each(ways.filter((way) => way !== 'HTTP+JSON 0.3'))('by A2A (%s)', (way) => {
  const start = async () => {
    const { url } = await startAgent({ actors: { shop: shop() } })
    return stockClient(url, way, await newToken(url))
  }
  const act = (pressed: Pressed, more: object = {}) =>
    says('', { parts: [data(actionMessage(pressed), 'a2ui-action')], ...more })

  test('an action is a message of its context, and begins a task', async () => {
    const client = await start()
    const { contextId } = await send(client, says('show BA 2043'))
    const done = await send(client, act(buys(), { contextId }))
    expect(stateOf(done)).toBe('COMPLETED')
    expect(answerOf(done)).toEqual([received])
    await expect(send(client, act(buys('ticket', 'BA 1'), { contextId }))).rejects.toThrow(/flight must be as declared/)
    await expect(send(client, act(buys('other'), { contextId }))).rejects.toThrow(/replaced or removed/)
    await expect(send(client, act(buys()))).rejects.toThrow(/replaced or removed/)
  })

  test('what a client of A2UI’s extension sends is an action too', async () => {
    const client = await start()
    const { contextId } = await send(client, says('show BA 2043'))
    const part = (mimeType: string) => ({ ...data([actionMessage(buys())]), metadata: { mimeType } })
    for (const mimeType of ['application/json+a2ui', 'application/a2ui+json']) {
      const done = await send(client, says('', { parts: [part(mimeType)], contextId }))
      expect(answerOf(done)).toEqual([received])
    }
  })

  test('the surface of an approval decides it, for its task', async () => {
    const client = await start()
    const asked = await send(client, says('pay'))
    expect(stateOf(asked)).toBe('INPUT_REQUIRED')
    const pressed = decides(approvalIn(asked), 'granted')
    await expect(send(client, act(pressed, { contextId: asked.contextId }))).rejects.toThrow(/needs the taskId/)
    const message = act(pressed, { taskId: asked.id })
    const done = await send(client, message)
    expect(answerOf(done)).toEqual(['paid'])
    expect(await send(client, message)).toEqual(done)
  })
})

describe.each(['modern', 'legacy'] as const)('by MCP (%s)', (era) => {
  const name = 'ask_shop'

  async function start() {
    const { serve, stop } = await testAgent({ actors: { shop: shop() }, protocols: { mcp: { tool: name } }, runtime })
    return { client: await connect(new URL('/mcp', await serve()), era), close: stop }
  }

  test('a program that shows surfaces passes on what is pressed', async () => {
    const { client, close } = await start()
    const ask = (more: object) => client.callTool({ name, arguments: { message: 'Buy it', ...more } })
    const shown = mcpAnswer(await client.callTool({ name, arguments: { message: 'show BA 2043' } }))
    const { conversationId } = shown
    const { action } = actionMessage(buys())
    expect(mcpAnswer(await ask({ conversationId, action })).parts[0]?.text).toBe(received)
    expect(JSON.stringify(await ask({ action }))).toMatch(/needs the `conversationId`/)
    const forged = { ...action, context: { flight: 'BA 1', seat: '1A' } }
    const refused = await ask({ conversationId, action: forged })
    expect(refused.isError).toBe(true)
    expect(JSON.stringify(refused)).toMatch(/flight must be as declared/)

    const asked = mcpAnswer(await client.callTool({ name, arguments: { message: 'pay', conversationId } }))
    const [approvalId = ''] = asked.pendingApprovals ?? []
    const { action: granting } = actionMessage(decides(approvalId, 'granted'))
    // A caller that may talk to the agent may not thereby approve: that is a tool of its own.
    expect(JSON.stringify(await ask({ conversationId, action: granting }))).toMatch(/_resume/)
    const decision = { conversationId, approvalId, decision: 'granted' }
    const paid = mcpAnswer(await client.callTool({ name: `${name}_resume`, arguments: decision }))
    expect(paid.parts.at(-1)?.text).toBe('paid')
    await close()
  })
})
