import { BeachError, type Inbound, type Part, type Slice } from '@cool-ai/beach-core'
import { approvalAction } from '@cool-ai/beach-protocol'
import { expect, test } from 'vitest'
import type { ActorContext } from '../turn/function-actor.ts'
import { alice, bob, eventsOf, eventually, said, testContext, viewer } from './test-context.test-helper.ts'

const notes: Slice<object> = {
  ns: 'notes',
  version: 1,
  initial: {},
  fold: (state) => state,
  handle: (_, value) => ({
    drafts: [{ type: 'sliceEvent', ns: 'notes', name: 'noted', payload: { value } }],
    reply: { answer: value },
  }),
}

const payer = async ({ respond, tool }: ActorContext) => {
  const { outcome } = await tool({ name: 'pay', args: {}, requiresApproval: true }, async () => 'paid')
  await respond({ parts: [{ partType: 'response', text: outcome }], turnState: 'complete' })
}

const inbound = (...parts: readonly Part[]): Inbound => ({ parts, from: viewer() })
const note: Part = { data: 'buy milk', metadata: { partType: 'notes.add' } }
const response = (data: unknown): Part => ({ data, metadata: { partType: 'approval-response' } })
const press = (approvalId: string, decision: string): Part => ({
  data: {
    version: 'v0.9',
    action: {
      name: approvalAction,
      surfaceId: `approval-${approvalId}`,
      sourceComponentId: decision === 'granted' ? 'approve' : 'deny',
      timestamp: '2026-01-01T00:00:00.000Z',
      context: { approvalId, decision },
    },
  },
  metadata: { partType: 'a2ui-action' },
})

async function open() {
  const there = testContext()
  const { sessions } = there.process({ payer }, { slices: [notes] })
  const session = await sessions.open({ principal: alice })
  const pending = async () => (await sessions.view(session, alice)).turn?.pendingApprovals ?? []
  const asked = async () => {
    await sessions.take(session, said('pay'), alice)
    await eventually(async () => (await pending()).length === 1)
    const [approvalId = ''] = await pending()
    return approvalId
  }
  return { there, sessions, session, pending, asked }
}

test('a message is posted, and only once with the same key', async () => {
  const { sessions, session } = await open()
  const message = { ...said('hello'), dedupeKey: 'k' }
  const first = await sessions.take(session, message, alice)
  if (first.kind !== 'posted') throw new Error(first.kind)
  expect(first.posted.duplicate).toBe(false)
  const again = await sessions.take(session, message, alice)
  expect(again).toEqual({ kind: 'posted', posted: { ...first.posted, duplicate: true } })
  await expect(sessions.take(session, message, bob)).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('a message opens the session that its sender asks for', async () => {
  const { sessions } = await open()
  expect(await sessions.take('sess_new', said('hello'), alice, { opening: {} })).toMatchObject({ kind: 'posted' })
  await expect(sessions.take('sess_none', said('hello'), alice)).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('parts of a namespace go to its slice, which replies, and are no message', async () => {
  const { there, sessions, session } = await open()
  const events = [{ type: 'CUSTOM', name: 'notes.add', value: 'buy milk' }]
  const taken = await sessions.take(session, inbound(note), alice)
  expect(taken).toMatchObject({ kind: 'handled', reply: { answer: { events } } })
  expect((await eventsOf(there, session)).map(({ type }) => type)).toEqual(['sessionOpened', 'sliceEvent'])
  const mixed = inbound(note, ...said('hello').parts)
  await expect(sessions.take(session, mixed, alice)).rejects.toMatchObject({ code: 'BAD_REQUEST' })
})

test.each([
  ['an approval response', (approvalId: string) => response({ approvalId, decision: 'denied' })],
  ['an action on its surface', (approvalId: string) => press(approvalId, 'denied')],
])('%s decides an approval, and with the same key it is the same decision', async (_, part) => {
  const { sessions, session, pending, asked } = await open()
  const approvalId = await asked()
  const decision = { ...inbound(part(approvalId)), dedupeKey: 'once' }
  const decided = { kind: 'decided', answer: { approvalId, decision: 'denied' }, decided: 'decided' }
  expect(await sessions.take(session, decision, alice)).toEqual(decided)
  await eventually(async () => (await pending()).length === 0)
  expect(await sessions.take(session, decision, alice)).toEqual(decided)
  const other = { ...decision, dedupeKey: 'twice' }
  expect(await sessions.take(session, other, alice)).toEqual({ ...decided, decided: 'already' })
})

test('a channel may refuse a decision before it is made', async () => {
  const { sessions, session, pending, asked } = await open()
  const approvalId = await asked()
  const checkDecision = () => {
    throw new BeachError('FORBIDDEN', 'Not here.')
  }
  const decision = inbound(response({ approvalId, decision: 'granted' }))
  await expect(sessions.take(session, decision, alice, { checkDecision })).rejects.toMatchObject({ code: 'FORBIDDEN' })
  expect(await pending()).toEqual([approvalId])
})

test('a decision stands alone, is complete, and counts in the session of its approval only', async () => {
  const { sessions, session, pending, asked } = await open()
  const approvalId = await asked()
  const grant = response({ approvalId, decision: 'granted' })
  for (const parts of [[grant, ...said('hello').parts], [response({ approvalId, decision: 'maybe' })]]) {
    await expect(sessions.take(session, inbound(...parts), alice)).rejects.toMatchObject({ code: 'INVALID_PART' })
  }
  const other = await sessions.open({ principal: alice })
  expect(await sessions.take(other, inbound(grant), alice)).toMatchObject({ decided: 'notFound' })
  expect(await pending()).toEqual([approvalId])
})
