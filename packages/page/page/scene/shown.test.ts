import { describe, expect, test } from 'vitest'
import {
  cellText,
  day,
  daysLater,
  fileSize,
  inWords,
  moment,
  money,
  ownFile,
  safeLink,
  tableOf,
  timeOfDay,
  until,
} from '@cool-ai/beach-client/view'

describe('links', () => {
  const base = 'http://127.0.0.1:4747/'

  test.each([
    ['https://example.com/a', 'https://example.com/a'],
    ['mailto:a@example.com', 'mailto:a@example.com'],
    ['/artifacts/art_1', 'http://127.0.0.1:4747/artifacts/art_1'],
    ['javascript:alert(1)', undefined],
    ['\u0001java\nscript:alert(1)', undefined],
    ['data:text/html,x', undefined],
    ['blob:http://127.0.0.1:4747/x', undefined],
    ['file:///etc/passwd', undefined],
    ['vbscript:x', undefined],
    [7, undefined],
  ])('%j leads to %j', (url, target) => {
    expect(safeLink(url, base)?.href).toBe(target)
  })

  test.each([
    ['/artifacts/art_1?signature=x', true],
    ['http://127.0.0.1:4747/artifacts/art_1', true],
    ['/sessions/sess_1', false],
    ['/artifacts/../sessions/sess_1', false],
    ['https://evil.example/artifacts/art_1', false],
    ['//evil.example/artifacts/art_1', false],
  ])('%s is a file of ours: %s', (url, ours) => {
    expect(ownFile(url, base) !== undefined).toBe(ours)
  })
})

test('names, amounts and times as people write them', () => {
  expect(inWords('pricePerPerson')).toBe('Price per person')
  expect(inWords('book_flight')).toBe('Book flight')
  expect([money(94, 'GBP'), money(12.5, 'EUR'), money(1, 'no currency')]).toEqual(['£94', '€12.50', '1 no currency'])
  expect([day('2026-08-15T08:45:00'), day('some day')]).toEqual(['Sat 15 Aug', 'some day'])
  expect([timeOfDay('2026-08-15T08:45:00'), timeOfDay('2026-08-15')]).toEqual(['08:45', ''])
  expect([daysLater('2026-08-15T23:00:00', '2026-08-16T01:00:00'), daysLater('x', 'y')]).toEqual([1, 0])
  expect([fileSize(476), fileSize(2_400), fileSize(3_400_000)]).toEqual(['476 B', '2 kB', '3.4 MB'])
})

test('how long it is until then', () => {
  const texts = [-5, 90, 600, 3 * 3_600, 72 * 3_600].map((seconds) => until(seconds * 1_000, 0))
  expect(texts).toEqual(['in 0 s', 'in 90 s', 'in 10 minutes', 'in 3 hours', 'in 3 days'])
  const noon = new Date(2026, 7, 15, 12).getTime()
  expect(moment(noon, noon)).toBe('12:00')
  expect(moment(noon, noon + 86_400_000)).toBe('15 Aug, 12:00')
})

describe('data without a form', () => {
  test('is a table when it has a list of objects, without ids and with the first rows only', () => {
    const rows = Array.from({ length: 25 }, (_, index) => ({ stockId: index, name: `n${index}`, deep: {} }))
    expect(tableOf({ total: 25, rows })).toMatchObject({ columns: ['name'], left: 5 })
    expect(tableOf({ a: 1 })).toBeUndefined()
    expect(tableOf({ list: [1, 2] })).toBeUndefined()
  })

  test('has short cells', () => {
    expect([cellText('2026-08-15T08:45:00'), cellText(undefined)]).toEqual(['15 August 2026, 08:45', ''])
    expect([cellText({ sky: 'cloudy', highCelsius: 19 }), cellText(['a', 'b'])]).toEqual([
      'Sky: cloudy, High celsius: 19',
      'a, b',
    ])
    expect(cellText({ a: { b: 1 } })).toBe('{"a":{"b":1}}')
  })
})
