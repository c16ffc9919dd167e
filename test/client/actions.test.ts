import type { Snapshot, SurfaceAction } from '@cool-ai/beach-client'
import { describe, expect, test } from 'vitest'
import { buys, shop } from '../actions/shop.ts'
import { converse, serveAgent, settled, texts, until } from './agent.ts'

/** A press of a button, as a renderer tells of it. */
function pressed(timestamp = '2026-11-15T09:00:00.000Z', ...ticket: Parameters<typeof buys>): SurfaceAction {
  const { surfaceId, componentId, name, context } = buys(...ticket)
  return { name, surfaceId, sourceComponentId: componentId, timestamp, context }
}

const messages = ({ parts }: Snapshot) => parts.filter(({ role }) => role === 'user').length

describe('acting on a surface', () => {
  test('is said to the agent, once, however often it is tried', async (context) => {
    const { url } = await serveAgent(context, { actors: { shop: shop() } })
    let lost = 0
    const conversation = await converse(context, url, {
      fetch: async (input, init) => {
        const response = await fetch(input, init)
        if (!(typeof init?.body === 'string' && init.body.includes('a2ui-action')) || lost++ > 0) return response
        throw new TypeError('The answer was lost.')
      },
    })
    await conversation.send('show BA 2043')
    await settled(conversation)
    const first = conversation.act(pressed())
    expect(conversation.act(pressed()), 'the same one while it is under way').toBe(first)
    expect(conversation.pending, 'a surface shows by itself that it was used').toEqual([])
    expect(await first).toMatchObject({ messageId: expect.stringMatching(/^msg_/) as string, duplicate: true })
    const now = await settled(conversation, 2)
    expect(await conversation.act(pressed())).toMatchObject({ duplicate: true })
    expect(messages(now)).toBe(2)
    expect(texts(now).at(-1)).toContain('You: ')
  })

  test('that is no longer there is refused with a sentence', async (context) => {
    const { url } = await serveAgent(context, { actors: { shop: shop() } })
    const conversation = await converse(context, url)
    await conversation.send('show BA 2043')
    await settled(conversation)
    await expect(conversation.act(pressed(undefined, 'other'))).rejects.toMatchObject({
      code: 'STALE_SURFACE',
      status: 409,
    })
    expect(conversation.pending).toEqual([])
  })

  test('of an approval is the decision', async (context) => {
    const paid: string[] = []
    const { url } = await serveAgent(context, { actors: { shop: shop(paid) } })
    const conversation = await converse(context, url)
    void conversation.send('pay')
    const { parts } = await until(conversation, ({ turns }) => turns.at(-1)?.turnState === 'suspended')
    const request = parts.find(({ partType }) => partType === 'approval-request')
    const { approvalId = '' } = (request?.data ?? {}) as { approvalId?: string }
    const press = {
      name: 'approval.decide',
      surfaceId: `approval-${approvalId}`,
      sourceComponentId: 'approve',
      timestamp: '2026-11-15T09:00:00.000Z',
      context: { approvalId, decision: 'granted' },
    }
    const decided = { status: 'decided', approvalId, decision: 'granted' }
    expect(await conversation.act(press)).toEqual(decided)
    // The same press sent again is the same decision; another press is one too many.
    expect(await conversation.act(press)).toEqual(decided)
    const again = { ...press, timestamp: '2026-11-15T09:00:01.000Z' }
    await expect(conversation.act(again)).rejects.toMatchObject({ code: 'ALREADY_DECIDED' })
    expect(texts(await settled(conversation)).at(-1)).toBe('paid')
    expect(paid).toHaveLength(1)
  })
})
