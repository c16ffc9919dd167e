import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { newMainKeys } from '../sealed/main-keys.test-helper.ts'
import { sealedMissives } from '../sealed/sealed-missives.ts'
import { SqliteMissiveStore } from '../sqlite/sqlite-missive-store.ts'
import { MemoryMissiveStore } from './memory-missive-store.ts'
import { found, keep, missive, put, testMissiveStore } from './missive-store-suite.test-helper.ts'
import type { MissiveStore } from './missive-store.ts'

function folderOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'beach-missives-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

const engines: [string, () => Promise<MissiveStore>][] = [
  ['memory', async () => new MemoryMissiveStore()],
  [
    'SQLite',
    async () => {
      const store = await SqliteMissiveStore.open({ path: join(folderOfTest(), 'missives.db') })
      onTestFinished(() => store.close())
      return store
    },
  ],
]

engines.push([
  'encrypted SQLite',
  async () => {
    const path = join(folderOfTest(), 'missives.db')
    const store = await SqliteMissiveStore.open({ path, codec: sealedMissives(await newMainKeys()) })
    onTestFinished(() => store.close())
    return store
  },
])

describe.each(engines)('the %s store of missives', (name, open) => {
  testMissiveStore(open, { findsBeginnings: !name.startsWith('encrypted') })
})

describe('the file of the missives', () => {
  const bytes = (folder: string) => Buffer.concat(readdirSync(folder).map((name) => readFileSync(join(folder, name))))

  test('is shared by several processes, and each missive is in it once', async () => {
    const path = join(folderOfTest(), 'missives.db')
    const [one, two] = [await SqliteMissiveStore.open({ path }), await SqliteMissiveStore.open({ path })]
    const change = { kind: 'missive', missive: missive('once') } as const
    const written = await Promise.all([one, two].map((store) => store.write('s', 0, { seq: 1, state: {} }, [change])))
    expect(written.filter(Boolean)).toHaveLength(1)
    expect(await found(two)).toEqual(['once'])
    await one.close()
    await two.close()
    await expect(one.find({ tenant: 'acme' })).rejects.toMatchObject({ code: 'STORE_CLOSED' })
  })

  test('of another version is made anew, since all of it is in the logs', async () => {
    const path = join(folderOfTest(), 'missives.db')
    const before = await SqliteMissiveStore.open({ path })
    await keep(before, missive('before'))
    await before.close()
    const db = new DatabaseSync(path)
    db.exec('PRAGMA user_version = 99')
    db.close()
    const after = await SqliteMissiveStore.open({ path })
    expect(await found(after)).toEqual([])
    await keep(after, missive('after'))
    expect(await found(after, { words: ['after'] })).toEqual(['after'])
    await after.close()
  })

  test('has no large part that the log has: it is read from there, found by its words, and gone with the log', async () => {
    const folder = folderOfTest()
    const part = { text: `zanzibar ${'lengthy '.repeat(2_000)}`, metadata: { partType: 'message' } }
    const received = { type: 'messageReceived', messageId: 'msg_1', originatorId: 'o', contentHash: 'h' }
    const event = { ...received, id: 'ev_1', v: 1, at: 1, payload: { from: {}, parts: [part] } }
    let events: { seq: number; data: unknown }[] = [{ seq: 7, data: event }]
    const log = { read: async (_: string, after: number) => events.filter(({ seq }) => seq > after) }
    const store = await SqliteMissiveStore.open({ path: join(folder, 'missives.db'), log })
    const large = missive('', { parts: [part, { text: 'and a word', metadata: { partType: 'message' } }] })
    await put(store, 'sess_1', { kind: 'missive', missive: large, places: [[7, 0], undefined] })
    expect(await store.get(large.missiveId, 'acme')).toEqual(large)
    expect((await store.find({ tenant: 'acme', words: ['zanzibar', 'word'] })).items).toEqual([large])
    expect(bytes(folder).includes('lengthy lengthy')).toBe(false)
    events = []
    expect((await store.get(large.missiveId, 'acme'))?.parts).toEqual(large.parts.slice(1))
    await store.drop('sess_1')
    expect(bytes(folder).includes('zanzibar')).toBe(false)
    await store.close()
  })

  test('has no byte left of what was erased, nor the index of its words', async () => {
    const folder = folderOfTest()
    const store = await SqliteMissiveStore.open({ path: join(folder, 'missives.db') })
    for (let n = 0; n < 60; n++) {
      await keep(store, missive(`ordinary words ${n}`, { sessionId: 'sess_2' }))
      await keep(store, missive(`unforgettable${n} ${'long '.repeat(n * 30)} zanzibar`))
    }
    expect(bytes(folder).includes('unforgettable')).toBe(true)
    await put(store, 'sess_1', { kind: 'erased' })
    for (const word of ['unforgettable', 'zanzibar', 'forgettable7']) expect(bytes(folder).includes(word)).toBe(false)
    expect(await found(store, { words: ['ordinary'], limit: 200 })).toHaveLength(60)
    await store.forgetAged('sess_2', { before: Infinity })
    expect(bytes(folder).includes('ordinary')).toBe(false)
    await store.close()
  })
})
