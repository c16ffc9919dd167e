import { statSync } from 'node:fs'
import { join } from 'node:path'
import { defineActor, type ActorContext } from '@cool-ai/beach'
import { silentLogger, SimulatedClock, simulatedRuntime, type Principal, type Store } from '@cool-ai/beach-core'
import { MemoryArtifactStore, MemoryIdentityStore, MemoryMissiveStore } from '@cool-ai/beach-missives'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { describe, expect, test } from 'vitest'
import { MailRecords } from '../../packages/email/src/mail-records.ts'
import {
  ann,
  eventually,
  folderOfTest,
  kept,
  mailer,
  operator,
  Post,
  say,
  simulated,
  startAgent,
  text,
  viewer,
} from './test-context.ts'

const day = 24 * 60 * 60 * 1_000
const guest: Principal = { kind: 'anonymous', id: 'anon_1', tenant: 'default' }
const gone = { code: 'NOT_FOUND' }

type Simulated = ReturnType<typeof simulated>

function stores(runtime: Simulated) {
  const missives = { store: new MemoryMissiveStore(), identities: new MemoryIdentityStore() }
  return { store: new MemoryStore({ runtime }), missives, artifacts: new MemoryArtifactStore({ runtime }) }
}

async function settle(): Promise<void> {
  for (let round = 0; round < 300; round++) await new Promise((resolve) => setImmediate(resolve))
}

/** Lets that much time go by, and the upkeep of the day after it; it rests between its steps. */
async function pass(runtime: Simulated, ms: number): Promise<void> {
  await runtime.clock.advance(ms)
  await settle()
  await runtime.clock.advance(day + 60_000)
  await minutes(runtime, 3)
}

async function minutes(runtime: Simulated, count: number): Promise<void> {
  for (let minute = 0; minute < count; minute++) {
    await settle()
    await runtime.clock.advance(60_000)
  }
  await settle()
}

async function seconds(runtime: Simulated, count: number): Promise<void> {
  for (let second = 0; second < count; second++) {
    await runtime.clock.advance(1_000)
    await settle()
  }
}

async function keysOf(store: Store, prefix: string): Promise<string[]> {
  return (await store.list(prefix, undefined, 100_000)).map(({ value }) => value)
}

/** Asks for an approval before it answers. */
async function careful({ text: words, tool, respond }: ActorContext): Promise<void> {
  await tool({ name: 'book', args: { words }, requiresApproval: true }, async () => 'booked')
  await respond({ parts: [{ partType: 'response', text: 'Booked.' }], turnState: 'complete' })
}

describe('keys', () => {
  test('of an approval go 30 days after its request, but not while it is pending', async () => {
    const runtime = simulated()
    const context = stores(runtime)
    const agent = await startAgent({ data: context, runtime, actors: { careful: defineActor(careful) } })
    const ask = async () => {
      const session = await agent.sessions.open({ principal: ann })
      await agent.sessions.post(session, { parts: [text('go')], from: viewer() }, ann)
      const pending = async () => (await agent.sessions.view(session, ann)).turn?.pendingApprovals[0]
      await eventually(async () => (await pending()) !== undefined)
      return { session, approvalId: (await pending()) ?? '' }
    }
    const grant = async (approvalId: string) => {
      const granted = agent.sessions.decide(approvalId, { decision: 'granted' }, ann)
      // A grant waits a moment for a denial.
      await runtime.clock.advance(100)
      return granted
    }
    const [decided, pending] = [await ask(), await ask()]
    expect(await grant(decided.approvalId)).toBe('decided')
    await eventually(async () => (await agent.sessions.view(decided.session, ann)).turn === undefined)
    await pass(runtime, 27 * day)
    expect(await keysOf(context.store, 'approval:')).toHaveLength(2)
    expect(await agent.sessions.decide(decided.approvalId, { decision: 'denied' }, ann)).toBe('already')
    await pass(runtime, 5 * day)
    expect(await keysOf(context.store, 'approval:')).toEqual([pending.session])
    expect(await grant(pending.approvalId)).toBe('decided')
  })

  test('of dead letters go 30 days after the delivery was given up', async () => {
    const runtime = simulated()
    const context = stores(runtime)
    const post = new Post()
    post.outcome = () => ({ status: 'refused', reason: 'no' })
    const agent = await startAgent({ data: context, runtime, channels: [post.channel] })
    const session = await agent.sessions.open({ principal: ann })
    await say(agent, session, 'hello', mailer('ann@example.com', ann))
    const letters = async () => (await agent.sessions.deadLetters({}, operator)).items
    await eventually(async () => (await letters()).length === 1)
    await pass(runtime, 20 * day)
    expect(await letters()).toHaveLength(1)
    await pass(runtime, 10 * day)
    expect(await letters()).toEqual([])
  })

  test('that open a session stay as long as it, and go when there is none', async () => {
    const runtime = simulated()
    const context = stores(runtime)
    const agent = await startAgent({ data: context, runtime })
    const session = await agent.sessions.open({ principal: ann, key: 'thread-1' })
    // The process that bound this one died before it opened the session, or listed it and died.
    await context.store.bind('ext:default:thread-2', 'sess_never')
    await context.store.bind('session:default:user~ann:8000000000000:sess_never', 'sess_never')
    await pass(runtime, 400 * day)
    expect(await keysOf(context.store, 'ext:')).toEqual([session])
    expect(await agent.sessions.open({ principal: ann, key: 'thread-1' })).toBe(session)
    expect((await agent.sessions.list({}, ann)).items.map(({ sessionId }) => sessionId)).toEqual([session])
  })

  test('of mails stay while their conversation goes on, and go a year after it came to rest', async () => {
    const runtime = simulated()
    const context = stores(runtime)
    const agent = await startAgent({ data: context, runtime })
    const records = new MailRecords(context.store, 'default')
    const session = await agent.sessions.open({ principal: ann })
    await say(agent, session, 'first')
    await records.keepSentMail('live', { session, address: 'ann@example.com', principal: ann })
    await records.keepSentMail('lost', { session: 'sess_never', address: 'ann@example.com', principal: ann })
    await records.markTaken('live', session)
    await records.markTaken('nowhere')
    await records.markSent('live')
    await records.markUndeliverable('bob@example.com', '5.1.1')
    await records.takePlace('cap:abc:1', 'mail', 1)
    await pass(runtime, 20 * day)
    expect(await records.wasSent('live')).toBe(true)
    expect(await records.taken('nowhere')).toBe('')
    expect(await keysOf(context.store, 'email:default:cap:')).toEqual([])
    await pass(runtime, 15 * day)
    expect(await records.wasSent('live')).toBe(false)
    expect(await records.taken('nowhere')).toBeUndefined()
    expect(await records.undeliverable('bob@example.com')).toBeUndefined()
    expect(await records.sentMail('lost')).toBeUndefined()
    expect(await records.taken('live')).toBe(session)
    expect((await records.sentMail('live'))?.session).toBe(session)
    await pass(runtime, 300 * day)
    await say(agent, session, 'still here')
    await pass(runtime, 300 * day)
    expect((await records.sentMail('live'))?.session).toBe(session)
    await pass(runtime, 100 * day)
    expect(await records.sentMail('live')).toBeUndefined()
    await pass(runtime, day)
    expect(await keysOf(context.store, 'email:')).toEqual([])
  })

  test('are gone through a bounded piece at a time', async () => {
    const runtime = simulated()
    const context = stores(runtime)
    await startAgent({ data: { ...context, missives: false }, runtime })
    for (let n = 0; n < 5_000; n++) await context.store.bind(`session:default:user~ann:8:sess_${n}`, `sess_${n}`)
    await runtime.clock.advance(2 * day)
    await settle()
    await seconds(runtime, 10)
    const left = (await keysOf(context.store, 'session:')).length
    expect(left).toBeGreaterThan(0)
    expect(left).toBeLessThan(5_000)
    await seconds(runtime, 100)
    await pass(runtime, day)
    expect(await keysOf(context.store, 'session:')).toEqual([])
  })
})

describe('sessions', () => {
  test('of guests go: empty ones after 30 days, others a year after the last word; those of users stay', async () => {
    const runtime = simulated()
    const context = stores(runtime)
    const agent = await startAgent({ data: context, runtime })
    const empty = await agent.sessions.open({ principal: guest })
    const used = await agent.sessions.open({ principal: guest, key: 'used' })
    const users = await agent.sessions.open({ principal: ann })
    const about = { name: 'a.txt', mimeType: 'text/plain', tenant: 'default', session: used }
    const artifact = await context.artifacts.put(Buffer.from('bytes'), about)
    const named = { data: { ...artifact }, metadata: { partType: 'artifact' } }
    await say(agent, used, [text('a guest’s words'), named], viewer(guest))
    await say(agent, users, 'a user’s words')
    await kept(agent)
    await pass(runtime, 29 * day)
    const listed = async (by: Principal) => (await agent.sessions.list({}, by)).items.map(({ sessionId }) => sessionId)
    expect(await listed(guest)).toEqual([used])
    expect(await context.store.read(empty, 0)).toEqual([])
    await pass(runtime, 340 * day)
    expect(await listed(guest)).toEqual([])
    expect(await listed(ann)).toEqual([users])
    expect(await context.store.read(used, 0)).toEqual([])
    await expect(agent.sessions.view(used, guest)).rejects.toMatchObject(gone)
    expect((await kept(agent)).map(({ sessionId }) => sessionId)).toEqual([users, users])
    expect(await context.artifacts.get(artifact.artifactId, 'default')).toBeUndefined()
    await pass(runtime, day)
    expect(await keysOf(context.store, 'ext:')).toEqual([])
    // A person who comes back begins anew.
    const again = await agent.sessions.open({ principal: guest, key: 'used' })
    await say(agent, again, 'hello again', viewer(guest))
    expect(await listed(guest)).toEqual([again])
  })

  test('go as a whole after the time that was given, but not while something is under way', async () => {
    const runtime = simulated()
    const context = stores(runtime)
    const actors = { careful: defineActor(careful) }
    const agent = await startAgent({ data: { ...context, retention: { sessionsMs: 10 * day } }, runtime, actors })
    const waiting = await agent.sessions.open({ principal: ann })
    const idle = await agent.sessions.open({ principal: ann })
    await agent.sessions.post(waiting, { parts: [text('go')], from: viewer() }, ann)
    await eventually(async () => (await agent.sessions.view(waiting, ann)).turn?.turnState === 'suspended')
    await pass(runtime, 20 * day)
    expect((await agent.sessions.list({}, ann)).items.map(({ sessionId }) => sessionId)).toEqual([waiting])
    expect((await agent.sessions.view(waiting, ann)).turn?.pendingApprovals).toHaveLength(1)
    await expect(agent.sessions.view(idle, ann)).rejects.toMatchObject(gone)
  })

  test('are dropped by an agent that keeps no missives too, and by two processes at once without harm', async () => {
    const runtime = simulated()
    const { store } = stores(runtime)
    const [one] = [
      await startAgent({ data: { store, missives: false }, runtime }),
      await startAgent({ data: { store, missives: false }, runtime }),
    ]
    for (let n = 0; n < 20; n++) await one.sessions.open({ principal: { ...guest, id: `anon_${n}` } })
    const users = await one.sessions.open({ principal: ann })
    await pass(runtime, 40 * day)
    expect(await keysOf(store, 'session:')).toEqual([users])
    expect(await keysOf(store, 'drop:')).toEqual([])
  })

  test.each(['closing', 'dropping', 'unlisting'])(
    'are dropped to the end by the next process when one dies while %s',
    async (step) => {
      const runtime = simulated()
      const context = stores(runtime)
      const agent = await startAgent({ data: { ...context, missives: false }, runtime })
      const session = await agent.sessions.open({ principal: guest })
      const dies = async () => {
        throw new Error('The process has died.')
      }
      if (step === 'closing') context.store.append = dies
      if (step === 'dropping') context.store.drop = dies
      if (step === 'unlisting') {
        const unbind = context.store.unbind.bind(context.store)
        context.store.unbind = (key) => (key.startsWith('upkeep:') ? unbind(key) : dies())
      }
      await pass(runtime, 31 * day)
      expect(await keysOf(context.store, 'drop:')).toHaveLength(1)
      for (const name of ['append', 'drop', 'unbind']) Reflect.deleteProperty(context.store, name)
      await startAgent({ data: { ...context, missives: false }, runtime })
      await runtime.clock.advance(60_000)
      await settle()
      expect(await context.store.read(session, 0)).toEqual([])
      expect((await context.store.list('')).filter(({ key }) => !/^(?:upkeep|audit-chain):/.test(key))).toEqual([])
    },
  )

  test('and keys all stay where retention is false, and times that cannot be meant are refused', async () => {
    const runtime = simulated()
    const context = stores(runtime)
    const agent = await startAgent({ data: { ...context, retention: false }, runtime })
    const session = await agent.sessions.open({ principal: guest })
    await pass(runtime, 1_000 * day)
    expect((await agent.sessions.list({}, guest)).items).toMatchObject([{ sessionId: session }])
    for (const retention of [{ recordsMs: day }, { sessionsMs: Number.NaN }, { sessionMs: 9 * day } as object]) {
      await expect(startAgent({ data: { ...context, retention }, runtime })).rejects.toMatchObject({
        code: 'INVALID_CONFIGURATION',
      })
    }
  })
})

test('nothing goes on the word of a clock that is wrong for less than a day', async () => {
  const runtime = simulated()
  const context = stores(runtime)
  const agent = await startAgent({ data: { ...context, missives: false }, runtime })
  const session = await agent.sessions.open({ principal: guest })
  await pass(runtime, day)
  // Another process starts, on a machine whose clock is two years ahead.
  const ahead = simulatedRuntime({ logger: silentLogger, clock: new SimulatedClock(runtime.clock.now() + 730 * day) })
  const wrong = await startAgent({ data: { ...context, missives: false }, runtime: ahead })
  await minutes(ahead, 30)
  expect((await wrong.sessions.list({}, guest)).items).toMatchObject([{ sessionId: session }])
  await pass(ahead, day)
  expect((await wrong.sessions.list({}, guest)).items).toEqual([])
})

describe('on the disk', () => {
  const sizes = (folder: string) => {
    const [log, missives] = ['beach.db', 'missives.db'].map((name) => statSync(join(folder, name)).size)
    return { log: log ?? 0, missives: missives ?? 0 }
  }

  /** What turns with these words leave behind. */
  async function leftBy(turns: readonly string[]) {
    const folder = folderOfTest()
    await (await startAgent({ folder })).close()
    const before = sizes(folder)
    const actors = { brief: defineActor(({ respond }) => respond({ parts: [answer], turnState: 'complete' })) }
    const answer = {
      partType: 'response',
      text: 'The hotel near the harbour has a room with breakfast for two nights.',
    }
    const agent = await startAgent({ folder, actors })
    const session = await agent.sessions.open({ principal: guest })
    for (const words of turns) await say(agent, session, words, viewer(guest))
    await kept(agent)
    await agent.close()
    const after = sizes(folder)
    return { folder, log: after.log - before.log, missives: after.missives - before.missives }
  }

  test('missives take less than half of what the log takes', async () => {
    const words = (n: number) => `Is there a room for ${n} people from friday on, with a view of harbour ${n * 7}?`
    const left = await leftBy(Array.from({ length: 120 }, (_, n) => words(n)))
    expect(left.missives).toBeLessThan(left.log / 2)
  })

  test('a large part is kept once: missives read it from the log, find it, and lose it with the log', async () => {
    // Words that no compression makes much smaller.
    const large = (n: number) => {
      let state = n
      const next = () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648).toString(36)
      return `unmistakable${n} ${Array.from({ length: 40_000 }, next).join(' ')}`.slice(0, 250_000)
    }
    const left = await leftBy([large(1), large(2), large(3), large(4)])
    expect(left.log + left.missives).toBeLessThan(4 * 350_000)
    const agent = await startAgent({ folder: left.folder })
    const { items } = await agent.missives.find({ text: 'unmistakable3' }, operator)
    expect(items.map(({ parts }) => parts[0]?.text)).toEqual([large(3)])
    await agent.missives.erase({ session: items[0]?.sessionId ?? '' }, operator)
    expect((await agent.missives.find({ text: 'unmistakable3' }, operator)).items).toEqual([])
  })
})
