import { expect, test } from 'vitest'
import { footnotesOf, numbersFor } from './footnotes.ts'
import { said } from './parts.test-helper.ts'

const cite = (path: string, title: string, url?: string) =>
  said('citation', { data: { path, title, ...(url && { url }) } })

test('sources are numbered as they come, the same one with one number', () => {
  const notes = footnotesOf([
    cite('/culture/text', 'Guide', 'https://guide.example/'),
    cite('/logistics/text', 'Timetable'),
    cite('/activities/text', 'Guide', 'https://guide.example/'),
  ])
  expect(notes.map(({ number, title, about }) => [number, title, about])).toEqual([
    [1, 'Guide', ['culture', 'activities']],
    [2, 'Timetable', ['logistics']],
  ])
})

test('a note belongs to the slot, or to the data with the key, that it points into', () => {
  const notes = footnotesOf([cite('/research~1corfu/text', 'Guide'), cite('/flights/0/price', 'Fares')])
  expect(numbersFor(said('domain-data', { data: {}, slotKey: 'research/corfu' }), notes)).toEqual([1])
  expect(numbersFor(said('domain-data', { data: { flights: [] } }), notes)).toEqual([2])
  expect(numbersFor(said('domain-data', { data: { hotels: [] } }), notes)).toEqual([])
})

test('what names no source is none', () => {
  expect(footnotesOf([said('citation', { data: { path: '/a' } }), said('citation', { data: 'x' })])).toEqual([])
})
