import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { defineActor, openData } from '@cool-ai/beach'
import type { Store } from '@cool-ai/beach-core'
import type { SessionEvent } from '@cool-ai/beach-core/log'
import { MemoryIdentityStore, MemoryMissiveStore, type Missive } from '@cool-ai/beach-missives'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { describe, expect, test } from 'vitest'
import {
  ann,
  eventually,
  folderOfTest,
  kept,
  operator,
  say,
  short,
  simulated,
  startAgent,
  text,
  viewer,
  type Agent,
} from './test-context.ts'

/** Lets the clock go on, and everything happen that waits for it. */
async function pass(runtime: ReturnType<typeof simulated>, ms: number): Promise<void> {
  await runtime.clock.advance(ms)
  for (let n = 0; n < 50; n++) await new Promise((resolve) => setImmediate(resolve))
}

/** Everything that is kept, oldest first. */
async function all(agent: Agent): Promise<Missive[]> {
  const found: Missive[] = []
  for (let after: string | undefined; ;) {
    const { items, next } = await agent.missives.find({ limit: 200, ...(after && { after }) }, operator)
    found.push(...items)
    after = next
    if (after === undefined) return found.toReversed()
  }
}

describe('missives follow behind', () => {
  test('a moment after what happens, without being asked', async () => {
    const runtime = simulated()
    const agent = await startAgent({ runtime })
    const session = await agent.sessions.open({ principal: ann })
    await say(agent, session, 'hello')
    expect(await all(agent)).toEqual([])
    await pass(runtime, 250)
    await eventually(async () => (await all(agent)).length === 2)
  })

  test('a turn that is under way is read when it has settled, when it takes long, and when a caller waits for it', async () => {
    const runtime = simulated()
    let finish = () => {}
    const slow = defineActor(async ({ respond }) => {
      await respond({ parts: [{ partType: 'ack', text: 'one moment' }], turnState: 'awaiting' })
      await new Promise<void>((resolve) => (finish = resolve))
      await respond({ parts: [{ partType: 'response', text: 'done' }], turnState: 'complete' })
    })
    const agent = await startAgent({ runtime, actors: { slow } })
    const begin = async (words: string) => {
      const session = await agent.sessions.open({ principal: ann })
      await pass(runtime, 250)
      await agent.sessions.post(session, { parts: [text(words)], from: viewer() }, ann)
      await pass(runtime, 9_000)
    }
    await begin('first')
    expect(await all(agent)).toEqual([])
    finish()
    await pass(runtime, 0)
    await pass(runtime, 250)
    await eventually(async () => (await all(agent)).length === 2)
    await begin('second')
    expect(await all(agent)).toHaveLength(2)
    await pass(runtime, 1_000)
    await pass(runtime, 250)
    await eventually(async () => (await all(agent)).length === 3)
    await begin('third')
    expect(await kept(agent)).toHaveLength(4)
  })

  test('what happened without the follower is kept at the next start, once', async () => {
    const folder = folderOfTest()
    const before = await startAgent({ folder, data: { missives: false } })
    const session = await before.sessions.open({ principal: ann })
    for (let n = 0; n < 130; n++) await say(before, session, `message ${n}`)
    await before.close()
    const after = await startAgent({ folder })
    await eventually(async () => (await all(after)).length === 260)
    const first = await all(after)
    expect(new Set(first.map(({ missiveId }) => missiveId)).size).toBe(260)
    await after.close()
    const again = await startAgent({ folder })
    await say(again, session, 'one more')
    await again.missives.caughtUp()
    expect((await all(again)).slice(0, 260)).toEqual(first)
    expect(await all(again)).toHaveLength(262)
  })

  test('a file that was deleted is made anew, with the same ids', async () => {
    const folder = folderOfTest()
    const before = await startAgent({ folder })
    const session = await before.sessions.open({ principal: ann })
    await say(before, session, 'please book and think')
    const kept1 = await kept(before)
    await before.close()
    for (const end of ['', '-wal', '-shm']) rmSync(join(folder, `missives.db${end}`), { force: true })
    const after = await startAgent({ folder })
    await eventually(async () => (await all(after)).length === kept1.length)
    expect(await all(after)).toEqual(kept1)
  })

  test('a turn does not wait for them, nor fail with them', async () => {
    const runtime = simulated()
    const broken = new MemoryMissiveStore()
    let isBroken = true
    const place = broken.place.bind(broken)
    broken.place = (session) => (isBroken ? Promise.reject(new Error('the disk is full')) : place(session))
    const agent = await startAgent({
      runtime,
      data: { missives: { store: broken, identities: new MemoryIdentityStore() } },
    })
    const session = await agent.sessions.open({ principal: ann })
    await say(agent, session, 'hello')
    await pass(runtime, 250)
    await expect(agent.missives.caughtUp()).rejects.toThrow('the disk is full')
    isBroken = false
    await pass(runtime, 5_000)
    await pass(runtime, 250)
    await eventually(async () => (await all(agent)).length === 2)
  })

  test('one session that cannot be read keeps no other from being kept', async () => {
    const runtime = simulated()
    const store: Store = new MemoryStore({ runtime })
    const read = store.read.bind(store)
    let bad = ''
    store.read = (session, ...rest) => {
      if (session === bad) return Promise.reject(new Error('damaged'))
      return read(session, ...rest)
    }
    const missives = { store: new MemoryMissiveStore(), identities: new MemoryIdentityStore() }
    const agent = await startAgent({ runtime, data: { store, missives } })
    bad = await agent.sessions.open({ principal: ann })
    const good = await agent.sessions.open({ principal: ann })
    await say(agent, good, 'hello')
    await pass(runtime, 250)
    await eventually(async () => (await all(agent)).length === 2)
    bad = ''
    await pass(runtime, 5_000)
    await pass(runtime, 250)
    await eventually(async () => (await missives.store.sessions()).length === 2)
  })

  test('what another process has written is found within the hour', async () => {
    const runtime = simulated()
    const store = new MemoryStore({ runtime })
    const missives = { store: new MemoryMissiveStore(), identities: new MemoryIdentityStore() }
    const other = await startAgent({ runtime, data: { store, missives: false } })
    const agent = await startAgent({ runtime, data: { store, missives } })
    const session = await other.sessions.open({ principal: ann })
    await say(other, session, 'elsewhere')
    await pass(runtime, 60 * 60 * 1_000)
    await eventually(async () => (await all(agent)).length === 2)
    expect((await all(agent)).map(short)).toEqual([
      'in sse received: elsewhere',
      'out sse offered: You said: elsewhere',
    ])
    // A session that is dropped takes its missives with it.
    await store.drop(session)
    await pass(runtime, 60 * 60 * 1_000)
    await eventually(async () => (await all(agent)).length === 0)
  })

  test('logs of channels are no sessions', async () => {
    const runtime = simulated()
    const store = new MemoryStore({ runtime })
    const missives = { store: new MemoryMissiveStore(), identities: new MemoryIdentityStore() }
    const agent = await startAgent({ runtime, data: { store, missives } })
    await store.append('person:sms:default:x', 0, [{ type: 'asked' }])
    await store.bind('session:default:user~ann:0:person', 'person:sms:default:x')
    await pass(runtime, 60 * 60 * 1_000)
    expect(await all(agent)).toEqual([])
    expect(await missives.store.sessions()).toEqual([])
  })
})

test('kill -9 loses none and doubles none', async () => {
  const folder = folderOfTest()
  const acknowledged: string[] = []
  for (let round = 0; round < 3; round++) acknowledged.push(...(await writeUntilKilled(folder, 120)))
  // Nothing runs here but the keeping itself.
  const data = await openData({ folder })
  const events: SessionEvent[] = []
  for (const { value } of await data.store.list('session:')) {
    events.push(...(await data.store.read(value, 0)).map((stored) => stored.data as SessionEvent))
  }
  await data.store.close()
  await data.missives.store.close()
  await data.missives.identities.close()
  const received = events.filter((event) => event.type === 'messageReceived')
  expect(received.map(({ messageId }) => messageId)).toEqual(expect.arrayContaining(acknowledged))

  const agent = await startAgent({ folder })
  const inbound = async () => (await all(agent)).filter(({ direction }) => direction === 'in')
  await eventually(async () => (await inbound()).length >= received.length)
  await agent.missives.caughtUp()
  const places = (await inbound()).map(({ sessionId, seq }) => `${sessionId} ${seq}`)
  expect(places).toHaveLength(received.length)
  expect(new Set(places).size).toBe(received.length)
})

/** Runs the writer until it has acknowledged so many messages, then kills it. */
async function writeUntilKilled(folder: string, count: number): Promise<string[]> {
  const script = fileURLToPath(new URL('writer-program.ts', import.meta.url))
  const child = spawn(process.execPath, ['--conditions=@cool-ai/source', script, folder], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const seen: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    const messageId = line.split(' ')[1]
    if (messageId !== undefined && messageId !== '' && line.startsWith('sess_')) seen.push(messageId)
    if (seen.length === count) child.kill('SIGKILL')
  }
  await exited
  // The last line may have been cut off.
  return seen.slice(0, count)
}
