import { expect, test } from 'vitest'
import { addDays, isoDate, longDate, nightsBetween } from './iso-date.ts'

test('a real day stays as it is', () => {
  expect(isoDate('2026-08-15')).toBe('2026-08-15')
  expect(isoDate('2028-02-29')).toBe('2028-02-29')
})

test.each([
  '2026-02-29',
  '2026-13-01',
  '2026-8-15',
  '15/08/2026',
  '2026-08-15T00:00:00Z',
  '1999-12-31',
  'tomorrow',
  '',
])("'%s' is refused with a sentence that says how to write it", (text) => {
  expect(() => isoDate(text, 'checkIn')).toThrow(`The checkIn '${text}' is not a day that exists.`)
  expect(() => isoDate(text)).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }))
})

test('days are counted over months, leap days and changes of the clocks', () => {
  expect(addDays('2028-02-28', 2)).toBe('2028-03-01')
  expect(nightsBetween('2026-03-28', '2026-03-30')).toBe(2)
  expect(nightsBetween('2026-08-15', '2026-08-14')).toBe(-1)
})

test('a day is written out as people read it', () => {
  expect(longDate('2026-08-15')).toBe('Saturday 15 August 2026')
})
