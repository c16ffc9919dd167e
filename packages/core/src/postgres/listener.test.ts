import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { silentLogger } from '../logger.ts'
import { SimulatedClock } from '../simulated-runtime.ts'
import { Listener } from './listener.ts'

/** A connection that answers at once, and tells when it was ended. */
class Connection extends EventEmitter {
  isEnded = false

  async query() {
    return { rows: [{ now: 0 }] }
  }

  async end() {
    this.isEnded = true
    this.emit('end')
  }
}

test('a listener that is closed while it connects again leaves no connection behind', async () => {
  const [first, second] = [new Connection(), new Connection()]
  const asked = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<Connection>()
  let connections = 0
  let connected = 0
  const listener = await Listener.open({
    connect: async () => {
      if (connections++ === 0) return first
      asked.resolve()
      return answered.promise
    },
    channels: ['news'],
    events: { notified() {}, connected: () => void connected++ },
    clock: new SimulatedClock(),
    logger: silentLogger,
  })
  first.emit('end')
  await asked.promise
  const closing = listener.close()
  answered.resolve(second)
  await closing
  expect(second.isEnded).toBe(true)
  expect(connected).toBe(1)
})
