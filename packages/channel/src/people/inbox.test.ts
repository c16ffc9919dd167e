import { silentLogger, simulatedRuntime, type Store } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { inboxName } from './inbox-entry.ts'
import { Inbox } from './inbox.ts'
import { discard, listPutAside, requeue } from './parked-message.ts'

/** A store of keys, which is all that is used here. */
function keys() {
  const entries = new Map<string, string>()
  const store = {
    bind: async (key: string, value: string) => {
      if (!entries.has(key)) entries.set(key, value)
      return entries.get(key) ?? value
    },
    unbind: async (key: string) => {
      entries.delete(key)
    },
    list: async (prefix: string, after = '', limit = 1_000) =>
      [...entries]
        .filter(([key]) => key.startsWith(prefix) && key > after)
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .slice(0, limit)
        .map(([key, value]) => ({ key, value })),
  }
  return { entries, store: store as unknown as Store }
}

interface Note {
  readonly from: string
  readonly text: string
}

/** An inbox whose notes cannot be dealt with until `isWell`. */
async function notes() {
  const runtime = simulatedRuntime({ logger: silentLogger })
  const { entries, store } = keys()
  const context = { runtime, entries, store, isWell: false, tried: [] as string[], end: new AbortController() }
  const inbox = new Inbox<Note>({
    store,
    runtime,
    name: inboxName('sms', 'acme'),
    async work({ text }) {
      context.tried.push(text)
      if (!context.isWell) throw new Error('not now')
    },
  })
  await inbox.start(context.end.signal)
  const hour = () => runtime.clock.advance(60 * 60 * 1_000)
  return Object.assign(context, { inbox, hour })
}

test('a message that cannot be handled is put aside after eight tries, where operators of its tenant find it', async () => {
  const { inbox, store, entries, tried, hour, end } = await notes()
  await inbox.add('SM:1', '+491', { from: '+491', text: 'hello' })
  expect([...entries.keys()]).toEqual(['inbox:sms:acme:SM:1'])
  await hour()
  expect(tried).toHaveLength(8)
  expect((await listPutAside(store, 'acme', {})).items).toMatchObject([
    { transport: 'sms', id: 'SM:1', from: '+491', message: { text: 'hello' } },
  ])
  expect((await listPutAside(store, 'other', {})).items).toEqual([])
  await hour()
  expect(tried).toHaveLength(8)
  end.abort()
})

test('a message that is put back is handled; one that is discarded is gone; neither is for another tenant', async () => {
  const context = await notes()
  const { inbox, store, entries, hour, end } = context
  for (const id of ['a', 'b', 'c']) await inbox.add(id, id, { from: id, text: id })
  await hour()
  const first = await listPutAside(store, 'acme', { limit: 2 })
  const second = await listPutAside(store, 'acme', { limit: 2, after: first.next ?? '' })
  expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(['a', 'b', 'c'])
  expect(second.next).toBeUndefined()
  expect(await requeue(store, { tenant: 'other', transport: 'sms', id: 'a' })).toBe(false)
  expect(await discard(store, { tenant: 'other', transport: 'sms', id: 'a' })).toBe(false)
  context.isWell = true
  context.tried.length = 0
  expect(await requeue(store, { tenant: 'acme', transport: 'sms', id: 'a' })).toBe(true)
  expect(await discard(store, { tenant: 'acme', transport: 'sms', id: 'b' })).toBe(true)
  await hour()
  expect(context.tried).toEqual(['a'])
  expect([...entries.keys()]).toEqual(['inbox-dead:sms:acme:c'])
  end.abort()
})

test('what came from a forgotten person goes: what waits, and what was put aside', async () => {
  const context = await notes()
  const { inbox, entries, hour, end } = context
  await inbox.add('old', '+491', { from: '+491', text: 'old' })
  await inbox.add('other', '+492', { from: '+492', text: 'other' })
  await hour()
  await inbox.add('new', '+491', { from: '+491', text: 'new' })
  await inbox.add('next', '+491', { from: '+491', text: 'next' })
  context.tried.length = 0
  await inbox.forget(async ({ from }) => from === '+491')
  context.isWell = true
  await hour()
  expect([...entries.keys()]).toEqual(['inbox-dead:sms:acme:other'])
  // The first one was being dealt with; it is not tried again, and the one behind it never is.
  expect(context.tried).not.toContain('next')
  end.abort()
})

test('what was taken in before the clock was set back is taken up by the next process at once', async () => {
  const before = await notes()
  await before.inbox.add('SM:1', '+491', { from: '+491', text: 'hello' })
  before.end.abort()
  before.runtime.clock.step(-60 * 60 * 1_000)
  const tried: string[] = []
  const end = new AbortController()
  const after = new Inbox<Note>({
    store: before.store,
    runtime: before.runtime,
    name: inboxName('sms', 'acme'),
    work: async ({ text }) => void tried.push(text),
  })
  await after.start(end.signal)
  await before.runtime.clock.advance(0)
  expect(tried).toEqual(['hello'])
  end.abort()
})
