import { BeachError, silentLogger, SimulatedClock, systemRuntime, type Store } from '@cool-ai/beach-core'
import type { NotedError } from '@cool-ai/beach-core/ports'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { expect, test } from 'vitest'
import { ErrorRecord } from './error-record.ts'

const hourMs = 60 * 60_000

function recorded() {
  const clock = new SimulatedClock(Date.now())
  const runtime = { ...systemRuntime({ logger: silentLogger }), clock }
  const store = new MemoryStore({ runtime })
  const record = (over: Store = store) => new ErrorRecord(over, runtime, { tenant: 'default', process: 'here 1' })
  const errorOf = (more: Partial<NotedError> = {}): NotedError => {
    return { id: runtime.id('err'), code: 'NOT_FOUND', status: 404, error: undefined, ...more }
  }
  return { clock, store, record, errorOf }
}

test('an error that one process told of is found by another one, with names and codes and not a word of it', async () => {
  const { clock, record, errorOf } = recorded()
  const [one, other] = [record(), record()]
  const cause = Object.assign(new TypeError('Anna Smith is not a function'), { code: 'ERR_X' })
  const error = new BeachError('STORE_BUSY', 'Anna is busy.', { cause })
  const noted = errorOf({ code: 'STORE_BUSY', status: 503, error, method: 'POST', route: '/sessions' })
  one.noted(noted)
  await clock.advance(1_000)
  await one.flush()
  const found = await other.find('default', noted.id)
  expect(found).toMatchObject({
    errorId: noted.id,
    code: 'STORE_BUSY',
    status: 503,
    method: 'POST',
    route: '/sessions',
    process: 'here 1',
    causes: ['BeachError STORE_BUSY', 'TypeError ERR_X'],
    place: expect.stringMatching(/^errors\/error-record\.test\.ts:\d+$/),
  })
  expect(JSON.stringify(found)).not.toContain('Anna')
  expect(await other.find('elsewhere', noted.id)).toBeUndefined()
  expect(await other.find('default', 'err_none')).toBeUndefined()
})

test('an error about a session is filed under its tenant, and a session that there is not is left out', async () => {
  const { store, record, errorOf } = recorded()
  await store.append('sess_b', 0, [{ type: 'sessionOpened', id: 'e1', v: 1, at: 1, tenant: 'b', payload: {} }])
  const errors = record()
  const [ofB, ofNone] = [errorOf({ session: 'sess_b' }), errorOf({ session: 'sess_none' })]
  errors.noted(ofB)
  errors.noted(ofNone)
  expect(await errors.find('b', ofB.id)).toMatchObject({ session: 'sess_b' })
  expect(await errors.find('default', ofB.id)).toBeUndefined()
  expect(await errors.find('default', ofNone.id)).not.toHaveProperty('session')
})

test('a caller who is refused all the time fills neither the record nor the place of others', async () => {
  const { clock, record, errorOf } = recorded()
  const errors = record()
  for (let time = 0; time < 500; time++) errors.noted(errorOf({ route: '/sessions/:id', code: 'NOT_FOUND' }))
  const other = errorOf({ route: '/sessions/:id', code: 'TOO_LARGE', status: 413 })
  errors.noted(other)
  expect((await errors.list('default', undefined, 1_000)).items).toHaveLength(61)
  expect(await errors.find('default', other.id)).toBeDefined()
  await clock.advance(hourMs)
  errors.noted(errorOf({ route: '/sessions/:id' }))
  const { items, next } = await errors.list('default', undefined, 10)
  expect(items).toHaveLength(10)
  expect((await errors.list('default', next, 1_000)).items).toHaveLength(52)
})

test('errors are forgotten after a week', async () => {
  const { clock, record, errorOf } = recorded()
  const errors = record()
  const old = errorOf()
  errors.noted(old)
  await errors.flush()
  await clock.advance(7 * 24 * hourMs)
  errors.noted(errorOf())
  await errors.flush()
  expect((await errors.list('default', undefined, 10)).items).toHaveLength(2)
  await clock.advance(2 * hourMs)
  errors.noted(errorOf())
  await errors.flush()
  expect((await errors.list('default', undefined, 10)).items).toHaveLength(2)
  expect(await errors.find('default', old.id)).toBeUndefined()
})

test('what a failing store did not take is kept until it does', async () => {
  const { clock, store, record, errorOf } = recorded()
  let isFull = true
  const failing = new Proxy(store, {
    get(target, name: keyof MemoryStore) {
      if (name === 'append' && isFull) return () => Promise.reject(new BeachError('STORE_UNAVAILABLE', 'Full.'))
      const member: unknown = target[name]
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
  const errors = record(failing)
  const noted = errorOf()
  errors.noted(noted)
  await errors.flush()
  isFull = false
  expect(await record().find('default', noted.id)).toBeUndefined()
  await clock.advance(60_000)
  await errors.flush()
  expect(await record().find('default', noted.id)).toBeDefined()
})
