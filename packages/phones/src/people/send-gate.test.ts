import { simulatedRuntime } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { keyStore } from '../../../channel/src/people/key-store.test-helper.ts'
import { SendGate } from './send-gate.ts'
import type { PhoneLimits } from './phone-options.ts'

const hour = 60 * 60 * 1_000

test.each<[string, PhoneLimits, string, number]>([
  ['to one person in an hour', { messagesPerHour: 2 }, 'anna', 1],
  ['to one person in a day', { messagesPerDay: 2 }, 'anna', 24],
  ['to all together in an hour', { totalPerHour: 2 }, 'carla', 1],
])('no more messages than are allowed go %s', async (_, limits, third, hours) => {
  const { clock } = simulatedRuntime()
  const { store } = keyStore()
  const gate = new SendGate({ store, clock, transport: 'sms', tenant: 't', limits, check: () => undefined })
  await clock.advance(24 * hour - (clock.now() % (24 * hour)))
  expect(await gate.pass('anna', 'one')).toBeUndefined()
  expect(await gate.pass(third === 'anna' ? 'anna' : 'berta', 'two')).toBeUndefined()
  expect(await gate.pass(third, 'three')).toMatchObject({ status: 'failed' })
  // What has gone already may go again: it is the same message.
  expect(await gate.pass('anna', 'one')).toBeUndefined()
  await clock.advance(hours * hour - 1)
  expect(await gate.pass(third, 'three')).toMatchObject({ status: 'failed' })
  await clock.advance(1)
  expect(await gate.pass(third, 'three')).toBeUndefined()
})
