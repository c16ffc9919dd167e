import { expect, test } from 'vitest'
import { ProgressCount } from './progress-count.ts'

const flights = (done: number) => ({ label: 'Flights', done, total: 3 })
const hotels = (done: number) => ({ label: 'Hotels', done, total: 5 })

test('what is counted keeps its own numbers, whatever is said before', () => {
  const count = new ProgressCount()
  expect(count.next()).toEqual({ progress: 0.01 })
  expect(count.next({ label: 'Flights' })).toEqual({ progress: 0.02 })
  expect(count.next(flights(1))).toEqual({ progress: 1, total: 3 })
  expect(count.next(flights(3))).toEqual({ progress: 3, total: 3 })
})

test('a second count goes on from the first one, and the numbers always rise', () => {
  const count = new ProgressCount()
  const said = [flights(0), flights(2), flights(2), hotels(0), hotels(1), flights(3), undefined, hotels(1), hotels(0)]
  const sent = said.map((one) => count.next(one))
  const numbers = sent.map(({ progress }) => progress)
  expect(numbers).toEqual([...new Set(numbers)].toSorted((one, other) => one - other))
  expect(sent.slice(1, 5)).toEqual([
    { progress: 2, total: 3 },
    { progress: 2.01, total: 3 },
    { progress: 3, total: 8 },
    { progress: 4, total: 8 },
  ])
})
