import { readFileSync } from 'node:fs'
import { createBeach, defineActor, openData } from '@cool-ai/beach'
import { isBeachError, systemRuntime, type Principal } from '@cool-ai/beach-core'
import { schemaOf } from '@cool-ai/beach-core/postgres'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { newDatabase } from '../support/postgres.ts'

// A session as the release before has left it: one turn answered, one that waits for an approval.
const before = JSON.parse(readFileSync(new URL('session-of-c4a70e15.json', import.meta.url), 'utf8')) as {
  readonly session: string
  readonly events: readonly { readonly type: string; readonly v: number; readonly approvalId?: string }[]
  readonly keys: readonly { readonly key: string; readonly value: string }[]
}
const ann: Principal = { kind: 'user', id: 'ann', tenant: 'default' }
const page = { id: 'page', transport: 'sse', deliveryClass: 'streaming', principal: ann } as const

let database: Awaited<ReturnType<typeof newDatabase>>
beforeAll(async () => {
  database = await newDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

let agents = 0
const eventually = { timeout: 20_000 }

/** The same actor as in the release before, on data that its last process has written. */
async function agentOn(id = `upgraded-${agents++}`) {
  const logged: { readonly level: string; readonly message: string }[] = []
  const logger = { log: (level: string, message: string) => void logged.push({ level, message }) }
  const runtime = systemRuntime({ logger })
  const secret = new Uint8Array(32).fill(5)
  const data = await openData({ store: database.url, agent: id, secret, runtime })
  const clerk = defineActor(async ({ text, tool, respond }) => {
    const found = await tool({ name: 'look', args: { text }, idempotent: true }, async () => `found ${text}`)
    await respond({ parts: [{ partType: 'ack', text: 'One moment.' }], turnState: 'awaiting' })
    const paid = text.startsWith('pay')
      ? await tool({ name: 'pay', args: { text }, requiresApproval: true }, async () => 'paid')
      : undefined
    const said = `${text}: ${found.outcome === 'ok' ? found.value : found.outcome} ${paid?.outcome ?? ''}`.trim()
    return respond({ parts: [{ partType: 'response', text: said }], turnState: 'complete' })
  })
  const agent = { id, name: 'Clerk', description: 'Pays.' }
  const beach = await createBeach({ agent, actors: { clerk }, runtime, ...data })
  onTestFinished(() => beach.close())
  const say = (text: string) => {
    const parts = [{ text, metadata: { partType: 'message' } }]
    return beach.sessions.post(before.session, { parts, from: page }, ann)
  }
  const typesNow = async () => (await data.store.read(before.session, 0)).map((event) => event.data as { type: string })
  const count = async (type: string) => (await typesNow()).filter((event) => event.type === type).length
  return { id, beach, store: data.store, say, count, logged }
}

async function withSession() {
  const agent = await agentOn()
  for (const { key, value } of before.keys) await agent.store.bind(key, value)
  const head = await agent.store.append(before.session, 0, before.events)
  return { ...agent, head }
}

test('a turn that waits since the release before goes on with its approval, and the session takes messages', async () => {
  const { beach, say, store, count } = await withSession()
  const { approvalId = '' } = before.events.findLast(({ type }) => type === 'approvalRequested') ?? {}
  expect(await beach.sessions.decide(approvalId, { decision: 'granted' }, ann)).toBe('decided')
  await expect.poll(() => count('turnSettled'), eventually).toBe(2)
  await say('look again')
  await expect.poll(() => count('turnSettled'), eventually).toBe(3)
  const text = JSON.stringify(await store.read(before.session, 0))
  expect(text).toContain('pay the bill: found pay the bill ok')
  expect(text).toContain('look again: found look again')
})

test('events of types that only a newer release knows are kept, shown to no viewer, and do not stop the session', async () => {
  const { beach, store, head, count } = await withSession()
  const newer = { type: 'moonPhaseNoted', id: 'ev_new', v: 1, at: 1, phase: 'full', payload: { secret: 'of the moon' } }
  const widened = { ...before.events[1], id: 'ev_wider', messageId: 'msg_wider', mood: 'curious' }
  await store.append(before.session, head, [newer, widened], 0)
  const { approvalId = '' } = before.events.findLast(({ type }) => type === 'approvalRequested') ?? {}
  await beach.sessions.decide(approvalId, { decision: 'denied' }, ann)
  await expect.poll(() => count('turnSettled'), eventually).toBe(3)
  expect((await store.read(before.session, 0)).map(({ data }) => data)).toEqual(
    expect.arrayContaining([newer, widened]),
  )
  const frames = await Array.fromAsync(beach.sessions.history(before.session, page))
  expect(JSON.stringify(frames)).not.toContain('moon')
})

test('a session with events of a later version is refused with a sentence and left to other processes, the rest goes on', async () => {
  const { id, beach, store, head, say, logged, count } = await withSession()
  const later = { type: 'messageReceived', id: 'ev_later', v: 2, at: 1, body: 'in another form' }
  await store.append(before.session, head, [later], 0)
  await expect
    .poll(() => logged.map(({ message }) => message).join(), eventually)
    .toContain('this process reads up to version 1')
  const refusal: unknown = await say('still there?').catch((error: unknown) => error)
  expect(isBeachError(refusal, 'NEWER_VERSION')).toBe(true)
  expect(refusal).toMatchObject({ status: 503, retryable: true })
  expect((await store.read(before.session, 0)).length).toBe(before.events.length + 1)
  // Its lease is free again, long before it would have run out.
  const row = async () => {
    const found = `SELECT owner, due FROM ${schemaOf(id)}.session WHERE session = '${before.session}'`
    return (await database.query<{ owner: string | null; due: string | null }>(found)).rows[0]
  }
  await expect.poll(async () => (await row())?.owner, eventually).toBeNull()
  expect((await row())?.due).not.toBeNull()
  const other = await beach.sessions.open({ principal: ann })
  const parts = [{ text: 'look', metadata: { partType: 'message' } }]
  await beach.sessions.post(other, { parts, from: page }, ann)
  await expect.poll(async () => JSON.stringify(await store.read(other, 0)), eventually).toContain('turnSettled')
  expect(await count('turnSettled')).toBe(1)
})
