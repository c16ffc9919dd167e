import { expect, test } from 'vitest'
import { weekOf, withEntries, withoutEntries, withTitle, type Entry } from './week.ts'

const dentist: Entry = { date: '2026-08-19', time: '10:00', title: 'Dentist' }
const flight: Entry = { date: '2026-08-15', time: '06:15', title: 'easyJet to Corfu', source: 'ExampleTravel' }

test('a plan is in the order of time, and has nothing twice', () => {
  const plan = withEntries(withEntries([], [dentist]), [flight, dentist, flight])
  expect(plan).toEqual([flight, dentist])
})

test('a week begins on Monday', () => {
  const plan = [flight, dentist]
  expect(weekOf(plan, '2026-08-15')).toEqual({ from: '2026-08-10', entries: [flight] })
  expect(weekOf(plan, '2026-08-16')).toEqual({ from: '2026-08-10', entries: [flight] })
  expect(weekOf(plan, '2026-08-17')).toEqual({ from: '2026-08-17', entries: [dentist] })
})

test('what has a title is taken out by it, or by a part of it', () => {
  expect(withTitle([flight, dentist], 'dentist')).toEqual([dentist])
  expect(withTitle([flight, dentist], 'Corfu')).toEqual([flight])
  expect(withTitle([dentist, { ...dentist, title: 'Dentist for the dog' }], 'dentist')).toEqual([dentist])
  expect(withTitle([dentist], 'dentist', '2026-08-20')).toEqual([])
  expect(withoutEntries([flight, dentist], [dentist])).toEqual([flight])
})
