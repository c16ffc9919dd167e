import type { Originator, Principal } from '@cool-ai/beach-core'
import { expect, test, vi } from 'vitest'
import { postbox, reader, type Postbox } from '../delivery/postbox.test-helper.ts'
import { alice, eventually, said, testContext, type TestContext } from '../host/test-context.test-helper.ts'
import { defineActor } from '../turn/function-actor.ts'
import type { SessionTurnManagerOptions } from '../host/session-turn-manager.ts'
import { checkedFollowUps } from './follow-up-slice.ts'

const hour = 3_600_000
const boss: Principal = { kind: 'user', id: 'boss', tenant: 'acme' }
const chief = reader('chief', { principal: boss })
const desk = reader('desk')

/** An actor whose request expires a day after now. */
function payerIn({ runtime }: TestContext) {
  const approvalExpiresAt = runtime.clock.now() + 24 * hour
  return defineActor(async ({ respond, tool }) => {
    const call = { name: 'pay', args: { invoice: 'A1' }, requiresApproval: true, approvalExpiresAt }
    const { outcome } = await tool(call, async () => 'paid')
    await respond({ parts: [{ partType: 'response', text: outcome }], turnState: 'complete' })
  })
}

type Options = Partial<SessionTurnManagerOptions> & { readonly there?: TestContext; readonly box?: Postbox }

/** A session whose request waits for a decision, with a desk that was asked by mail. */
async function waiting({ there = testContext(), box = postbox(), ...options }: Options) {
  const payer = payerIn(there)
  const process = there.process({ payer }, { channels: [box.channel], ...options })
  const { sessions } = process
  const id = await sessions.open({ principal: alice })
  await sessions.join(id, desk, alice)
  await sessions.post(id, said('pay'), alice)
  await eventually(() => box.got('desk').length === 1)
  const [request] = box.got('desk')[0]?.parts ?? []
  const { approvalId = '' } = (request?.data ?? {}) as { approvalId?: string }
  return { ...process, payer, box, id, approvalId, after: (ms: number) => there.runtime.clock.advance(ms) }
}

const followUpsOf = (box: Postbox, { id }: Originator) =>
  box.got(id).flatMap(({ parts }) => parts.flatMap(({ metadata }) => metadata.followUp ?? []))
const kinds = (box: Postbox, to: Originator) => followUpsOf(box, to).map(({ kind }: { kind?: string }) => kind)

test('people who were asked by mail are reminded at each time, and no more once it is decided', async () => {
  const { box, sessions, approvalId, after } = await waiting({
    approvalFollowUps: [{ afterMs: hour }, { beforeExpiryMs: 2 * hour }, { beforeExpiryMs: hour }],
  })
  await after(hour - 1_000)
  expect(box.got('desk')).toHaveLength(1)
  await after(1_000)
  await eventually(() => box.got('desk').length === 2)
  expect(followUpsOf(box, desk)).toEqual([{ kind: 'reminder', number: 1, since: expect.stringMatching(/^\d{4}-/) }])
  await after(21 * hour)
  await eventually(() => box.got('desk').length === 3)
  expect(await sessions.decide(approvalId, { decision: 'denied' }, alice)).toBe('decided')
  await eventually(() => box.got('desk').length === 4)
  await after(2 * hour)
  expect(kinds(box, desk)).toEqual(['reminder', 'reminder'])
})

test('another approver is asked when no decision comes, gets nothing else, and may decide from then on', async () => {
  const { box, sessions, id, approvalId, after } = await waiting({ approvalFollowUps: [{ afterMs: hour, to: chief }] })
  expect(await sessions.decide(approvalId, { decision: 'granted' }, boss)).toBe('notFound')
  expect((await sessions.approvals({}, boss)).items).toEqual([])
  await after(hour)
  await eventually(() => box.got('chief').length === 1)
  expect(kinds(box, chief)).toEqual(['escalation'])
  expect((await sessions.approvals({}, boss)).items).toMatchObject([{ approvalId, sessionId: id }])
  expect(await sessions.decide(approvalId, { decision: 'granted' }, boss)).toBe('decided')
  await eventually(() => box.got('desk').length === 2)
  expect(box.got('chief')).toHaveLength(1)
  expect(box.got('desk')[1]?.parts.map(({ text }) => text)).toEqual(['ok'])
  expect(await sessions.decide(approvalId, { decision: 'denied' }, boss)).toBe('already')
  await expect(sessions.view(id, boss)).rejects.toThrow('There is no such session')
})

test('an approver who joined for approvals gets requests and how they end, and of the rest of the session nothing', async () => {
  const there = testContext()
  const box = postbox()
  const payer = defineActor(async ({ text, respond, tool }) => {
    if (text === 'hello') return respond({ parts: [{ partType: 'response', text: 'Hello.' }], turnState: 'complete' })
    await respond({ parts: [{ partType: 'response', text: 'One moment.' }], turnState: 'awaiting' })
    const { outcome } = await tool({ name: 'pay', args: {}, requiresApproval: true }, async () => 'paid')
    await respond({ parts: [{ partType: 'response', text: outcome }], turnState: 'complete' })
  })
  const { sessions } = there.process({ payer }, { channels: [box.channel] })
  const id = await sessions.open({ principal: alice })
  await sessions.join(id, desk, alice)
  await sessions.join(id, chief, alice, { hears: 'approvals' })
  const { originators } = await sessions.view(id, alice)
  expect(originators.map(({ originatorId, hears }) => [originatorId, hears])).toEqual([
    ['desk', undefined],
    ['chief', 'approvals'],
  ])
  await sessions.post(id, said('hello'), alice)
  await eventually(() => box.got('desk').length === 1)
  await sessions.post(id, said('pay'), alice)
  await eventually(() => box.got('chief').length === 1)
  const [request] = box.got('chief')[0]?.parts ?? []
  expect(request?.metadata.partType).toBe('approval-request')
  const { approvalId = '' } = (request?.data ?? {}) as { approvalId?: string }
  expect(await sessions.decide(approvalId, { decision: 'granted' }, alice)).toBe('decided')
  await eventually(() => box.got('chief').length === 2)
  expect(box.got('chief')[1]?.parts.map(({ text }) => text)).toEqual(['One moment.', 'ok'])
  await sessions.post(id, said('hello'), alice)
  await eventually(() => box.got('desk').length === 4)
  expect(box.got('chief')).toHaveLength(2)

  // Who joins again gets what it joins for then.
  await sessions.join(id, chief, alice)
  await sessions.post(id, said('hello'), alice)
  await eventually(() => box.got('chief').length === 3)
})

test('an approver of another tenant is never one, though the author names them', async () => {
  const stranger = reader('stranger', { principal: { ...boss, tenant: 'other' } })
  const { box, sessions, approvalId, after } = await waiting({ approvalFollowUps: [{ afterMs: hour, to: stranger }] })
  await after(hour)
  await eventually(() => box.got('stranger').length === 1)
  expect(await sessions.decide(approvalId, { decision: 'granted' }, stranger.principal)).toBe('notFound')
})

test('follow-ups that fell due while no process ran come once, and later ones at their time', async () => {
  const there = testContext()
  const box = postbox()
  const approvalFollowUps = [{ afterMs: hour }, { afterMs: 2 * hour }, { afterMs: 3 * hour, to: chief }]
  const { sessions, payer } = await waiting({ there, box, approvalFollowUps })
  await sessions.stop()
  await there.runtime.clock.advance(2.5 * hour)
  there.process({ payer }, { channels: [box.channel], approvalFollowUps })
  await eventually(() => box.got('desk').length === 2)
  expect(kinds(box, desk)).toEqual(['reminder'])
  await there.runtime.clock.advance(hour)
  await eventually(() => box.got('chief').length === 1)
  expect(kinds(box, desk)).toEqual(['reminder'])
})

test('a reminder that could not be sent before the decision is not sent after it', async () => {
  const { box, sessions, approvalId, after } = await waiting({ approvalFollowUps: [{ afterMs: hour }] })
  box.outcome = () => ({ status: 'failed', reason: 'The mail server is away.' })
  await after(hour)
  await eventually(() => box.attempts.length === 2)
  await sessions.decide(approvalId, { decision: 'denied' }, alice)
  box.outcome = () => ({ status: 'sent' })
  await after(hour)
  await eventually(() => box.got('desk').length === 2)
  expect(kinds(box, desk)).toEqual([])
})

test('the approver to ask can depend on the request, and is looked up again after a failure', async () => {
  const to = vi.fn<() => Promise<Originator | undefined>>()
  to.mockRejectedValueOnce(new Error('The directory is away.')).mockResolvedValueOnce(chief)
  const { box, id, approvalId, after } = await waiting({ approvalFollowUps: [{ afterMs: hour, to }] })
  await after(hour)
  await eventually(() => to.mock.calls.length === 1)
  expect(to).toHaveBeenCalledWith(expect.objectContaining({ approvalId, sessionId: id }))
  await after(120_000)
  await eventually(() => box.got('chief').length === 1)
})

test('times that are none are refused', () => {
  expect(() => checkedFollowUps([{ afterMs: 0 }])).toThrow(/whole number of milliseconds above 0/)
  expect(() => checkedFollowUps([{ beforeExpiryMs: NaN }])).toThrow(/afterMs or beforeExpiryMs/)
  expect(() => checkedFollowUps(Array.from({ length: 21 }, () => ({ afterMs: 1 })))).toThrow(/at most 20/)
})
