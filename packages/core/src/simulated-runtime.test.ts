import { expect, test } from 'vitest'
import { isOver, sleep } from './clock.ts'
import { parsePartId, partId } from './part.ts'
import { encodeSecond, systemRuntime, timeOfId } from './runtime.ts'
import { SimulatedClock, simulatedRuntime } from './simulated-runtime.ts'

test('fires timers in order of time, then of creation, and only when time comes', async () => {
  const clock = new SimulatedClock(0)
  const fired: string[] = []
  clock.timer(20, () => fired.push('c'))
  clock.timer(10, () => fired.push('a'))
  clock.timer(10, () => fired.push('b'))
  const cancel = clock.timer(5, () => fired.push('never'))
  cancel()
  await clock.advance(9)
  expect(fired).toEqual([])
  await clock.advance(11)
  expect(fired).toEqual(['a', 'b', 'c'])
  expect(clock.now()).toBe(20)
})

test('fires timers that timers set, at their own time', async () => {
  const clock = new SimulatedClock(0)
  const times: number[] = []
  const again = () => {
    times.push(clock.now())
    clock.timer(10, again)
  }
  clock.timer(10, again)
  await clock.advance(35)
  expect(times).toEqual([10, 20, 30])
})

test('a sleep ends early when its signal aborts', async () => {
  const clock = new SimulatedClock(0)
  const stop = new AbortController()
  const slept = sleep(clock, 1_000, stop.signal)
  stop.abort()
  await slept
  expect(clock.next()).toBeUndefined()
})

test('fires timers when it would have, whatever the time is set to meanwhile', async () => {
  const clock = new SimulatedClock(1_000)
  const fired: string[] = []
  clock.timer(10, () => {
    clock.step(-500)
    fired.push('first')
  })
  clock.timer(20, () => fired.push('second'))
  clock.step(3_600_000)
  await clock.advance(9)
  expect(fired).toEqual([])
  await clock.advance(1)
  expect(fired).toEqual(['first'])
  expect([clock.now(), clock.elapsed()]).toEqual([3_600_510, 10])
  expect(clock.next()).toBe(3_600_520)
  await clock.advance(10)
  expect(fired).toEqual(['first', 'second'])
})

test.each([
  ['waits', { since: 100, until: 200 }, 150, false],
  ['is over in time', { since: 100, until: 200 }, 200, true],
  ['waits for a little longer when the clock was set back by a little', { since: 100, until: 200 }, 0, false],
  ['is over when the clock was set back by more than it was to last', { since: 100, until: 200 }, -1, true],
  ['of no time at all is over whatever the clock says', { since: 100, until: 100 }, 50, true],
] as const)('a wait %s', (_, wait, now, expected) => {
  expect(isOver(wait, now)).toBe(expected)
})

test('a simulated runtime gives the same ids and numbers for the same seed, and others for another', () => {
  const draw = (seed: number) => {
    const runtime = simulatedRuntime({ seed })
    return [runtime.id('x'), runtime.random(), runtime.id('x')]
  }
  expect(draw(1)).toEqual(draw(1))
  expect(draw(1)).not.toEqual(draw(2))
})

test('real ids cannot be guessed, and have unambiguous characters', () => {
  const runtime = systemRuntime()
  const ids = new Set(Array.from({ length: 1_000 }, () => runtime.id('sess')))
  expect(ids.size).toBe(1_000)
  for (const id of ids) expect(id).toMatch(/^sess_[abcdefghijkmnpqrstuvwxyz23456789]{26}$/)
})

test('real ids sort by the second in which they are made', () => {
  const day = 24 * 60 * 60 * 1_000
  const times = [Date.UTC(2020, 0, 1), Date.UTC(2026, 10, 15), Date.UTC(2026, 10, 15) + 1_000, Date.UTC(2054, 0, 1)]
  const seconds = times.map((time) => encodeSecond(time))
  expect(seconds).toEqual(seconds.toSorted())
  expect(new Set(seconds).size).toBe(times.length)
  expect(encodeSecond(Date.UTC(2019, 0, 1))).toBe(seconds[0])
  const around = [Date.now() - day, Date.now() + day].map((time) => `sess_${encodeSecond(time)}`)
  const id = systemRuntime().id('sess')
  expect([...around, id].toSorted()[1]).toBe(id)
})

test('parsePartId reads part ids back, and gives undefined for others', () => {
  const turnId = simulatedRuntime().id('turn')
  expect(parsePartId(partId(turnId, 12, 3))).toEqual({ turnId, step: 12, index: 3 })
  expect(parsePartId('msg_abc.0')).toBeUndefined()
})

test('an id says in which second it was made', () => {
  const before = Math.floor(Date.now() / 1_000) * 1_000
  const made = timeOfId(systemRuntime().id('err'))
  expect(made).toBeGreaterThanOrEqual(before)
  expect(made).toBeLessThanOrEqual(Date.now())
  expect(['err_1', 'err', 'err_abcdel23456', ''].map(timeOfId)).toEqual([undefined, undefined, undefined, undefined])
})

test('after a suspension, timers that fell due fire once each, and see the time at its end', async () => {
  const clock = new SimulatedClock(0)
  const times: number[] = []
  const again = () => {
    times.push(clock.elapsed())
    clock.timer(10, again)
  }
  clock.timer(10, again)
  clock.timer(2_000, () => times.push(-1))
  await clock.suspend(1_000)
  expect(times).toEqual([1_000])
  expect(clock.next()).toBe(1_010)
})
