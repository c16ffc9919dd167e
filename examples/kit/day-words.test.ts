import { expect, test } from 'vitest'
import { daysIn } from './day-words.ts'
import { ordinalIn } from './number-words.ts'
import { timeIn } from './time-words.ts'

// A Wednesday.
const today = '2026-11-18'

test.each([
  ['on 2027-03-05', '2027-03-05'],
  ['on 3 May', '2027-05-03'],
  ['on the 3rd of May 2028', '2028-05-03'],
  ['May 3rd', '2027-05-03'],
  ['24 December', '2026-12-24'],
  ['on 5/12', '2026-12-05'],
  ['29 February', '2028-02-29'],
  ['in August', '2027-08-14'],
  ['in August 2028', '2028-08-12'],
  ['this November', '2026-11-21'],
  ['in early December', '2026-12-05'],
  ['at the end of june', '2027-06-26'],
  ['the first week of July', '2027-07-03'],
  ['yesterday', '2026-11-17'],
  ['February for 4 people', '2027-02-13'],
  ['February 4 people', '2027-02-13'],
  ['February 4', '2027-02-04'],
  ['today', '2026-11-18'],
  ['at Easter', '2027-03-26'],
  ['on Easter Monday', '2027-03-29'],
  ['last week', '2026-11-09'],
  ['tomorrow', '2026-11-19'],
  ['the day after tomorrow', '2026-11-20'],
  ['on Saturday', '2026-11-21'],
  ['on Wednesday', '2026-11-25'],
  ['next Saturday', '2026-11-28'],
  ['this weekend', '2026-11-21'],
  ['next weekend', '2026-11-28'],
  ['next week', '2026-11-23'],
  ['next month', '2026-12-12'],
  ['in two weeks', '2026-12-02'],
  ['in 3 days', '2026-11-21'],
  ['on the 22nd', '2026-11-22'],
  ['on the 3rd', '2026-12-03'],
  ['Monday 30 November', '2026-11-30'],
  ['Friday, the 27th of November 2026', '2026-11-27'],
  ['Saturday the 28th', '2026-11-28'],
  ['Monday, November 30', '2026-11-30'],
  ['on Monday 2026-11-30', '2026-11-30'],
  ['over Christmas', '2026-12-23'],
  ['in the summer', '2027-07-17'],
])('%s is %s, on 18 November 2026', (text, date) => {
  expect(daysIn(text, { today }).map((day) => day.date)).toEqual([date])
})

test.each(['may I book it', 'I march on', 'the 1st one', 'for 4 people', 'hello', 'decide', 'marvellous', 'sunny'])(
  '%s names no day',
  (text) => {
    expect(daysIn(text, { today })).toEqual([])
  },
)

test.each([
  ['from 14 to 21 August', ['2027-08-14', '2027-08-21']],
  ['from 28 December to 3 January', ['2026-12-28', '2027-01-03']],
  ['Add Liston House from 2026-12-15 to 2026-12-22', ['2026-12-15', '2026-12-22']],
])('%s names two days', (text, dates) => {
  expect(daysIn(text, { today }).map((day) => day.date)).toEqual(dates)
})

test.each(['on 31 June', 'on 2026-13-45', 'on 2026-02-30'])('%s names a day that does not exist', (text) => {
  expect(daysIn(text, { today }).map((day) => day.date)).toEqual([undefined])
})

test.each([
  ['I meant Saturday', '2027-08-14'],
  ['the 22nd', '2027-08-22'],
  ['a day later', '2027-08-16'],
  ['one week earlier', '2027-08-08'],
  ['the day before', '2027-08-14'],
])('%s is near the day that was talked about', (text, date) => {
  expect(daysIn(text, { today, near: '2027-08-15' })[0]?.date).toBe(date)
})

test('a month that has begun is this year’s as long as it has a Saturday left', () => {
  expect(daysIn('in August', { today: '2026-06-06' })[0]?.date).toBe('2026-08-15')
  expect(daysIn('in August', { today: '2026-08-20' })[0]?.date).toBe('2026-08-22')
  expect(daysIn('in August', { today: '2026-08-29' })[0]?.date).toBe('2027-08-14')
})

test.each([
  ['at 10', '10:00'],
  ['lunch at 1', '13:00'],
  ['half past two', '14:30'],
  ['at 5 in the morning', '05:00'],
  ['at 9:30', '09:30'],
  ['at 9.30 pm', '21:30'],
  ['10am', '10:00'],
  ['at 3 pm', '15:00'],
  ['12am', '00:00'],
  ['at noon', '12:00'],
  ['half past nine', '09:30'],
  ['at quarter to five', '16:45'],
  ['at 99:99', undefined],
  ['at 25', undefined],
])('%s is the time %s', (text, time) => {
  expect(timeIn(text)).toMatchObject({ time })
})

test('a text without a time has none', () => {
  expect(timeIn('dentist on 2026-08-19')).toBeUndefined()
})

test.each([
  ['the first one', 0],
  ['add the second', 1],
  ['I’ll take the 3rd flight', 2],
  ['2', 1],
  ['option 2 please', 1],
  ['the last one', -1],
  ['on the 3rd', undefined],
  ['first of all, hello', undefined],
  ['for 2 people', undefined],
])('%s is number %s of a list', (text, index) => {
  expect(ordinalIn(text)).toBe(index)
})
