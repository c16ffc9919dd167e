import type { DataRule } from '@cool-ai/beach-core'
import type { EventDraft } from '@cool-ai/beach-core/log'
import { expect, test } from 'vitest'
import { postbox, reader } from '../delivery/postbox.test-helper.ts'
import { alice, eventsOf, eventually, said, testContext } from '../host/test-context.test-helper.ts'
import { isNamed } from './recipients.ts'
import type { ActorContext } from './function-actor.ts'
import { turnSlice } from './turn-slice.ts'

const read = { name: 'read', args: {}, resultOrigin: 'web' } as const

test('a turn that goes on after a crash keeps what it has seen', async () => {
  const there = testContext()
  const actors = {
    agent: async ({ tool, respond }: ActorContext) => {
      await tool(read, async () => 'text')
      const outcome = await tool({ name: 'pay', args: {}, requiresApproval: 'tainted' }, async () => 'paid')
      await respond({ parts: [{ partType: 'response', text: outcome.outcome }], turnState: 'complete' })
    },
  }
  const first = there.process(actors)
  const id = await first.sessions.open({ principal: alice })
  await first.sessions.post(id, said('go'), alice)
  await eventually(async () => (await first.sessions.view(id, alice)).turn?.turnState === 'suspended')
  first.crash()
  const next = there.process(actors)
  const [request] = (await next.sessions.approvals({}, alice)).items
  expect(await next.sessions.decide(request?.approvalId ?? '', { decision: 'granted' }, alice)).toBe('decided')
  await eventually(async () => (await next.sessions.view(id, alice)).turn === undefined)
  const events = await eventsOf(there, id)
  expect(events.filter(({ type }) => type === 'toolFinished')).toMatchObject([{ origins: ['web'] }, {}])
  expect(events.filter(({ type }) => type === 'approvalRequested')).toHaveLength(1)
})

test('an answer with content that may not go by a channel is replaced there by a sentence that says so', async () => {
  const dataRules: readonly DataRule[] = [{ from: 'web', to: 'email', deny: true }]
  const there = testContext()
  const box = postbox()
  const channel = { ...box.channel, transport: 'smtp' }
  const { sessions } = there.process(
    {
      agent: async ({ text, tool, respond }) => {
        if (text === 'read') await tool(read, async () => 'text')
        await respond({ parts: [{ partType: 'response', text: `The secret of ${text}.` }], turnState: 'complete' })
      },
    },
    { channels: [channel], dataRules },
  )
  const id = await sessions.open({ principal: alice })
  await sessions.join(id, reader('mail:alice', { transport: 'smtp' }), alice)
  for (const text of ['hello', 'read']) {
    await sessions.post(id, said(text), alice)
    await eventually(async () => {
      const { turn, inFlight, waiting } = await sessions.view(id, alice)
      return turn === undefined && waiting === 0 && inFlight.length === 0
    })
  }
  expect(box.got('mail:alice').flatMap(({ parts }) => parts.map(({ text }) => text))).toEqual([
    'The secret of hello.',
    'There is an answer, but it has text from the web, which may not be sent by email. Read it on the agent’s page.',
  ])
})

test('logs of before have no origins: those of a message follow from its content', () => {
  const from = {
    id: 'a2a:x',
    transport: 'a2a',
    deliveryClass: 'buffered',
    principal: { ...alice, kind: 'peer', id: 'x' },
  } as const
  const message = { type: 'messageReceived', messageId: 'm1', originatorId: 'a2a:x', contentHash: '' } as const
  const started: EventDraft = { type: 'turnStarted', turnId: 'turn_1', actor: 'agent', messageIds: ['m1'], epoch: 1 }
  const fold = (drafts: readonly EventDraft[]) =>
    drafts.reduce(
      (state, draft, index) => turnSlice.fold(state, { ...draft, id: `ev_${index}`, v: 1, at: 0 }, index + 1),
      turnSlice.initial,
    )
  expect(fold([{ ...message, payload: { from, parts: [] } }, started]).turn?.origins).toEqual(['peer:x'])
  expect(fold([message, started]).turn?.origins).toBeUndefined()
})

test('a recipient is named by the whole of its address, however numbers are written', () => {
  expect(isNamed('bob@corp.example', ['Write to bob@corp.example.'])).toBe(true)
  expect(isNamed('bob@corp.example', ['<bob@corp.example>, please'])).toBe(true)
  expect(isNamed('bob@corp.example', ['evilbob@corp.example'])).toBe(false)
  expect(isNamed('corp.example', ['bob@corp.example'])).toBe(false)
  expect(isNamed('bob@corp.example', ['bob@corp.example.evil.org'])).toBe(false)
  expect(isNamed('https://a.example/x', ['see https://a.example/x?'])).toBe(true)
  expect(isNamed('https://a.example/x', ['see https://a.example/x?to=evil'])).toBe(false)
  expect(isNamed('+44 20 7946 0018', ['call +44 (20) 7946-0018 today'])).toBe(true)
  expect(isNamed('+442079460018', ['call 00442079460018'])).toBe(true)
  expect(isNamed('+442079460018', ['call +4420794600189'])).toBe(false)
  expect(isNamed(' ', [' '])).toBe(false)
})
