import { expect, test } from 'vitest'
import { SimulatedClock } from '../simulated-runtime.ts'
import { Lanes, relaxed, type LanesOptions } from './lanes.ts'
import { StandbyError } from './postgres-errors.ts'

const statement = { name: 'write', text: '' }
type Connection = Awaited<ReturnType<LanesOptions['connect']>>

/** A server that answers every statement with what `state` says. */
function server() {
  const state: { failure: Error | undefined; connects: number; queries: number } = {
    failure: undefined,
    connects: 0,
    queries: 0,
  }
  const query = async () => {
    state.queries++
    if (state.failure !== undefined) throw state.failure
    return { rows: [{}] }
  }
  const connect = async () => {
    state.connects++
    return { query, end: async () => {} } as unknown as Connection
  }
  return { state, connect }
}

const unreachable = () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))

function lanesTo(connect: LanesOptions['connect']) {
  const clock = new SimulatedClock()
  return { clock, lanes: new Lanes({ connect, clock, sharesFlush: true, prepares: true }) }
}

test('writes get through again after the server was away for longer than any of them waits', async () => {
  const { connect } = server()
  let isAway = true
  const { clock, lanes } = lanesTo(() => (isAway ? unreachable() : connect()))
  const first = lanes.write(statement, [], true).catch((error: unknown) => error)
  await clock.advance(60_000)
  expect(await first).toMatchObject({ code: 'STORE_UNAVAILABLE' })
  isAway = false
  expect((await lanes.write(statement, [], true)).rows).toHaveLength(1)
})

test('while nothing gets through, one write at a time tries it, and the others are refused at once', async () => {
  const { clock, lanes } = lanesTo(unreachable)
  void lanes.write(statement, [], true).catch(() => {})
  await clock.advance(60_000)
  const trying = lanes.write(statement, [], true).catch((error: unknown) => error)
  await clock.advance(0)
  await expect(lanes.write(statement, [], true)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  await clock.advance(60_000)
  expect(await trying).toMatchObject({ code: 'STORE_UNAVAILABLE' })
})

test.each([
  ['a standby', new StandbyError()],
  ['a server that shuts down', Object.assign(new Error('down'), { code: '57P01' })],
])('a write to %s is refused after a while, and not tried without a pause', async (_, failure) => {
  const { state, connect } = server()
  state.failure = failure
  const { clock, lanes } = lanesTo(connect)
  const writing = lanes.write(statement, [], true).catch((error: unknown) => error)
  await clock.advance(10_000)
  expect(await writing).toMatchObject({ code: 'STORE_UNAVAILABLE', details: { outcome: 'unknown' } })
  expect(state.queries).toBeLessThan(100)
  state.failure = undefined
  expect((await lanes.write(statement, [], true)).isRepeated).toBe(false)
})

test('a write whose connection is cut is sent again, and known to be repeated', async () => {
  const { state, connect } = server()
  state.failure = new StandbyError()
  const { clock, lanes } = lanesTo(async () => {
    // From the second connection on it works.
    if (state.queries > 0) state.failure = undefined
    return connect()
  })
  const writing = lanes.write(statement, [], true)
  await clock.advance(1_000)
  expect((await writing).isRepeated).toBe(true)
})

test('a write to a server that has stopped answering is refused in time, others at once, and all is well when it answers', async () => {
  const held = Promise.withResolvers<{ rows: object[] }>()
  let isHung = true
  const query = () => (isHung ? held.promise : Promise.resolve({ rows: [{}] }))
  const connection = { query, end: async () => {} } as unknown as Connection
  const { clock, lanes } = lanesTo(async () => connection)
  const [one, other] = [1, 2].map(() => lanes.write(statement, [], true).catch((error: unknown) => error))
  await clock.advance(5_500)
  const refused = { code: 'STORE_UNAVAILABLE', details: { outcome: 'unknown' } }
  expect(await Promise.all([one, other])).toMatchObject([refused, refused])
  await expect(lanes.write(statement, [], true)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', details: {} })
  isHung = false
  held.resolve({ rows: [{}] })
  await clock.advance(0)
  expect((await lanes.write(statement, [], true)).rows).toHaveLength(1)
})

test('writes that share a flush are acknowledged only once it has succeeded', async () => {
  const sent: string[] = []
  let isCut = true
  const connect = async () => {
    const query = async ({ name = '' }: { name?: string }) => {
      sent.push(name)
      if (name !== 'flush' || !isCut) return { rows: [{}] }
      isCut = false
      throw new StandbyError()
    }
    return { query, end: async () => {} } as unknown as Connection
  }
  const { clock, lanes } = lanesTo(connect)
  const writing = Promise.all([1, 2].map(() => lanes.write(statement, [], true)))
  await clock.advance(1_000)
  expect((await writing).map(({ isRepeated }) => isRepeated)).toEqual([true, true])
  expect(sent).toEqual(['write', 'write', 'flush', 'write', 'write', 'flush'])
})

test('each of the writes that share a flush commits without waiting, and a single one waits', async () => {
  const isRelaxed: unknown[] = []
  const connect = async () => {
    const query = async ({ values }: { values?: readonly unknown[] }) => {
      isRelaxed.push(values?.at(-1))
      return { rows: [{}] }
    }
    return { query, end: async () => {} } as unknown as Connection
  }
  const { lanes } = lanesTo(connect)
  await lanes.write(statement, [], true)
  await lanes.write(statement, [], false)
  await Promise.all([lanes.write(statement, [], true), lanes.write(statement, [], true)])
  expect(isRelaxed).toEqual([false, true, true, true, undefined])
})

test('where sessions live on several servers, each write is sent by itself and no row comes back through a function that changes something', async () => {
  const sent: string[] = []
  const connect = async () => {
    const query = async ({ text }: { text: string }) => {
      sent.push(text)
      return { rows: [{}] }
    }
    return { query, end: async () => {} } as unknown as Connection
  }
  const lanes = new Lanes({ connect, clock: new SimulatedClock(), sharesFlush: false, prepares: true })
  const many = { name: 'many', text: 'many' }
  const text = `DELETE FROM key WHERE key = $1 RETURNING ${relaxed(2)}`
  const one = { name: 'one', text, forMany: many }
  await Promise.all([lanes.write(one, ['a'], true), lanes.write(one, ['b'], true)])
  expect(sent).toEqual(
    Array.from({ length: 2 }, () => 'DELETE FROM key WHERE key = $1 RETURNING $2::boolean AS relaxed'),
  )
})
