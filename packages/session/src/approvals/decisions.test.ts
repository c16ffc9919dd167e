import { once } from 'node:events'
import { createServer, connect, type AddressInfo, type Socket } from 'node:net'
import { isBeachError, systemRuntime, type Approver, type Decision, type Principal } from '@cool-ai/beach-core'
import type { OpenOptions } from '@cool-ai/beach-core/ports'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ActorContext } from '../turn/function-actor.ts'
import { holdGrant } from './decisions.ts'
import type { SessionTurnManagerOptions } from '../host/session-turn-manager.ts'
import {
  alice,
  bob,
  eventsOf,
  eventually,
  follow,
  said,
  viewer,
  testContext,
  type TestContext,
} from '../host/test-context.test-helper.ts'

const operator: Principal = { kind: 'operator', id: 'root', tenant: 'acme' }
const granted: Decision = { decision: 'granted' }
const denied: Decision = { decision: 'denied', reason: 'too expensive' }

/** Pays only after an approval, and reports the outcome. */
function payer(approvalLevel?: 'user' | 'admin') {
  return async ({ respond, tool }: ActorContext) => {
    const call = { name: 'pay', args: {}, requiresApproval: true, ...(approvalLevel && { approvalLevel }) }
    const outcome = await tool(call, async () => 'paid')
    const text = outcome.outcome === 'ok' ? outcome.value : `${outcome.outcome}: ${outcome.reason}`
    await respond({ parts: [{ partType: 'response', text }], turnState: 'complete' })
  }
}

interface Setting {
  readonly there?: TestContext
  readonly level?: 'user' | 'admin'
  readonly open?: Partial<OpenOptions>
  readonly options?: Partial<SessionTurnManagerOptions>
}

/** A turn that waits for a decision. */
async function asked({ there = testContext(), level, open, options }: Setting = {}) {
  const process = there.process({ payer: payer(level) }, options)
  const { sessions } = process
  const session = await sessions.open({ principal: alice, ...open })
  const seen = follow(sessions, session)
  await sessions.post(session, said('pay'), alice)
  await seen.until((frame) => frame.kind === 'turn' && frame.turnState === 'suspended')
  const [approvalId = ''] = (await sessions.view(session, alice)).turn?.pendingApprovals ?? []
  const decide = (decision: Decision, by: Principal) => sessions.decide(approvalId, decision, by)
  return { ...process, there, session, seen, approvalId, decide }
}

function lastText(frames: Awaited<ReturnType<typeof asked>>['seen']['frames']): string | undefined {
  return frames.findLast((frame) => frame.kind === 'part')?.part.text
}

describe('of decisions in the same moment', () => {
  test.each([
    [
      [granted, denied],
      ['already', 'decided'],
    ],
    [
      [denied, granted],
      ['decided', 'already'],
    ],
    [
      [granted, granted, denied, granted],
      ['already', 'already', 'decided', 'already'],
    ],
  ])('the denial counts, and the others are told: case %#', async (decisions, outcomes) => {
    const { decide, seen, there, session } = await asked()
    expect(await Promise.all(decisions.map((decision) => decide(decision, alice)))).toEqual(outcomes)
    await seen.settled()
    expect(lastText(seen.frames)).toBe('denied: too expensive')
    const events = await eventsOf(there, session)
    expect(events.filter((event) => event.type === 'approvalDecided')).toMatchObject([
      { decision: 'denied', payload: { decidedBy: 'user~alice', reason: 'too expensive' } },
    ])
  })

  test('the first counts when they agree', async () => {
    const { decide, there, session, seen } = await asked()
    expect(await Promise.all([decide(granted, alice), decide(granted, operator)])).toEqual(['decided', 'already'])
    await seen.settled()
    const decided = (await eventsOf(there, session)).find((event) => event.type === 'approvalDecided')
    expect(decided?.payload?.decidedBy).toBe('user~alice')
  })

  test('a denial by a principal who may not decide does not count', async () => {
    const { decide, seen } = await asked()
    expect(await Promise.all([decide(denied, bob), decide(granted, alice)])).toEqual(['notFound', 'decided'])
    await seen.settled()
    expect(lastText(seen.frames)).toBe('paid')
  })

  test('each approval has its own', async () => {
    const one = await asked()
    const two = await asked({ there: one.there })
    expect(await Promise.all([one.decide(granted, alice), one.sessions.decide(two.approvalId, denied, alice)])).toEqual(
      ['decided', 'decided'],
    )
    await Promise.all([one.seen.settled(), two.seen.settled()])
    expect([lastText(one.seen.frames), lastText(two.seen.frames)]).toEqual(['paid', 'denied: too expensive'])
  })

  test('a grant is held for a denial by another process, which is written at once', async () => {
    const options = { grantHoldMs: 100 }
    const { decide, there, session, approvalId, seen } = await asked({ options })
    const other = there.process({ payer: payer() }, options)
    const grant = decide(granted, alice)
    const denial = other.sessions.decide(approvalId, denied, operator)
    await eventually(async () => (await eventsOf(there, session)).some(({ type }) => type === 'approvalDecided'))
    await there.runtime.clock.advance(100)
    expect(await Promise.all([grant, denial])).toEqual(['already', 'decided'])
    await seen.settled()
    expect(lastText(seen.frames)).toBe('denied: too expensive')
  })

  test('one that comes while others are being written is not one of them, and is told so', async () => {
    const there = testContext()
    const append = there.store.append.bind(there.store)
    let [whileWriting, late] = [() => {}, Promise.resolve('')]
    there.store.append = (...args) => {
      whileWriting()
      return append(...args)
    }
    const { decide, seen } = await asked({ there })
    whileWriting = () => {
      whileWriting = () => {}
      late = decide(denied, alice)
    }
    expect(await decide(granted, alice)).toBe('decided')
    expect(await late).toBe('already')
    await seen.settled()
    expect(lastText(seen.frames)).toBe('paid')
  })

  test('a denial that comes after the grant was written comes too late', async () => {
    const { decide, seen } = await asked()
    expect(await decide(granted, alice)).toBe('decided')
    expect(await decide(denied, alice)).toBe('already')
    await seen.settled()
    expect(lastText(seen.frames)).toBe('paid')
  })
})

describe('a decision with a key', () => {
  const keyed: Decision = { ...granted, dedupeKey: 'a2a:m1' }
  const mismatch = (error: unknown) => isBeachError(error, 'IDEMPOTENCY_MISMATCH')

  test('is the same one again, at once, later and in the next process, and is written once', async () => {
    const { decide, seen, there, session, approvalId, crash } = await asked()
    expect(await Promise.all([decide(keyed, alice), decide(keyed, alice)])).toEqual(['decided', 'decided'])
    expect(await decide(keyed, alice)).toBe('decided')
    await seen.settled()
    expect(await decide(keyed, alice)).toBe('decided')
    crash()
    await there.runtime.clock.advance(10_000)
    const { sessions } = there.process({ payer: payer() })
    expect(await sessions.decide(approvalId, keyed, alice)).toBe('decided')
    expect(await sessions.decide(approvalId, keyed, bob)).toBe('notFound')
    const decided = (await eventsOf(there, session)).filter(({ type }) => type === 'approvalDecided')
    expect(decided).toMatchObject([{ dedupeKey: 'a2a:m1', payload: { decidedBy: 'user~alice' } }])
  })

  test('is an error with another decision, and too late with another key or none', async () => {
    const { decide, seen } = await asked()
    const other: Decision = { ...denied, dedupeKey: 'a2a:m1' }
    const both = await Promise.allSettled([decide(keyed, alice), decide(other, alice)])
    expect(both).toMatchObject([{ reason: { code: 'IDEMPOTENCY_MISMATCH' } }, { value: 'decided' }])
    await expect(decide(keyed, alice)).rejects.toSatisfy(mismatch)
    expect(await decide({ ...denied, dedupeKey: 'a2a:m2' }, alice)).toBe('already')
    expect(await decide(denied, alice)).toBe('already')
    await seen.settled()
    await expect(decide(keyed, alice)).rejects.toSatisfy(mismatch)
    expect(await decide(other, alice)).toBe('decided')
    expect(await decide({ ...denied, dedupeKey: 'a2a:m2' }, alice)).toBe('already')
  })

  test('is nothing that actors or listeners are shown', async () => {
    const { decide, seen, sessions, session } = await asked()
    await decide(keyed, alice)
    await seen.settled()
    const turnId = seen.frames.findLast((frame) => frame.kind === 'settled')?.turnId ?? ''
    expect(JSON.stringify([seen.frames, await sessions.envelope(session, turnId, viewer())])).not.toContain('a2a:m1')
  })
})

describe('who may decide', () => {
  const cashier: Principal = { ...bob, id: 'carl', scopes: ['payments:approve'] }

  test.each<[string, readonly Approver[] | undefined, Principal, string]>([
    ['the owner, when nothing else is said', undefined, alice, 'decided'],
    ['an operator, when nothing else is said', undefined, operator, 'decided'],
    ['no other user, when nothing else is said', undefined, bob, 'notFound'],
    ['a named user', [{ kind: 'user', id: 'bob' }], bob, 'decided'],
    ['not one of that name of another kind', [{ kind: 'peer', id: 'bob' }], bob, 'notFound'],
    ['not one of that name of another tenant', [{ kind: 'user', id: 'bob' }], { ...bob, tenant: 'other' }, 'notFound'],
    ['a principal with the scope', [{ scope: 'payments:approve' }], cashier, 'decided'],
    [
      'not one with the scope in another tenant',
      [{ scope: 'payments:approve' }],
      { ...cashier, tenant: 'x' },
      'notFound',
    ],
    ['not one without it', [{ scope: 'payments:approve' }], bob, 'notFound'],
    ['not the owner, who is not named', [{ kind: 'user', id: 'bob' }], alice, 'notFound'],
    ['not an operator, who is not named', ['owner'], operator, 'notFound'],
    ['one of several', ['operator', { kind: 'user', id: 'bob' }], operator, 'decided'],
    ['no principal at all', [], alice, 'notFound'],
  ])('%s', async (_, approvers, by, outcome) => {
    const { decide, there, session } = await asked({ open: approvers === undefined ? {} : { approvers } })
    expect(await decide(granted, by)).toBe(outcome)
    const decided = (await eventsOf(there, session)).filter(({ type }) => type === 'approvalDecided')
    expect(decided).toHaveLength(outcome === 'decided' ? 1 : 0)
  })

  test('sees nothing of the session for that', async () => {
    const { decide, sessions, session, seen } = await asked({ open: { approvers: [{ kind: 'user', id: 'bob' }] } })
    const notFound = (error: unknown) => isBeachError(error, 'NOT_FOUND')
    await expect(sessions.view(session, bob)).rejects.toSatisfy(notFound)
    await expect(sessions.post(session, said('hi'), bob)).rejects.toSatisfy(notFound)
    await expect(follow(sessions, session, undefined, bob).done).rejects.toSatisfy(notFound)
    expect((await sessions.list({}, bob)).items).toEqual([])
    expect(await decide(granted, bob)).toBe('decided')
    await seen.settled()
    expect(lastText(seen.frames)).toBe('paid')
    await expect(sessions.envelope(session, 'x', viewer(bob))).rejects.toSatisfy(notFound)
    // Afterwards, too, only approvers learn that it was decided.
    expect(await decide(denied, bob)).toBe('already')
    expect(await decide(denied, alice)).toBe('notFound')
  })

  test('is the agent’s to say, and a session’s own policy goes before it', async () => {
    const options = { approvers: [{ scope: 'payments:approve' }] }
    const plain = await asked({ options })
    expect(await plain.decide(granted, alice)).toBe('notFound')
    expect(await plain.decide(granted, cashier)).toBe('decided')
    const own = await asked({ options, open: { approvers: ['owner'] } })
    expect(await own.decide(granted, cashier)).toBe('notFound')
    expect(await own.decide(granted, alice)).toBe('decided')
  })

  test('is known to every process after the one that opened the session', async () => {
    const there = testContext()
    const first = await asked({ there, open: { approvers: [{ kind: 'user', id: 'bob' }] } })
    first.crash()
    await there.runtime.clock.advance(10_000)
    const { sessions } = there.process({ payer: payer() })
    expect(await sessions.decide(first.approvalId, granted, alice)).toBe('notFound')
    expect(await sessions.decide(first.approvalId, granted, bob)).toBe('decided')
  })

  test('on what is for admins is an operator, or a principal with that scope, whom the policy names', async () => {
    const admin: Principal = { ...bob, scopes: ['approvals:admin'] }
    const named = { open: { approvers: [{ kind: 'user' as const, id: 'bob' }] }, level: 'admin' as const }
    const one = await asked(named)
    expect(await one.decide(granted, bob)).toBe('notFound')
    expect(await one.decide(granted, operator)).toBe('notFound')
    expect(await one.decide(granted, admin)).toBe('decided')
    const usual = await asked({ level: 'admin' })
    expect(await usual.decide(granted, alice)).toBe('notFound')
    expect(await usual.decide(granted, operator)).toBe('decided')
  })
})

describe('a request whose call has changed', () => {
  test('is void while it is undecided, and cannot be decided any more', async () => {
    const there = testContext()
    let price = 100
    const ran: unknown[] = []
    const { sessions } = there.process({
      agent: async ({ respond, tools }) => {
        const plan = (name: string, args: unknown) => ({
          call: { name, args, requiresApproval: true },
          run: async () => ran.push([name, args]),
        })
        await tools([plan('look', {}), plan('pay', { price })])
        await respond({ parts: [{ partType: 'response', text: 'done' }], turnState: 'complete' })
      },
    })
    const session = await sessions.open({ principal: alice })
    const seen = follow(sessions, session)
    const pending = async () => (await sessions.view(session, alice)).turn?.pendingApprovals ?? []
    await sessions.post(session, said('go'), alice)
    await seen.until((frame) => frame.kind === 'turn' && frame.turnState === 'suspended')
    const [look = '', pay = ''] = await pending()
    price = 9_999
    await sessions.decide(look, granted, alice)
    await eventually(async () => (await pending()).some((id) => id !== look && id !== pay))
    const [again = '', ...others] = await pending()
    expect(others).toEqual([])
    expect(again).not.toBe(pay)
    const { inFlight } = await sessions.view(session, alice)
    expect(inFlight.map(({ kind, id }) => [kind, id])).toEqual([['approval', again]])
    expect(await sessions.decide(pay, granted, alice)).toBe('already')
    expect(await sessions.decide(again, granted, alice)).toBe('decided')
    await seen.settled()
    expect(ran).toEqual([
      ['look', {}],
      ['pay', { price: 9_999 }],
    ])
    const events = await eventsOf(there, session)
    expect(events.filter((event) => event.type === 'approvalVoided')).toMatchObject([{ approvalId: pay }])
    const turnId = events.find((event) => event.type === 'turnStarted')?.turnId ?? ''
    const envelope = await sessions.envelope(session, turnId, viewer())
    expect(envelope?.parts.map(({ metadata }) => metadata.partType)).toEqual(['response'])
  })
})

test('what has come by the end of the hold is read before it ends, though the process was busy until then', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [socket] = (await once(server, 'connection')) as [Socket]
  onTestFinished(() => {
    client.destroy()
    server.close()
  })
  const order: string[] = []
  const read = once(socket, 'data').then(() => order.push('read'))
  const held = holdGrant(systemRuntime().clock, 1).then(() => order.push('granted'))
  client.write('denied')
  // Blocks the process until the hold is long over.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
  await Promise.all([read, held])
  expect(order).toEqual(['read', 'granted'])
})
