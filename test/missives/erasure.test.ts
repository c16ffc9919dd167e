import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineActor, openData } from '@cool-ai/beach'
import type { ArtifactStore } from '@cool-ai/beach-core'
import type { PersonRecord } from '@cool-ai/beach-missives'
import type { SessionEvent } from '@cool-ai/beach-core/log'
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
  type Agent,
} from './test-context.ts'

/** All bytes of all files under a folder. */
function bytesIn(folder: string): Buffer {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return Buffer.concat(files.map((entry) => readFileSync(join(entry.parentPath, entry.name))))
}

function leftOf(folder: string, ...words: string[]): string[] {
  const bytes = bytesIn(folder)
  return words.filter((word) => bytes.includes(word))
}

const file = (words: string, session?: string) =>
  [
    Buffer.from(words),
    { name: 'note.txt', mimeType: 'text/plain', tenant: 'default', ...(session && { session }) },
  ] as const

async function artifactPart(artifacts: ArtifactStore, words: string, session?: string) {
  const artifact = await artifacts.put(...file(words, session))
  return { artifact, part: { data: { ...artifact }, metadata: { partType: 'artifact' } } }
}

describe('an erased session', () => {
  test('leaves no byte of it in any file, and other people’s data as it was', async () => {
    const folder = folderOfTest()
    const data = await openData({ folder })
    const agent = await startAgent({ data, channels: [new Post().channel] })
    const owner = { kind: 'user', id: 'ann.secretowner', tenant: 'default' } as const
    const mine = await agent.sessions.open({ principal: owner, key: 'thread:ann.secretowner' })
    const theirs = await agent.sessions.open({ principal: bob })
    const { part } = await artifactPart(data.artifacts, 'bytes of the secretfile', mine)
    const shared = await artifactPart(data.artifacts, 'bytes that bob has too')
    for (let n = 0; n < 20; n++) {
      await say(agent, mine, [text(`secretword ${n} ${'and more '.repeat(n * 50)}`)], viewer(owner))
    }
    await say(agent, mine, [text('see this'), part, shared.part], mailer('secretaddress@example.com', owner))
    await say(agent, theirs, [text('what bob said'), shared.part], viewer(bob))
    await kept(agent)
    const words = ['secretword', 'secretowner', 'secretaddress', 'secretfile', 'and more and more']
    expect(leftOf(folder, ...words)).toEqual(words)

    await agent.missives.erase({ session: mine }, owner)

    expect(leftOf(folder, ...words)).toEqual([])
    expect(leftOf(folder, 'what bob said', 'bytes that bob has too')).toHaveLength(2)
    expect((await kept(agent)).map(({ sessionId }) => sessionId)).toEqual([theirs, theirs])
    expect((await agent.missives.find({ text: 'secretword' }, operator)).items).toEqual([])
    await expect(agent.sessions.view(mine, owner)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    // A person who writes in that thread again begins anew.
    expect(await agent.sessions.open({ principal: owner, key: 'thread:ann.secretowner' })).not.toBe(mine)
    await agent.missives.rebuild(operator)
    expect((await kept(agent)).map(({ sessionId }) => sessionId)).toEqual([theirs, theirs])
  })

  test('is for its owner and for operators', async () => {
    const agent = await startAgent()
    const session = await agent.sessions.open({ principal: ann })
    await say(agent, session, 'hello')
    for (const by of [bob, { ...ann, tenant: 'foreign' }, { ...operator, tenant: 'foreign' }]) {
      await expect(agent.missives.erase({ session }, by)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    }
    expect(await kept(agent)).toHaveLength(2)
    await agent.missives.erase({ session }, operator)
    expect(await kept(agent)).toEqual([])
    // Once more changes nothing.
    await agent.missives.erase({ session }, operator)
    await expect(agent.missives.erase({ session }, ann)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test('is erased though its turn still runs', async () => {
    const runtime = simulated()
    const agent = await startAgent({
      runtime,
      actors: {
        slow: defineActor(async ({ signal }) => {
          await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))))
        }),
      },
    })
    const session = await agent.sessions.open({ principal: ann })
    await agent.sessions.post(session, { parts: [text('secret')], from: viewer() }, ann)
    await agent.missives.erase({ session }, ann)
    expect(await kept(agent)).toEqual([])
  })
})

describe('an erased person', () => {
  async function story(agent: Agent) {
    const own = await agent.sessions.open({ principal: ann })
    const guest = { kind: 'anonymous', id: 'anon_ann', tenant: 'default' } as const
    const page = await agent.sessions.open({ principal: guest })
    const silent = await agent.sessions.open({ principal: ann })
    const others = await agent.sessions.open({ principal: bob })
    await say(agent, own, 'ann writes', mailer('ann@example.com', ann))
    await say(agent, page, 'ann at the page', viewer(guest))
    await agent.sessions.join(others, mailer('ann@example.com', ann), bob)
    await say(agent, others, 'bob asks', viewer(bob))
    await say(agent, others, 'ann helps bob', mailer('ann@example.com', ann), operator)
    await agent.missives.identities.join(
      ['email:ann@example.com', 'principal:anonymous~anon_ann', 'principal:user~ann'],
      operator,
    )
    return { own, page, silent, others }
  }

  test('is gone everywhere: own sessions, words in those of others, files, keys, identities and what channels know', async () => {
    const folder = folderOfTest()
    const post = new Post()
    const data = await openData({ folder })
    const agent = await startAgent({ data, channels: [post.channel] })
    const { own, page, silent, others } = await story(agent)
    await data.store.bind('email:default:undeliverable:ann@example.com', 'a reason')
    await data.store.bind('email:default:undeliverable:joann@example.com', 'another')
    await kept(agent)
    expect(leftOf(folder, 'ann@example.com', 'anon_ann', 'ann writes', 'ann helps bob')).toHaveLength(4)

    await agent.missives.erase({ person: 'email:Ann@example.com' }, operator)

    for (const session of [own, page, silent]) {
      await expect(agent.sessions.view(session, operator)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    }
    expect((await kept(agent)).map(short)).toEqual(['in sse received: bob asks', 'out sse offered: You said: bob asks'])
    expect((await agent.sessions.view(others, bob)).originators.map(({ transport }) => transport)).toEqual(['sse'])
    expect(post.forgotten).toContain('smtp:ann@example.com')
    expect(await agent.missives.identities.of('email:ann@example.com', 'default')).toEqual({
      addresses: ['email:ann@example.com'],
    })
    expect((await data.store.list('email:')).map(({ key }) => key)).toEqual([
      'email:default:undeliverable:joann@example.com',
    ])
    const bytes = bytesIn(folder).toString('latin1').replaceAll('joann@example.com', '')
    for (const word of ['ann@example.com', 'anon_ann', 'user~ann', 'ann writes', 'ann at the page']) {
      expect(bytes.includes(word), word).toBe(false)
    }
    // What the agent has said to bob is bob's, though it repeats her words.
    expect(bytes.includes('bob asks')).toBe(true)
    const { events } = await Promise.resolve({ events: await agent.missives.identities.events({}, operator) })
    expect(events.items.map(({ kind }) => kind)).toContain('erased')
    await agent.missives.rebuild(operator)
    expect((await kept(agent)).map(short)).not.toContain('in smtp received: ann helps bob')
  })

  test('is exported before with all that an erasure would find, and with nothing of others', async () => {
    const data = await openData({ folder: folderOfTest() })
    const agent = await startAgent({ data, memory: true, channels: [new Post().channel] })
    const { own, page, silent, others } = await story(agent)
    await data.store.bind('email:default:undeliverable:ann@example.com', 'a reason')
    await data.store.bind('email:default:undeliverable:joann@example.com', 'another')
    await data.store.bind('email:foreign:undeliverable:ann@example.com', 'of another tenant')
    await agent.memory?.consent(ann)
    await agent.memory?.remember(ann, { text: 'likes tea', key: 'k', sessionId: own, origins: ['user'] })
    await agent.memory?.consent(bob)
    await agent.memory?.remember(bob, { text: 'likes rum', key: 'k', sessionId: others, origins: ['user'] })
    const { part } = await artifactPart(data.artifacts, 'what ann has sent', own)
    await artifactPart(data.artifacts, 'never named', silent)
    await artifactPart(data.artifacts, "bob's file", others)
    await say(agent, own, [text('see this'), part], mailer('ann@example.com', ann))
    const records = await Array.fromAsync(agent.missives.personData('email:Ann@example.com', operator))
    const of = <Kind extends PersonRecord['kind']>(kind: Kind) =>
      records.filter((record): record is Extract<PersonRecord, { kind: Kind }> => record.kind === kind)
    expect(of('person')[0]?.addresses.toSorted()).toEqual([
      'email:ann@example.com',
      'principal:anonymous~anon_ann',
      'principal:user~ann',
    ])
    const mine = of('session').filter(({ isOwner }) => isOwner)
    expect(mine.map(({ sessionId }) => sessionId).toSorted()).toEqual([own, page, silent].toSorted())
    expect(of('session').find(({ isOwner }) => !isOwner)?.sessionId).toBe(others)
    const said = of('message').map(({ parts }) => parts.map((one) => one.text).join(' '))
    expect(said).toEqual(
      expect.arrayContaining(['ann writes', 'ann at the page', 'ann helps bob', 'You said: ann writes']),
    )
    // What the agent told all of them is hers too; what bob wrote is not.
    expect(said).toContain('You said: bob asks')
    expect(said).not.toContain('bob asks')
    expect(of('remembered').map((one) => one.text)).toEqual(['likes tea'])
    expect(of('agreement')).toHaveLength(1)
    expect(of('record').map(({ key }) => key)).toContain('email:default:undeliverable:ann@example.com')
    expect(JSON.stringify(records)).not.toMatch(/joann|likes rum|of another tenant/)
    const files = of('file').map(({ base64 }) => Buffer.from(base64, 'base64').toString())
    expect(files.toSorted()).toEqual(['never named', 'what ann has sent'])
    const refused = agent.missives.personData('email:ann@example.com', bob).next()
    await expect(refused).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect((await Array.fromAsync(agent.missives.personData('email:ann@example.com', ann))).length).toBe(records.length)
    const elsewhere = agent.missives.personData('email:ann@example.com', { ...operator, tenant: 'foreign' })
    expect((await Array.fromAsync(elsewhere)).map(({ kind }) => kind)).toEqual(['person', 'record'])
  })

  test('is for operators and for that person', async () => {
    const agent = await startAgent({ channels: [new Post().channel] })
    await story(agent)
    const person = 'email:ann@example.com'
    await expect(agent.missives.erase({ person }, bob)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await expect(agent.missives.erase({ person }, { ...ann, tenant: 'foreign' })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    })
    await agent.missives.erase({ person }, { ...operator, tenant: 'foreign' })
    const before = (await kept(agent)).length
    expect(before).toBeGreaterThan(6)
    await agent.missives.erase({ person }, { kind: 'anonymous', id: 'anon_ann', tenant: 'default' })
    expect((await kept(agent)).every(({ correspondent }) => correspondent.principal.id === 'bob')).toBe(true)
  })

  test('is erased to the end though the process dies in between', async () => {
    const folder = folderOfTest()
    const data = await openData({ folder })
    const agent = await startAgent({ data, channels: [new Post().channel] })
    await story(agent)
    await kept(agent)
    // It dies when it comes to take the words out of the second log.
    let calls = 0
    const erase = data.store.erase.bind(data.store)
    data.store.erase = (...args) => (++calls > 3 ? Promise.reject(new Error('died')) : erase(...args))
    await expect(agent.missives.erase({ person: 'email:ann@example.com' }, operator)).rejects.toThrow('died')
    await agent.close()
    const runtime = simulated()
    const again = await startAgent({ folder, runtime, channels: [new Post().channel] })
    await runtime.clock.advance(60_000)
    await eventually(() => leftOf(folder, 'ann@example.com', 'anon_ann', 'ann writes', 'ann at the page').length === 0)
    expect((await kept(again)).map(short)).toEqual(['in sse received: bob asks', 'out sse offered: You said: bob asks'])
  })
})

test('another keeper of missives on the same logs forgets too', async () => {
  const folder = folderOfTest()
  const data = await openData({ folder })
  const elsewhere = await openData({ folder: folderOfTest() })
  const agent = await startAgent({ data, channels: [new Post().channel] })
  const other = await startAgent({ data: { ...data, missives: elsewhere.missives }, channels: [new Post().channel] })
  const session = await agent.sessions.open({ principal: ann })
  const gone = await agent.sessions.open({ principal: ann })
  await agent.sessions.join(session, mailer('bob@example.com', bob), ann)
  await say(agent, session, 'bob helps', mailer('bob@example.com', bob), operator)
  await say(agent, session, 'ann asks')
  await say(agent, gone, 'to be gone')
  await other.missives.rebuild(operator)
  const before = (await kept(other)).length
  expect(before).toBeGreaterThan(5)
  await agent.missives.erase({ person: 'email:bob@example.com' }, operator)
  await agent.missives.erase({ session: gone }, ann)
  await other.missives.collectArtifacts(operator)
  expect((await kept(other)).map(short).toSorted()).toEqual((await kept(agent)).map(short).toSorted())
  expect((await kept(other)).length).toBeLessThan(before)
  const events = (await data.store.read(session, 0)).map((stored) => stored.data as SessionEvent)
  expect(events.some(({ type }) => type === 'dataErased')).toBe(true)
  await elsewhere.store.close()
})
