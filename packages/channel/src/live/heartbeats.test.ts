import { SimulatedClock } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { Heartbeats } from './stream-writer.ts'

test('each of many connections beats once in a round, and they do not all beat at once', async () => {
  const clock = new SimulatedClock(0)
  const heartbeats = new Heartbeats(clock, 1_600)
  const beats: number[] = []
  for (let count = 0; count < 160; count++) {
    heartbeats.add({ beat: () => beats.push(clock.now()) })
    await clock.advance(10)
  }
  beats.length = 0
  await clock.advance(1_600)
  expect(beats).toHaveLength(160)
  expect(new Set(beats).size).toBe(16)
})

test('the first beat comes after a round, and none after the end', async () => {
  const clock = new SimulatedClock(0)
  const heartbeats = new Heartbeats(clock, 1_600)
  const beats: number[] = []
  const stop = heartbeats.add({ beat: () => beats.push(clock.now()) })
  await clock.advance(3_200)
  expect(beats).toEqual([1_600, 3_200])
  stop()
  stop()
  await clock.advance(10_000)
  expect(beats).toHaveLength(2)
  expect(clock.next()).toBeUndefined()
  heartbeats.add({ beat: () => beats.push(clock.now()) })
  await clock.advance(1_600)
  expect(beats).toHaveLength(3)
})
