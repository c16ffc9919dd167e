import { expect, test } from 'vitest'
import { Correspondents } from './correspondents.ts'

/** A store of keys, which is all that is used here. */
function keys() {
  const entries = new Map<string, string>()
  return {
    entries,
    bind: async (key: string, value: string) => {
      if (!entries.has(key)) entries.set(key, value)
      return entries.get(key) ?? value
    },
    unbind: async (key: string) => {
      entries.delete(key)
    },
    list: async (prefix: string) =>
      [...entries].filter(([key]) => key.startsWith(prefix)).map(([key, value]) => ({ key, value })),
  }
}

function correspondents() {
  const store = keys()
  const options = { transport: 'whatsapp', tenant: 'acme', secret: new Uint8Array(32) }
  return { store, people: new Correspondents(store as never, options) }
}

test('a phone that was addressed first is the user’s who then writes from it', async () => {
  const { people } = correspondents()
  const before = await people.find({ phone: '491' })
  expect(await people.find({ phone: '491', userId: 'DE.1' })).toBe(before)
  expect(await people.find({ userId: 'DE.1' })).toBe(before)
})

test('a user is the same one whatever their number is', async () => {
  const { people } = correspondents()
  const user = await people.find({ userId: 'DE.1' })
  expect(await people.find({ phone: '491', userId: 'DE.1' })).toBe(user)
  expect(await people.find({ phone: '492', userId: 'DE.1' })).toBe(user)
  expect(await people.find({ phone: '492' })).toBe(user)
})

test('a number that changes hands brings nothing of its former owner along', async () => {
  const { people } = correspondents()
  const former = await people.find({ phone: '491', userId: 'DE.1' })
  const latter = await people.find({ phone: '491', userId: 'DE.2' })
  expect(latter).not.toBe(former)
  expect(await people.find({ phone: '491' })).toBe(latter)
  expect(await people.find({ userId: 'DE.1' })).toBe(former)
})

test('no address is readable in the store', async () => {
  const { people, store } = correspondents()
  await people.find({ phone: '4915100000001', userId: 'DE.1001' })
  expect(JSON.stringify([...store.entries])).not.toMatch(/4915100000001|DE\.1001/)
})

test('a person stays the same when the secret is replaced, and afterwards if they wrote meanwhile', async () => {
  const store = keys()
  const [old, current] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
  const people = (secret: Uint8Array[]) =>
    new Correspondents(store as never, { transport: 'whatsapp', tenant: 'acme', secret })
  const ann = await people([old]).find({ phone: '491', userId: 'DE.1' })
  const ben = await people([old]).find({ phone: '492' })
  const quiet = await people([old]).find({ phone: '493' })
  const both = people([current, old])
  expect(await both.find({ phone: '491', userId: 'DE.1' })).toBe(ann)
  expect(await both.find({ phone: '492' })).toBe(ben)
  const after = people([current])
  expect(await after.find({ phone: '491' })).toBe(ann)
  expect(await after.find({ userId: 'DE.1' })).toBe(ann)
  expect(await after.find({ phone: '492' })).toBe(ben)
  expect(await after.find({ phone: '493' })).not.toBe(quiet)
  await both.forget(ben)
  expect([...store.entries.values()]).not.toContain(ben)
})
