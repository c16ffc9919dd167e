import { createHmac } from 'node:crypto'
import { SimulatedClock } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { StatusLinks } from './status-links.ts'

const dayMs = 24 * 60 * 60 * 1_000
const place = { session: 'sess_1', seq: 3, messageId: 'msg_1' }

const secret = new Uint8Array(32).fill(7)

function context() {
  const clock = new SimulatedClock()
  const links = new StatusLinks({ secret, clock })
  const make = async () => (await links.make('notes', place)).url.split('/').at(-1) ?? ''
  return { clock, links, make }
}

test('a status link is good for a day', async () => {
  const { clock, links, make } = context()
  const id = await make()
  await clock.advance(dayMs - 1)
  expect(await links.read('notes', id)).toEqual(place)
  await clock.advance(1)
  await expect(links.read('notes', id)).rejects.toThrow('expired')
})

test('a status link of a clock that was ahead is good for no longer than two days', async () => {
  const { clock, links, make } = context()
  const id = await make()
  clock.step(-dayMs)
  expect(await links.read('notes', id)).toEqual(place)
  clock.step(-1)
  await expect(links.read('notes', id)).rejects.toThrow('expired')
})

test('a status link is good for its own hook, while its secret is listed', async () => {
  const { clock, links, make } = context()
  const id = await make()
  const other = new Uint8Array(32).fill(8)
  await expect(links.read('others', id)).rejects.toThrow('no such status')
  expect(await new StatusLinks({ secret: [other, secret], clock }).read('notes', id)).toEqual(place)
  await expect(new StatusLinks({ secret: other, clock }).read('notes', id)).rejects.toThrow('no such status')
})

test('a status link of the form before JWTs is good for its day', async () => {
  const { clock, links } = context()
  const text = Buffer.from(JSON.stringify(['sess_1', 3, 'msg_1', clock.now() + dayMs])).toString('base64url')
  const signed = createHmac('sha256', secret).update(`beach-webhook-status:${JSON.stringify(['notes', text])}`)
  const id = `${text}.${signed.digest('base64url')}`
  expect(await links.read('notes', id)).toEqual(place)
  await expect(links.read('others', id)).rejects.toThrow('no such status')
  await expect(links.read('notes', `${text}.x`)).rejects.toThrow('no such status')
  await clock.advance(dayMs)
  await expect(links.read('notes', id)).rejects.toThrow('expired')
})
