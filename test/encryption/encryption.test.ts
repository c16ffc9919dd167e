import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createBeach, defineActor, openData, type BeachData } from '@cool-ai/beach'
import { systemRuntime } from '@cool-ai/beach-core'
import type { SessionEvent } from '@cool-ai/beach-core/log'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { encryptData, rotateKeys, shredTenant } from '../../packages/beach/src/data/encrypt-data.ts'
import { ann, mailer, operator, say, short, startAgent, text, viewer, type Agent } from '../missives/test-context.ts'
import { closed, folderPlace, keyNamed, postgresPlace, type Place } from './encrypted-context.ts'

const words = ['canaryword', 'canaryfile', 'canaryname', 'canaryremembered', 'canaryvalue', 'canarykey']

const places: [string, () => Promise<Place>][] = [
  ['a folder', async () => folderPlace()],
  ['PostgreSQL', postgresPlace],
]

/** What `fill` has made. */
interface Filled {
  readonly session: string
  readonly artifactId: string
}

/** Says something of everything that is kept. */
async function fill(agent: Agent, data: BeachData, turns = 1): Promise<Filled> {
  const session = await agent.sessions.open({ principal: ann })
  const about = { name: 'canaryname.txt', mimeType: 'text/plain', tenant: 'default' }
  const { artifactId, ...artifact } = await data.artifacts.put(Buffer.from(fileText), { ...about, session })
  const part = { data: { artifactId, ...artifact }, metadata: { partType: 'artifact' } }
  await say(agent, session, [text('a canaryword and a Café'), part], viewer(ann))
  await say(agent, session, 'canaryword again', mailer('ann@example.com', ann))
  for (let n = 0; n < turns; n++) await say(agent, session, `${n} canaryword`, viewer(ann))
  await agent.sessions.post(session, { parts: [text('once')], from: viewer(ann), dedupeKey: 'canarykey' }, ann)
  await agent.memory?.consent(ann)
  await agent.memory?.remember(ann, { text: 'canaryremembered', key: 'k', sessionId: session, origins: ['user'] })
  await data.store.bind('app:note', 'canaryvalue')
  await agent.missives.caughtUp()
  return { session, artifactId }
}

const fileText = 'canaryfile '.repeat(20_000)

/** What readers get of all of it. */
async function shown(agent: Agent, data: BeachData, { session, artifactId }: Filled) {
  const asked = await agent.missives.find({ text: 'CANARYWORD again' }, operator)
  const byMail = await agent.missives.find({ person: 'email:ann@example.com' }, operator)
  const artifact = await data.artifacts.get(artifactId, 'default')
  const piece = await new Response(artifact?.open({ start: 65_530, end: 65_560 })).text()
  const listed = await data.artifacts.list({ tenant: 'default', session })
  const events = await data.store.read(session, 0, 3)
  return {
    owner: (await agent.sessions.view(session, ann)).owner?.id,
    first: events.map(({ data: event }) => (event as SessionEvent).type),
    found: asked.items.map(short).toSorted(),
    byMail: byMail.items.length,
    file: [artifact?.artifact.name, artifact?.artifact.mimeType, artifact?.artifact.sizeBytes, piece],
    listed: listed.items.map(({ name, sizeBytes }) => [name, sizeBytes]),
    values: (await data.store.list('app:')).map(({ value }) => value),
    remembered: (await agent.memory?.of(ann))?.entries.map((entry) => entry.text),
  }
}

const expected = {
  owner: 'ann',
  first: ['sessionOpened', 'messageReceived', 'turnStarted'],
  found: ['in smtp received: canaryword again', 'out smtp offered: You said: canaryword again'],
  byMail: 2,
  file: ['canaryname.txt', 'text/plain', fileText.length, fileText.slice(65_530, 65_560)],
  listed: [['canaryname.txt', fileText.length]],
  values: ['canaryvalue'],
  remembered: ['canaryremembered'],
}

describe.each(places)('data in %s', (_, make) => {
  test('is not readable where it is stored, and is the same to readers, also after a restart', async () => {
    const place = await make()
    const data = await place.open()
    const agent = await startAgent({ data, memory: true })
    // So many that there is a snapshot.
    const filled = await fill(agent, data, 30)
    expect(await shown(agent, data, filled)).toMatchObject(expected)
    const during = await place.bytes()
    await agent.close()
    const stored = during + (await place.bytes())
    expect(words.filter((word) => stored.includes(word))).toEqual([])
    expect(stored).toContain('messageReceived')

    const again = await place.open(`${keyNamed('two')} ${keyNamed('one')}`)
    const after = await startAgent({ data: again, memory: true })
    expect(await shown(after, again, filled)).toMatchObject(expected)
    await say(after, filled.session, 'canaryword of later', viewer(ann))
    await after.close()
    expect(await place.bytes()).not.toContain('canaryword')
  })

  test('without encryption has all of it readable: the search for it can fail', async () => {
    const place = await make()
    const data = await place.open(false)
    const agent = await startAgent({ data, memory: true })
    const filled = await fill(agent, data)
    expect(await shown(agent, data, filled)).toMatchObject(expected)
    await agent.close()
    const stored = await place.bytes()
    // Missives are compressed.
    expect(words.filter((word) => stored.includes(word))).toEqual(words)
  })

  test('is refused at the start when its key is missing or another one, and nothing is written', async () => {
    const place = await make()
    const first = await place.open()
    const agent = await startAgent({ data: first })
    await agent.sessions.open({ principal: ann })
    await agent.close()
    const keys = async () => {
      const data = await place.open()
      const list = await data.store.list('')
      await closed(data)
      return list
    }
    const before = await keys()
    const another = `one:${Buffer.alloc(32, 'x').toString('base64')}`
    for (const [given, message] of [
      [false, 'This data is encrypted with the key one. Set BEACH_ENCRYPTION_KEYS'],
      [keyNamed('two'), 'This data is encrypted with the key one, which `encryption.keys` does not have (it has two).'],
      [another, 'The key one of `encryption.keys` is another one than the key one that this data is encrypted with.'],
      ['short', 'Key 1 of `encryption.keys` is not 32 bytes in Base64.'],
    ] as const) {
      const opening = place.open(given)
      await expect(opening).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' })
      await expect(opening).rejects.toThrow(message)
    }
    expect(await keys()).toEqual(before)
  })

  test('that was readable stays so when encryption is turned on, and what comes then is encrypted', async () => {
    const place = await make()
    const data = await place.open(false)
    const agent = await startAgent({ data, memory: true })
    const filled = await fill(agent, data)
    await agent.close()
    const again = await place.open()
    const after = await startAgent({ data: again, memory: true })
    // Missives are made anew from the logs.
    await vi.waitFor(async () => expect(await shown(after, again, filled)).toMatchObject(expected), 10_000)
    await say(after, filled.session, 'a newcanary', viewer(ann))
    await after.missives.caughtUp()
    await after.close()
    expect(await place.bytes()).not.toContain('newcanary')
    const third = await startAgent({ data: await place.open() })
    expect((await third.missives.find({ text: 'newcanary' }, operator)).items).toHaveLength(2)
  })

  test('is gone with its key when a session is erased', async () => {
    const place = await make()
    const data = await place.open()
    const agent = await startAgent({ data, memory: true })
    const { session } = await fill(agent, data)
    const [, wrapped = ''] = /sessionOpened.*?dataKey\W+(m[\w.-]+)/.exec(await place.bytes()) ?? []
    expect(wrapped.length).toBeGreaterThan(60)
    await agent.missives.erase({ session }, operator)
    await expect(agent.sessions.view(session, ann)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await place.bytes()).not.toContain(wrapped)
    expect((await data.store.read(session, 0)).every(({ data: event }) => !('payload' in (event as object)))).toBe(true)
    await agent.close()
  })
})

const dataOf = ({ options }: Place) => options.folder ?? `${options.store}?schema=beach_keeper`

test.each(places)(
  'data in %s of a tenant with a key of its own is gone with that key, and no other is',
  async (_, make) => {
    const place = await make()
    const bo = { kind: 'user', id: 'bo', tenant: 'acme' } as const
    const boss = { ...operator, tenant: 'acme' }
    const of = keyNamed('one')
    const [old, now] = ['old', 'now'].map(keyNamed)
    const runtime = systemRuntime()
    const options = (keys: string) => ({ data: dataOf(place), encryption: { keys }, runtime })

    // What was there before the tenant had a key still opens.
    const before = await startAgent({ data: await place.open(of), memory: true })
    const early = await before.sessions.open({ principal: ann })
    await say(before, early, 'of early', viewer(ann))
    await before.close()
    const both = `${of} default/${old}`
    const data = await place.open(both)
    const agent = await startAgent({ data, memory: true })
    const filled = await fill(agent, data)
    const other = await agent.sessions.open({ principal: bo })
    await say(agent, other, 'of another', viewer(bo))
    const about = { name: 'a.txt', mimeType: 'text/plain' }
    const mine = await data.artifacts.put(Buffer.from('bytes'), { ...about, tenant: 'default' })
    const theirs = await data.artifacts.put(Buffer.from('bytes'), { ...about, tenant: 'acme' })
    await agent.missives.caughtUp()
    expect(await shown(agent, data, filled)).toMatchObject(expected)
    expect((await agent.missives.find({ text: 'early' }, operator)).items).toHaveLength(2)
    // Kept messages say by whose key they are written.
    expect(await place.bytes()).toContain('t:default/m')
    await agent.close()

    expect(await encryptData(options(both))).toMatchObject({ logs: 1, events: 1 })
    await expect(place.open(of)).rejects.toThrow(
      'The data of the tenant default is encrypted with a key of its own, old, which is not given',
    )
    await rotateKeys(options(`${of} default/${now} default/${old}`))
    const earlier = await place.open(both)
    const wrong = await startAgent({ data: earlier })
    for (const session of [early, filled.session]) {
      await expect(wrong.sessions.view(session, ann)).rejects.toThrow('encrypted with the key now')
    }
    for (const reading of [wrong.missives.find({}, operator), earlier.artifacts.get(mine.artifactId, 'default')]) {
      await expect(reading).rejects.toThrow('encrypted with the key now')
    }
    expect((await wrong.sessions.view(other, bo)).owner?.id).toBe('bo')
    await wrong.close()
    const rotated = await place.open(`${of} default/${now}`)
    const whole = await startAgent({ data: rotated, memory: true })
    expect(await shown(whole, rotated, filled)).toMatchObject(expected)
    await whole.close()

    await shredTenant({ ...options(of), tenant: 'default' })
    await expect(shredTenant({ ...options(of), tenant: 'acme' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    const left = await place.open(of)
    const after = await startAgent({ data: left, memory: true })
    await vi.waitFor(async () => {
      expect((await after.missives.find({ text: 'another' }, boss)).items).toHaveLength(2)
    }, 10_000)
    for (const session of [early, filled.session]) {
      await expect(after.sessions.view(session, ann)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    }
    expect((await after.missives.find({}, operator)).items).toEqual([])
    expect((await after.memory?.of(ann))?.entries).toEqual([])
    const readOf = async (artifactId: string, tenant: string) =>
      new Response((await left.artifacts.get(artifactId, tenant))?.open()).text()
    await expect(readOf(filled.artifactId, 'default')).rejects.toThrow('cannot be decrypted')
    await expect(readOf(mine.artifactId, 'default')).rejects.toThrow('cannot be decrypted')
    expect(await readOf(theirs.artifactId, 'acme')).toBe('bytes')
    const next = await after.sessions.open({ principal: ann })
    await say(after, next, 'of later', viewer(ann))
    await after.missives.caughtUp()
    expect((await after.missives.find({ text: 'later' }, operator)).items).toHaveLength(2)
    await after.close()
    // What cannot be read any more is taken out of the logs.
    expect((await encryptData(options(of))).events).toBeGreaterThan(10)
    expect(await encryptData(options(of))).toEqual({ logs: 0, events: 0, values: 0 })
  },
)

describe.each(places)('data in %s that was readable', (_, make) => {
  test('is encrypted by a command, which goes on where it was cut off', async () => {
    const place = await make()
    const data = await place.open(false)
    const agent = await startAgent({ data, memory: true })
    const filled = await fill(agent, data)
    await agent.close()
    await closed(await place.open())
    const options = { data: dataOf(place), encryption: { keys: keyNamed('one') }, runtime: systemRuntime() }
    const stop = new AbortController()
    // Cut off after the first log.
    const cut = encryptData({ ...options, signal: stopAfter(1, stop) })
    await expect(cut).rejects.toThrow('cut off')
    const { logs, events, values } = await encryptData(options)
    expect([logs > 0, events > 0, values > 0]).toEqual([true, true, true])
    expect(await encryptData(options)).toEqual({ logs: 0, events: 0, values: 0 })
    const stored = await place.bytes()
    expect(words.filter((word) => stored.includes(word))).toEqual(['canaryfile', 'canaryname'])
    const again = await place.open()
    const after = await startAgent({ data: again, memory: true })
    await vi.waitFor(async () => expect(await shown(after, again, filled)).toMatchObject(expected), 10_000)
  })

  test('needs only the new key once its keys were rotated, and no data is written anew', async () => {
    const place = await make()
    const data = await place.open()
    const agent = await startAgent({ data, memory: true })
    const filled = await fill(agent, data)
    await agent.close()
    const runtime = systemRuntime()
    const both = `${keyNamed('two')} ${keyNamed('one')}`
    const rotate = (keys: string) => rotateKeys({ data: dataOf(place), encryption: { keys }, runtime })
    await expect(rotate(keyNamed('two'))).rejects.toThrow('encrypted with the key one')
    expect(await rotate(both)).toEqual({ before: ['one'], now: 'two' })
    expect(await rotate(both)).toEqual({ before: ['two'], now: 'two' })
    await expect(place.open(keyNamed('one'))).rejects.toThrow('encrypted with the key two')
    const again = await place.open(keyNamed('two'))
    const after = await startAgent({ data: again, memory: true })
    expect(await shown(after, again, filled)).toMatchObject(expected)
  })
})

/** A signal that aborts when it was asked a number of times. */
function stopAfter(times: number, stop: AbortController): AbortSignal {
  const throwIfAborted = stop.signal.throwIfAborted.bind(stop.signal)
  let asked = 0
  stop.signal.throwIfAborted = () => {
    if (asked++ === times) stop.abort(new Error('cut off'))
    throwIfAborted()
  }
  return stop.signal
}

describe('a row of encrypted data', () => {
  const opened = async (change: (db: DatabaseSync) => void) => {
    const place = folderPlace()
    const data = await place.open()
    for (const name of ['one', 'two']) {
      await data.store.append(name, 0, [{ type: 'said', id: `ev_${name}`, v: 1, payload: { name } }])
      await data.store.append(name, (await data.store.read(name, 0)).at(-1)?.seq ?? 0, [
        { type: 'said', id: `ev_${name}`, v: 1, payload: { name: `${name} again` } },
      ])
      await data.store.bind(`app:${name}`, name)
    }
    await closed(data)
    const db = new DatabaseSync(join(place.options.folder ?? '', 'beach.db'))
    change(db)
    db.close()
    const again = await place.open()
    onTestFinished(() => closed(again))
    return again
  }
  const rows = `SELECT seq FROM event JOIN session USING (number) WHERE id = ? ORDER BY seq`

  test('that was copied to another session is refused', async () => {
    const { store } = await opened((db) => {
      const [, from] = db.prepare(rows).all('one')
      const [, to] = db.prepare(rows).all('two')
      db.prepare('UPDATE event SET data = (SELECT data FROM event WHERE seq = ?) WHERE seq = ?').run(
        from?.seq ?? 0,
        to?.seq ?? 0,
      )
    })
    expect(await store.read('one', 0)).toHaveLength(2)
    await expect(store.read('two', 0)).rejects.toMatchObject({ code: 'STORE_DAMAGED' })
  })

  test('that was copied with its key is refused too', async () => {
    const { store } = await opened((db) => {
      const [from] = db.prepare(rows).all('one')
      const [to] = db.prepare(rows).all('two')
      db.prepare('UPDATE event SET data = (SELECT data FROM event WHERE seq = ?) WHERE seq = ?').run(
        from?.seq ?? 0,
        to?.seq ?? 0,
      )
    })
    await expect(store.read('two', 0)).rejects.toMatchObject({ code: 'STORE_DAMAGED' })
  })

  test('of a key that was copied to another, or altered, is refused', async () => {
    const { store } = await opened((db) => {
      db.exec(`UPDATE key SET value = (SELECT value FROM key WHERE key = 'app:one') WHERE key = 'app:two'`)
    })
    expect(await store.list('app:one')).toMatchObject([{ value: 'one' }])
    await expect(store.list('app:two')).rejects.toMatchObject({ code: 'STORE_DAMAGED' })
  })
})

test('the environment turns encryption on, for commands too', async () => {
  vi.stubEnv('BEACH_ENCRYPTION_KEYS', `${keyNamed('one')}, ${keyNamed('old')}`)
  onTestFinished(() => void vi.unstubAllEnvs())
  const place = folderPlace()
  const data = await openData(place.options)
  await data.store.bind('app:note', 'canaryvalue')
  await closed(data)
  expect(await place.bytes()).not.toContain('canaryvalue')
  const memory = await openData({ store: 'memory' })
  await memory.store.bind('app:note', 'canaryvalue')
  expect(await memory.store.list('encryption:')).toEqual([])
})

test('live text reaches viewers of another process, and is not readable on its way', async () => {
  const place = folderPlace()
  const [one, two] = [await place.open(), await place.open()]
  onTestFinished(async () => {
    await closed(one)
    await closed(two)
  })
  const stop = new AbortController()
  const tail = two.store.tail('s', 0, stop.signal)[Symbol.asyncIterator]()
  // Until each knows of the other, live text is not sent.
  const got = tail.next()
  let isThere = false
  void got.then(() => (isThere = true))
  await vi.waitFor(() => {
    one.store.publish('s', { delta: 'canarylive' })
    expect(isThere).toBe(true)
  })
  expect((await got).value).toEqual(expect.arrayContaining([{ live: { delta: 'canarylive' } }]))
  const db = new DatabaseSync(join(place.options.folder ?? '', 'beach.db'), { readOnly: true })
  const rows = db.prepare('SELECT data FROM live').all()
  db.close()
  expect(rows.length).toBeGreaterThan(0)
  expect(JSON.stringify(rows)).not.toContain('canarylive')
  stop.abort()
})

test('encryption is for data that createBeach opens, and is told so', async () => {
  const actors = { clerk: defineActor(async () => {}) }
  const data = await openData({ store: 'memory' })
  const made = createBeach({
    agent: { id: 'a', name: 'A' },
    actors,
    data: { ...data, encryption: { keys: keyNamed('one') } },
  })
  await expect(made).rejects.toThrow('give openData() `encryption`')
})
