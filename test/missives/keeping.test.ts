import { defineActor } from '@cool-ai/beach'
import { describe, expect, test } from 'vitest'
import {
  ann,
  bob,
  eventually,
  folderOfTest,
  kept,
  mailer,
  operator,
  Post,
  say,
  short,
  simulated,
  startAgent,
  text,
  viewer,
} from './test-context.ts'

describe('every message', () => {
  test('in and out is kept as it was, with thread, correspondent, direction and state', async () => {
    const agent = await startAgent({ folder: folderOfTest() })
    const session = await agent.sessions.open({ principal: ann })
    await say(agent, session, 'hello there')
    const [came, went] = await kept(agent)
    expect(came).toMatchObject({
      missiveId: expect.stringMatching(/^mis_[a-z0-9]{26}$/) as string,
      tenant: 'default',
      sessionId: session,
      direction: 'in',
      channel: 'sse',
      correspondent: {
        originatorId: 'sse:ann',
        principal: { kind: 'user', id: 'ann' },
        addresses: ['principal:user~ann'],
      },
      owner: 'principal:user~ann',
      parts: [text('hello there')],
      delivery: { state: 'received' },
    })
    expect(went).toMatchObject({
      direction: 'out',
      threadId: came?.threadId,
      parts: [{ text: 'You said: hello there', metadata: { partType: 'response' } }],
      turnState: 'complete',
      delivery: { state: 'offered' },
    })
    expect((await agent.missives.find({ threadId: came?.threadId ?? '' }, ann)).items).toHaveLength(2)
    expect((await agent.missives.find({ text: 'YOU hell' }, ann)).items).toEqual([went])
  })

  test('keeps its setState parts, in their places, and they are not applied again', async () => {
    const folder = folderOfTest()
    const agent = await startAgent({ folder })
    const session = await agent.sessions.open({ principal: ann })
    await say(agent, session, [
      text('before'),
      { data: { 'trip.stage': 'nowhere' }, metadata: { partType: 'setState' } },
      text('please book'),
    ])
    const before = (await agent.sessions.view(session, ann)).coordinates
    expect((await kept(agent)).map(short)).toEqual([
      'in sse received: before | setState | please book',
      'out sse offered: You said: before please book | setState',
    ])
    await agent.missives.rebuild(operator)
    expect((await kept(agent)).map(short)).toHaveLength(2)
    expect((await agent.sessions.view(session, ann)).coordinates).toEqual(before)
    expect(before).toEqual({ 'trip.stage': 'booked' })
    // What people and models are shown has none of them.
    const log = await Array.fromAsync(agent.sessions.history(session, viewer()))
    expect(log.filter((frame) => frame.kind === 'part').map(({ part }) => part.metadata.partType)).not.toContain(
      'setState',
    )
  })

  test('holds what its addressee may have, and nothing else', async () => {
    const agent = await startAgent({ channels: [new Post().channel] })
    const session = await agent.sessions.open({ principal: ann })
    await say(agent, session, 'think', mailer('ann@example.com', ann))
    expect((await kept(agent)).map(short)).toEqual(['in smtp received: think', 'out smtp sent: You said: think'])
  })

  test('that is pushed is followed until it is sent, or given up', async () => {
    const runtime = simulated()
    const post = new Post()
    post.outcome = () => ({ status: 'failed', reason: 'the server is away' })
    const agent = await startAgent({ runtime, channels: [post.channel] })
    const session = await agent.sessions.open({ principal: ann })
    await say(agent, session, 'hello', mailer('Ann@Example.com', ann))
    const answer = async () => (await kept(agent)).find(({ direction }) => direction === 'out')
    await eventually(async () => (await answer())?.delivery.attempts === 1)
    expect((await answer())?.delivery).toMatchObject({ state: 'queued', attempts: 1, reason: 'the server is away' })
    for (let n = 0; n < 5; n++) await runtime.clock.advance(10_000)
    await eventually(async () => (await answer())?.delivery.state === 'failed')
    const { deliveryId = '' } = (await answer())?.delivery ?? {}
    post.outcome = () => ({ status: 'sent', externalId: '<1@mail>' })
    await agent.sessions.redeliver(session, deliveryId, operator)
    await eventually(async () => (await answer())?.delivery.state === 'sent')
    expect((await answer())?.delivery.externalId).toBe('<1@mail>')
    expect((await kept(agent))[0]?.correspondent.addresses).toEqual(['principal:user~ann', 'email:ann@example.com'])
    expect(await kept(agent)).toHaveLength(2)
  })

  test('goes to every addressee, each with a thread of their own', async () => {
    const post = new Post()
    const agent = await startAgent({ channels: [post.channel] })
    const session = await agent.sessions.open({ principal: ann })
    await agent.sessions.join(session, mailer('bob@example.com', bob), ann)
    await say(agent, session, 'hello both')
    await eventually(() => post.sent.length === 1)
    const all = await kept(agent)
    expect(all.map(short)).toEqual([
      'in sse received: hello both',
      'out sse offered: You said: hello both',
      'out smtp sent: You said: hello both',
    ])
    expect(new Set(all.map(({ threadId }) => threadId)).size).toBe(2)
    expect((await agent.missives.find({ person: 'email:bob@example.com' }, operator)).items.map(short)).toEqual([
      'out smtp sent: You said: hello both',
    ])
    // No listener gets what waits for a participant who has left.
    post.outcome = () => ({ status: 'failed' })
    await say(agent, session, 'once more')
    await agent.sessions.leave(session, 'smtp:bob@example.com', ann)
    await eventually(async () => (await kept(agent)).map(short).includes('out smtp dropped: You said: once more'))
  })

  test('that is sent in pieces is kept in those pieces', async () => {
    const post = new Post()
    const pays = defineActor(async ({ respond, tool }) => {
      const { outcome } = await tool({ name: 'pay', args: { total: 5 }, requiresApproval: true }, async () => 'paid')
      await respond({ parts: [{ partType: 'response', text: outcome }], turnState: 'complete' })
    })
    const agent = await startAgent({ channels: [post.channel], actors: { pays } })
    const session = await agent.sessions.open({ principal: ann })
    const said = say(agent, session, 'do it', mailer('ann@example.com', ann))
    await eventually(() => post.sent.length === 1)
    const [approvalId = ''] = (await agent.sessions.view(session, ann)).turn?.pendingApprovals ?? []
    await agent.sessions.decide(approvalId, { decision: 'granted', reason: 'go ahead' }, ann)
    await said
    await eventually(() => post.sent.length === 2)
    const [, asked, answer] = await kept(agent)
    // What was asked went out before the answer, and the answer does not repeat it.
    for (const [index, missive] of [asked, answer].entries()) {
      expect(missive?.parts).toEqual(post.sent[index]?.envelope.parts)
      expect(missive?.delivery.state).toBe('sent')
    }
    expect(asked?.parts.map(({ metadata }) => metadata.partType)).toEqual(['approval-request'])
    expect(answer?.parts.map(({ metadata }) => metadata.partType)).not.toContain('approval-request')
    expect(await kept(agent)).toHaveLength(3)
  })

  test('that is pushed while it is said is kept piece by piece, and nothing of it twice', async () => {
    const post = new Post()
    const talks = defineActor(async ({ respond }) => {
      await respond({ parts: [{ partType: 'response', text: 'first' }], turnState: 'awaiting' })
      await respond({ parts: [{ partType: 'response', text: 'second' }], turnState: 'complete' })
    })
    const agent = await startAgent({ channels: [post.channel], actors: { talks } })
    const session = await agent.sessions.open({ principal: ann })
    const peer = { ...mailer('ann@example.com', ann), deliveryClass: 'streaming' } as const
    await say(agent, session, 'talk', peer)
    await eventually(async () => (await agent.sessions.view(session, ann)).inFlight.length === 0)
    const out = (await kept(agent)).filter(({ direction }) => direction === 'out')
    expect(out.map(({ parts }) => parts)).toEqual(post.sent.map(({ envelope }) => envelope.parts))
    expect(out.map(({ parts }) => parts.map((part) => part.text))).toEqual([['first'], ['second']])
  })

  test('is looked up by person, over all addresses that are joined', async () => {
    const sent: string[] = []
    const agent = await startAgent({
      channels: [new Post().channel],
      data: { missives: { sendCode: async (_: string, code: string) => void sent.push(code) } as never },
    })
    const guest = { kind: 'anonymous', id: 'anon_1', tenant: 'default' } as const
    const page = await agent.sessions.open({ principal: guest })
    const byMail = await agent.sessions.open({ principal: ann })
    await say(agent, page, 'from the page', viewer(guest))
    await say(agent, byMail, 'by mail', mailer('ann@example.com', ann))
    const mine = async () => (await kept(agent, guest)).filter(({ direction }) => direction === 'in').map(short)
    expect(await mine()).toEqual(['in sse received: from the page'])
    const { identities } = agent.missives
    const join = { from: 'principal:anonymous~anon_1', to: 'email:ann@example.com', tenant: 'default' }
    await identities.startJoin(join)
    await identities.confirmJoin({ ...join, code: sent[0] ?? '' })
    expect(await mine()).toEqual(['in sse received: from the page', 'in smtp received: by mail'])
    await identities.split('email:ann@example.com', guest)
    expect(await mine()).toEqual(['in sse received: from the page'])
  })

  test('is hidden from other callers', async () => {
    const agent = await startAgent()
    const mine = await agent.sessions.open({ principal: ann })
    const theirs = await agent.sessions.open({ principal: bob })
    const foreigner = { ...ann, tenant: 'foreign' }
    const foreign = await agent.sessions.open({ principal: foreigner })
    await say(agent, mine, 'a secret of ann')
    await say(agent, theirs, 'a secret of bob', viewer(bob))
    await say(agent, foreign, 'a secret abroad', viewer(foreigner), { ...operator, tenant: 'foreign' }).catch(() => {})
    await agent.missives.caughtUp()
    const { items } = await agent.missives.find({ text: 'secret' }, ann)
    expect(items).toHaveLength(2)
    expect(items.every(({ sessionId }) => sessionId === mine)).toBe(true)
    for (const query of [{ sessionId: theirs }, { person: 'principal:user~bob' }, { sessionId: foreign }]) {
      expect((await agent.missives.find(query, ann)).items).toEqual([])
    }
    const id = items[0]?.missiveId ?? ''
    expect(await agent.missives.get(id, ann)).toBeDefined()
    expect(await agent.missives.get(id, operator)).toBeDefined()
    for (const by of [bob, foreigner, { ...operator, tenant: 'foreign' }]) {
      expect(await agent.missives.get(id, by)).toBeUndefined()
      expect((await agent.missives.find({ text: 'ann' }, by)).items).toEqual([])
    }
    expect((await agent.missives.find({ text: 'abroad' }, operator)).items).toEqual([])
  })
})

test('missives can be left out', async () => {
  const agent = await startAgent({ data: { missives: false } })
  expect(agent.missives).toBeUndefined()
})
