import { readFileSync } from 'node:fs'
import { openDocuments } from '@cool-ai/beach-missives/documents'
import { expect, test } from 'vitest'
import { newIndex, returns } from './support.ts'

const user = (tenant: string) => ({ kind: 'user', id: 'ann', tenant }) as const

test('a passage is found by any of the words, in other forms too, and has what it is cited by', async () => {
  const { index } = await newIndex()
  await index.put(returns)
  await index.put({ id: 'prices', title: 'Prices', text: 'A kettle costs £39.' })
  const [found, ...others] = await index.search({ text: 'refunded deadlines', limit: 5 })
  expect(found).toMatchObject({ title: 'Returns', url: 'https://shop.example/returns', origins: [] })
  expect(new Set([found, ...others].map((one) => one?.id))).toEqual(new Set(['returns#1', 'returns#2']))
  expect(await index.search({ text: 'kettle', limit: 5 })).toMatchObject([
    { id: 'prices#1', text: 'A kettle costs £39.' },
  ])
})

test('a title counts for more than a word of the text', async () => {
  const { index } = await newIndex()
  await index.put({ id: 'a', title: 'Prices', text: 'Warranty is not part of the price of the kettle.' })
  await index.put({ id: 'b', title: 'Warranty', text: 'Two years for all that has a plug.' })
  expect((await index.search({ text: 'warranty', limit: 2 })).map(({ id }) => id)).toEqual(['b#1', 'a#1'])
})

test('a document that is put again takes the place of the one before, in the next process too', async () => {
  const { index, path } = await newIndex()
  await index.put(returns)
  await index.put({ ...returns, text: 'Goods are returned within 14 days.' })
  expect(await index.search({ text: 'refunds', limit: 5 })).toEqual([])
  const other = await openDocuments({ path })
  expect(await other.search({ text: '14 days', limit: 5 })).toMatchObject([{ id: 'returns#1' }])
  expect(await other.remove('returns')).toBe(true)
  expect(await other.remove('returns')).toBe(false)
  other.close()
  expect(await index.search({ text: 'returned', limit: 5 })).toEqual([])
  expect(await index.ids()).toEqual([])
})

test('a document that has not changed is not written again', async () => {
  const { index, path } = await newIndex()
  await index.put(returns)
  const before = readFileSync(`${path}-wal`)
  await index.put({ ...returns })
  expect(readFileSync(`${path}-wal`).equals(before)).toBe(true)
})

test('a tenant finds its own documents and those for all, and no other tenant’s', async () => {
  const { index } = await newIndex()
  await index.put(returns)
  await index.put({ id: 'discount', title: 'Discount', text: 'A tenth off kettles.', tenant: 'acme' })
  await index.put({ ...returns, text: 'Acme returns goods within a year.', tenant: 'acme' })
  const found = async (text: string, tenant: string) =>
    (await index.search({ text, limit: 5, by: user(tenant) })).map((one) => one.text)
  expect(await found('discount', 'acme')).toEqual(['A tenth off kettles.'])
  expect(await found('discount', 'other')).toEqual([])
  expect(await found('goods', 'acme')).toEqual(['Acme returns goods within a year.'])
  expect(await found('goods', 'other')).toEqual([expect.stringContaining('30 days')])
  expect(await index.search({ text: 'discount', limit: 5 })).toEqual([])
})

test.each(['"', '" OR passage_text:', 'NEAR(a, b)', '*', 'title:x', '()', '\0', '-', 'a '.repeat(5_000)])(
  'a search for %j is a search for words',
  async (text) => {
    const { index } = await newIndex()
    await index.put(returns)
    expect(Array.isArray(await index.search({ text, limit: 5 }))).toBe(true)
  },
)

test('words of scripts without spaces are found', async () => {
  const { index } = await newIndex()
  await index.put({ id: 'ja', title: '返品', text: '商品は三十日以内に返品できます。' })
  expect(await index.search({ text: '三十日', limit: 5 })).toHaveLength(1)
})

test.each([
  [{ ...returns, url: 'javascript:alert(1)' }, 'neither an http(s) URL nor a path'],
  [{ ...returns, title: ' ' }, 'title'],
  [{ ...returns, link: 'https://shop.example' }, 'link'],
])('a document that could not be cited is refused', async (document, problem) => {
  const { index } = await newIndex()
  await expect(index.put(document)).rejects.toThrow(problem)
})
