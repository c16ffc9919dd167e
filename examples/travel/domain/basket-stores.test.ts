import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openData, type BeachData } from '@cool-ai/beach'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { emptyBasket, withItems } from './basket.ts'
import type { BasketItem } from './basket-item.ts'
import type { BasketStore } from './basket-store.ts'
import { keptBaskets } from './kept-baskets.ts'
import { MemoryBasketStore } from './memory-basket-store.ts'

const day = (number: number): BasketItem => ({
  type: 'activity',
  activityId: 'corfu-paxos-boat',
  date: `2026-08-${String(number).padStart(2, '0')}`,
  people: 2,
})

let folder: string
let data: BeachData
beforeAll(async () => {
  data = await openData({ store: 'memory' })
  folder = await mkdtemp(join(tmpdir(), 'baskets-'))
})
afterAll(() => rm(folder, { recursive: true }))

const inFiles = (own: string): BasketStore => keptBaskets(data, { folder: own })

const stores: Record<string, () => BasketStore> = {
  memory: () => new MemoryBasketStore(),
  files: () => inFiles(join(folder, 'shared')),
  'the store of the agent': () => keptBaskets(data, { folder, store: 'postgres://host/database' }),
}

describe.each(Object.keys(stores))('baskets in %s', (name) => {
  const open = () => stores[name]?.() ?? new MemoryBasketStore()

  test('are empty at first, and each session has its own', async () => {
    const store = open()
    expect(await store.load('sess_one')).toEqual(emptyBasket)
    await store.update('sess_one', (basket) => withItems(basket, [day(1)]))
    expect((await store.load('sess_one')).items).toEqual([day(1)])
    expect(await store.load('sess_two')).toEqual(emptyBasket)
  })

  test('lose no change of several at once', async () => {
    const store = open()
    const days = Array.from({ length: 20 }, (_, index) => day(index + 1))
    await Promise.all(days.map((item) => store.update('sess_many', (basket) => withItems(basket, [item]))))
    expect((await store.load('sess_many')).items).toEqual(days)
  })

  test('stay as they are when a change is refused, and take the next one', async () => {
    const store = open()
    await store.update('sess_refused', (basket) => withItems(basket, [day(1)]))
    const refused = store.update('sess_refused', () => {
      throw new Error('no')
    })
    await expect(refused).rejects.toThrow('no')
    expect((await store.load('sess_refused')).items).toEqual([day(1)])
    await store.update('sess_refused', (basket) => withItems(basket, [day(2)]))
    expect((await store.load('sess_refused')).items).toHaveLength(2)
  })

  test('are left alone once they are no longer needed', async () => {
    const store = open()
    const gone = AbortSignal.abort(new Error('gone'))
    await expect(store.update('sess_gone', (basket) => withItems(basket, [day(1)]), gone)).rejects.toThrow('gone')
    await expect(store.load('sess_gone', gone)).rejects.toThrow('gone')
    expect(await store.load('sess_gone')).toEqual(emptyBasket)
  })
})

describe('baskets in files', () => {
  test('are there for the next process, and leave nothing else behind', async () => {
    const own = join(folder, 'own')
    await inFiles(own).update('sess_a', (basket) => withItems(basket, [day(3)]))
    expect((await inFiles(own).load('sess_a')).items).toEqual([day(3)])
    expect(await readdir(join(own, 'baskets'))).toEqual(['basket-sess_a.json'])
  })

  test.each(['../secret', 'a/b', 'a\\b', '..', '', 'sess_a.json', 'Sess_A', 'sess\0', 'x'.repeat(101), 'sess_é'])(
    'are not opened for %j, which cannot be a session',
    async (session) => {
      const store = inFiles(join(folder, 'tricks'))
      await expect(store.load(session)).rejects.toMatchObject({ code: 'BAD_REQUEST' })
      await expect(store.update(session, (basket) => basket)).rejects.toMatchObject({ code: 'BAD_REQUEST' })
      expect(await readdir(folder)).not.toContain('tricks')
    },
  )

  test('that were damaged are refused without a path, and are not written over', async () => {
    const own = join(folder, 'damaged')
    const store = inFiles(own)
    await store.update('sess_a', (basket) => withItems(basket, [day(3)]))
    await writeFile(join(own, 'baskets', 'basket-sess_a.json'), '{"items":[{"type":"yacht"}]}')
    const refused = store.update('sess_a', () => emptyBasket)
    await expect(refused).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    await expect(refused).rejects.not.toThrow(own)
    expect(await readFile(join(own, 'baskets', 'basket-sess_a.json'), 'utf8')).toContain('yacht')
  })
})
