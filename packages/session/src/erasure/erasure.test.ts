import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isBeachError, silentLogger, systemRuntime, type Actor, type Principal, type Slice } from '@cool-ai/beach-core'
import type { SessionEvent } from '@cool-ai/beach-core/log'
import { LlmContextTranslator } from '@cool-ai/beach-protocol'
import { expect, onTestFinished, test } from 'vitest'
import { postbox, reader } from '../delivery/postbox.test-helper.ts'
import { defineActor, type ActorContext } from '../turn/function-actor.ts'
import { SqliteStore } from '../stores/sqlite/sqlite-store.ts'
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

const operator: Principal = { kind: 'operator', id: 'ops', tenant: 'acme' }
const answer = ({ respond }: ActorContext) =>
  respond({ parts: [{ partType: 'response', text: 'the secret answer' }], turnState: 'complete' })

async function turn(sessions: ReturnType<TestContext['process']>['sessions'], session: string, text = 'my secret') {
  const { head } = await sessions.view(session, alice)
  const seen = follow(sessions, session, String(head))
  await sessions.post(session, said(text, `key ${text.length}`), alice)
  await seen.settled()
  seen.leave()
}

test('an erasure takes everything that was said out of the log, and leaves its structure', async () => {
  const here = testContext()
  const { sessions } = here.process({ answer })
  const session = await sessions.open({ principal: alice, key: 'thread of alice' })
  await turn(sessions, session)
  const before = await eventsOf(here, session)
  expect(await sessions.erase(session, { scope: 'session' }, alice)).toBeGreaterThan(0)
  const after = await eventsOf(here, session)
  expect(after.slice(0, before.length).map(({ type, id }) => [type, id])).toEqual(
    before.map(({ type, id }) => [type, id]),
  )
  expect(after.slice(before.length)).toMatchObject([
    { type: 'dataErased', scope: 'session', by: 'owner' },
    { type: 'dataErased', scope: 'rewritten', by: 'owner' },
  ])
  expect(JSON.stringify(after)).not.toMatch(/secret|alice/)
  expect(after.some((event) => 'payload' in event)).toBe(false)
  // A short text can be guessed by its hash.
  expect(after.flatMap((event) => ('contentHash' in event ? event.contentHash : []))).toEqual([''])
  expect(await here.store.list('')).toEqual([])
})

test('an erasure takes what was said to slices out too, with the ids by which it was said', async () => {
  const here = testContext()
  const notes: Slice<object> = {
    ns: 'notes',
    version: 1,
    initial: {},
    fold: (state) => state,
    handle: (_, value, { by }) => {
      const part = { data: value, metadata: { partType: 'notes.noted' } }
      const payload = { value, part, by }
      return {
        drafts: [{ type: 'sliceEvent', ns: 'notes', name: 'noted', answers: ['secret id'], payload }],
        reply: {},
      }
    },
  }
  const { sessions } = here.process({ answer }, { slices: [notes] })
  const session = await sessions.open({ principal: alice })
  await sessions.handle(session, 'notes', 'my secret', alice)
  expect(JSON.stringify(await eventsOf(here, session))).toMatch(/my secret.*my secret/)
  await sessions.erase(session, { scope: 'session' }, alice)
  const after = await eventsOf(here, session)
  expect(after).toContainEqual(expect.objectContaining({ type: 'sliceEvent', ns: 'notes', name: 'noted' }))
  expect(JSON.stringify(after)).not.toMatch(/secret|alice/)
})

test('an erased session cannot be used, in this process or one that knew it before', async () => {
  const here = testContext()
  const { sessions } = here.process({ answer })
  const other = here.process({ answer })
  const session = await sessions.open({ principal: alice })
  await turn(sessions, session)
  expect((await other.sessions.view(session, alice)).owner).toEqual(alice)
  await sessions.erase(session, { scope: 'session' }, operator)
  for (const process of [sessions, other.sessions]) {
    await expect(process.view(session, alice)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(process.post(session, said('hello?'), alice)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(process.post(session, said('mine now'), bob, {})).rejects.toMatchObject({ code: 'NOT_FOUND' })
  }
  expect((await sessions.list({}, alice)).items).toEqual([])
})

test('an erasure is for the owner and for operators of the tenant, and changes nothing when it is refused', async () => {
  const here = testContext()
  const { sessions } = here.process({ answer })
  const session = await sessions.open({ principal: alice })
  await turn(sessions, session)
  const before = await eventsOf(here, session)
  for (const by of [bob, { ...operator, tenant: 'other' }, { ...alice, tenant: 'other' }]) {
    await expect(sessions.erase(session, { scope: 'session' }, by)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  }
  expect(await eventsOf(here, session)).toEqual(before)
})

test('an erasure ends a turn that runs before it erases', async () => {
  const here = testContext()
  let stopped = false
  const { sessions } = here.process({
    busy: async ({ respond, signal }) => {
      await respond({ parts: [{ partType: 'response', text: 'a secret so far' }], turnState: 'awaiting' })
      await new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          stopped = true
          reject(new Error('stopped'))
        })
      })
    },
  })
  const session = await sessions.open({ principal: alice })
  await sessions.post(session, said('my secret'), alice)
  await eventually(async () => (await eventsOf(here, session)).some(({ type }) => type === 'partReceived'))
  await sessions.erase(session, { scope: 'session' }, alice)
  expect(stopped).toBe(true)
  const events = await eventsOf(here, session)
  expect(events.some(({ type }) => type === 'turnSettled')).toBe(true)
  expect(JSON.stringify(events)).not.toContain('secret')
})

test('an erasure says so when the turn does not end, and erases nothing yet', async () => {
  const here = testContext()
  const gone = here.process({ busy: () => new Promise(() => {}) })
  const session = await gone.sessions.open({ principal: alice })
  await gone.sessions.post(session, said('my secret'), alice)
  gone.crash()
  const store = here.store
  const idle = here.process({ busy: () => new Promise(() => {}) })
  await idle.sessions.stop()
  const erasing = idle.sessions.erase(session, { scope: 'session' }, operator)
  const failed = erasing.catch((error: unknown) => error)
  await eventually(async () => (await eventsOf({ store }, session)).some(({ type }) => type === 'cancelRequested'))
  await here.runtime.clock.advance(30_000)
  expect(isBeachError(await failed, 'TURN_RUNNING')).toBe(true)
  expect(JSON.stringify(await eventsOf({ store }, session))).toContain('my secret')
})

test('an erasure goes on with an erasure that a crash has ended', async () => {
  const here = testContext()
  const first = here.process({ answer })
  const session = await first.sessions.open({ principal: alice })
  await turn(first.sessions, session)
  // It dies after the log says so, and before anything is taken out.
  const erase = here.store.erase.bind(here.store)
  here.store.erase = () => Promise.reject(new Error('died'))
  const dying = here.process({ answer })
  here.store.erase = erase
  await expect(dying.sessions.erase(session, { scope: 'session' }, operator)).rejects.toThrow('died')
  expect(JSON.stringify(await eventsOf(here, session))).toContain('my secret')
  await expect(first.sessions.view(session, alice)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await first.sessions.erase(session, { scope: 'session' }, operator)
  const events = await eventsOf(here, session)
  expect(JSON.stringify(events)).not.toContain('secret')
  const scopes = events.flatMap((event) => (event.type === 'dataErased' ? event.scope : []))
  expect(scopes).toEqual(['session', 'rewritten'])
})

test('an erasure says so when the store fails in the middle of it', async () => {
  const here = testContext()
  const { sessions } = here.process({ answer })
  const session = await sessions.open({ principal: alice })
  await turn(sessions, session)
  const erase = here.store.erase.bind(here.store)
  here.store.erase = (of, events) => (events.length > 0 ? Promise.reject(new Error('disk full')) : erase(of, events))
  const { sessions: other } = here.process({ answer })
  await expect(other.erase(session, { scope: 'session' }, operator)).rejects.toThrow('disk full')
})

test('erases nothing, and says so, when the originators are not in the session', async () => {
  const here = testContext()
  const { sessions } = here.process({ answer })
  const session = await sessions.open({ principal: alice })
  await turn(sessions, session)
  const before = await eventsOf(here, session)
  const what = { scope: 'originators', originatorIds: ['mail:nobody@example.com'] } as const
  expect(await sessions.erase(session, what, operator)).toBe(0)
  expect(await eventsOf(here, session)).toEqual(before)
})

test.each(['session', 'before'] as const)(
  'an erasure is no longer told by a process that had read it: %s',
  async (scope) => {
    const here = testContext()
    const { sessions } = here.process({ answer })
    const session = await sessions.open({ principal: alice })
    await sessions.post(session, said('secret question'), alice)
    const { sessions: other } = here.process({ answer })
    await eventually(async () => (await eventsOf(here, session)).some(({ type }) => type === 'turnSettled'))
    const settled = (await eventsOf(here, session)).find((event) => event.type === 'turnSettled')
    const reported = async () => {
      const envelope = await other.envelope(session, settled?.turnId ?? '', viewer())
      const frames: unknown[] = [envelope]
      for await (const frame of other.history(session, viewer())) frames.push(frame)
      return JSON.stringify(frames)
    }
    expect(await reported()).toContain('secret')
    await here.runtime.clock.advance(1_000)
    const what = scope === 'session' ? { scope } : { scope, before: here.runtime.clock.now() }
    await sessions.erase(session, what, alice)
    if (scope === 'before') expect(await reported()).not.toContain('secret')
    else await expect(reported()).rejects.toMatchObject({ code: 'NOT_FOUND' })
  },
)

test('an erasure takes out what one originator said, and pushes nothing to it any more', async () => {
  const here = testContext()
  const box = postbox()
  const { sessions } = here.process({ answer }, { channels: [box.channel] })
  const session = await sessions.open({ principal: alice })
  const approver = reader('mail:bob@example.com', { principal: bob, address: 'bob@example.com' })
  await sessions.join(session, approver, alice)
  await turn(sessions, session, 'alice speaks')
  await sessions.post(session, { from: approver, parts: said('bob speaks').parts }, operator)
  await eventually(
    async () => (await eventsOf(here, session)).filter(({ type }) => type === 'turnSettled').length === 2,
  )
  await eventually(() => box.attempts.length === 2)
  const other = here.process({ answer })
  expect(JSON.stringify(await other.sessions.originators(session, alice))).toContain('bob')
  await sessions.erase(session, { scope: 'originators', originatorIds: [approver.id] }, operator)
  const text = JSON.stringify(await eventsOf(here, session))
  expect(text).not.toMatch(/bob/)
  expect(text).toContain('alice speaks')
  expect((await sessions.view(session, alice)).originators.map(({ originatorId }) => originatorId)).not.toContain(
    approver.id,
  )
  // What another process had folded before is of what is gone.
  expect((await other.sessions.originators(session, alice)).map(({ id }) => id)).toEqual([viewer().id])
  await turn(sessions, session, 'alice again')
  expect(box.attempts).toHaveLength(2)
})

test('an erasure takes out what one originator decided and called, and leaves what another did', async () => {
  const here = testContext()
  const payer = defineActor(
    async ({ respond, tool, manifest }) => {
      await manifest({ name: 'prices', slots: { a: { work: 'find', args: {} } } })
      await tool({ name: 'pay', args: {}, requiresApproval: true }, async () => 'paid')
      await respond({ parts: [{ partType: 'response', text: 'done' }], turnState: 'complete' })
    },
    { works: { find: { run: async () => 1 } } },
  )
  const { sessions } = here.process({ payer })
  const session = await sessions.open({ principal: alice, approvers: [{ kind: 'user', id: 'bob' }] })
  const approver = reader('mail:bob@example.com', { principal: bob })
  await sessions.join(session, approver, alice)
  const seen = follow(sessions, session)
  await sessions.post(session, said('pay'), alice)
  await seen.until((frame) => frame.kind === 'turn' && frame.turnState === 'suspended')
  const [approvalId = ''] = (await sessions.view(session, alice)).turn?.pendingApprovals ?? []
  await sessions.decide(approvalId, { decision: 'denied', reason: 'a reason of bob' }, bob)
  await seen.settled()
  await sessions.recordCall(session, { callId: 'c1', name: 'look', args: 'asked by alice' }, alice)
  await sessions.recordCall(session, { callId: 'c2', name: 'look', args: 'asked by an operator' }, operator)
  await sessions.erase(session, { scope: 'originators', originatorIds: [approver.id] }, operator)
  const decided = (await eventsOf(here, session)).find(({ type }) => type === 'approvalDecided')
  expect(decided).toMatchObject({ approvalId, decision: 'denied' })
  expect(decided).not.toHaveProperty('payload')
  const left = await eventsOf(here, session)
  expect(JSON.stringify(left)).toMatch(/asked by alice.*asked by an operator/)
  expect(left.find(({ type }) => type === 'manifestOpened')).toMatchObject({ originators: [viewer().id] })
  await sessions.erase(session, { scope: 'originators', originatorIds: [viewer().id] }, operator)
  const text = JSON.stringify(await eventsOf(here, session))
  expect(text).not.toContain('asked by alice')
  expect(text).toContain('asked by an operator')
})

test('an erasure leaves a session that answers on, though a peer that has asked for more than others is erased', async () => {
  const here = testContext()
  const translator = new LlmContextTranslator({ model: { generate: async () => 'in short' } })
  const first = here.process({ answer }, { translator })
  const session = await first.sessions.open({ principal: alice })
  await first.sessions.join(session, reader('peer', { consumes: ['llm-context'] }), alice)
  await turn(first.sessions, session)
  await first.sessions.erase(session, { scope: 'originators', originatorIds: ['peer'] }, operator)
  const { sessions } = here.process({ answer }, { translator })
  await turn(sessions, session, 'and now?')
  const settled = (await eventsOf(here, session)).filter(({ type }) => type === 'turnSettled')
  expect(settled).toMatchObject([{ turnState: 'complete' }, { turnState: 'complete' }])
})

test('an erasure takes out what is too old, and keeps who is there and what is still needed', async () => {
  const here = testContext()
  const box = postbox()
  box.outcome = () => ({ status: 'failed' })
  const remembered: string[] = []
  const remembers: Actor = {
    async run(context) {
      remembered.push(JSON.stringify((await context.history(10)).map(({ messages }) => messages.length)))
      await defineActor(answer).run(context)
    },
  }
  const { sessions } = here.process({ remembers }, { channels: [box.channel] })
  const session = await sessions.open({ principal: alice })
  await turn(sessions, session, 'an old secret')
  await here.runtime.clock.advance(10_000)
  const cut = here.runtime.clock.now()
  await here.runtime.clock.advance(10_000)
  await turn(sessions, session, 'a new one')
  expect(await sessions.erase(session, { scope: 'before', before: cut }, operator)).toBeGreaterThan(0)
  const text = JSON.stringify(await eventsOf(here, session))
  expect(text).not.toContain('old secret')
  expect(text).toContain('a new one')
  const { owner, originators } = await sessions.view(session, alice)
  expect(owner).toEqual(alice)
  expect(originators).toHaveLength(1)
  expect(await sessions.erase(session, { scope: 'before', before: cut }, operator)).toBe(0)
  // What waits to be sent is kept, though it is old.
  await sessions.join(session, reader('mail:bob', { principal: bob }), alice)
  await turn(sessions, session, 'not sent yet')
  await here.runtime.clock.advance(100)
  await sessions.erase(session, { scope: 'before', before: Infinity }, operator)
  expect(JSON.stringify(await eventsOf(here, session))).toContain('not sent yet')
  // Actors are not shown messages without words.
  expect(remembered).toEqual(['[]', '[1]', '[0,1]'])
})

test('an erasure leaves no byte of it in the files of the store', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'beach-erasure-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const runtime = systemRuntime({ logger: silentLogger })
  const store = await SqliteStore.open({ path: join(folder, 'beach.db'), runtime })
  const bytes = () => Buffer.concat(readdirSync(folder).map((name) => readFileSync(join(folder, name))))
  const long = `the long secret ${'x'.repeat(20_000)} ends here`
  const { SessionTurnManager } = await import('../host/session-turn-manager.ts')
  const { partTypeRegistry, turnStates } = await import('@cool-ai/beach-core')
  const sessions = new SessionTurnManager({
    store,
    runtime,
    partTypes: partTypeRegistry,
    turnStates,
    actors: {
      answer: defineActor(({ respond }) =>
        respond({ parts: [{ partType: 'response', text: 'ok' }], turnState: 'complete' }),
      ),
    },
  })
  sessions.start()
  const session = await sessions.open({
    principal: { ...alice, id: 'alice@example.com' },
    key: 'mail:alice@example.com',
  })
  const owner = { ...alice, id: 'alice@example.com' }
  for (let n = 0; n < 30; n++) await sessions.post(session, { ...said(long), from: viewer(owner) }, owner)
  const kept = await sessions.open({ principal: bob })
  await sessions.post(kept, said('what bob said'), bob)
  await eventually(async () => {
    const events = (await store.read(session, 0)).map(({ data }) => data as SessionEvent)
    return events.at(-1)?.type === 'turnSettled' && (await sessions.view(session, owner)).waiting === 0
  })
  await sessions.rebuild(session, operator)
  expect(bytes().includes('alice@example.com')).toBe(true)
  expect(bytes().includes('the long secret')).toBe(true)
  await sessions.erase(session, { scope: 'session' }, operator)
  for (const word of ['the long secret', 'ends here', 'xxxxxxxx', 'alice@example.com']) {
    expect(bytes().includes(word), word).toBe(false)
  }
  expect(bytes().includes('what bob said')).toBe(true)
  await sessions.stop()
  await store.close()
})
