import { SimulatedClock } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { StatusLinks } from './status-links.ts'

const dayMs = 24 * 60 * 60 * 1_000
const place = { session: 'sess_1', seq: 3, messageId: 'msg_1' }

function world() {
  const clock = new SimulatedClock()
  const links = new StatusLinks({ secret: new Uint8Array(32).fill(7), clock })
  const make = () => links.make('notes', place).url.split('/').at(-1) ?? ''
  return { clock, links, make }
}

test('a status link is good for a day', async () => {
  const { clock, links, make } = world()
  const id = make()
  await clock.advance(dayMs - 1)
  expect(links.read('notes', id)).toEqual(place)
  await clock.advance(1)
  expect(() => links.read('notes', id)).toThrow('expired')
})

test('a status link of a clock that was ahead is good for no longer than two days', () => {
  const { clock, links, make } = world()
  const id = make()
  clock.step(-dayMs)
  expect(links.read('notes', id)).toEqual(place)
  clock.step(-1)
  expect(() => links.read('notes', id)).toThrow('expired')
})
