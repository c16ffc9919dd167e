import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dataChoices, dataToHtml, dataToText } from './data-blocks.ts'

const found = {
  flights: [
    { flightNo: 'BA 2043', price: 187, direct: true },
    { flightNo: 'OS 87', price: 203, direct: false, note: null },
  ],
  query: { from: 'LGW', departure_date: '2026-07-01', passengers: ['Ann', 'Bob'] },
  hotels: [{ name: 'Ritz', address: { city: 'Corfu' } }],
  total: 0,
  nothing: null,
}

describe('data of which nothing is known', () => {
  test('reads as tables, lists and lines', () => {
    expect(dataToText(found)).toBe(`Flights:
  Flight no  Price  Direct  Note
  BA 2043    187    yes
  OS 87      203    no

Query:
  From: LGW
  Departure date: Wed 1 Jul 2026
  Passengers: Ann, Bob

Hotels:
  - Name: Ritz

    Address:
      City: Corfu

Total: 0`)
  })

  test.each([
    ['a text', 'hello', 'hello'],
    ['a text that looks like Markdown', { note: '# 1 of *2*' }, 'Note: # 1 of *2*'],
    ['a number', 5, '5'],
    ['a list', ['a', 'b'], '- a\n- b'],
    ['a wide table', [{ a: 'x'.repeat(60), b: 'y'.repeat(60) }], `- A: ${'x'.repeat(60)}\n  B: ${'y'.repeat(60)}`],
    [
      'times in minutes',
      { minutes: 540, delay_minutes: 5, durationInMinutes: 90 },
      'Duration: 9 hours\nDelay: 5 minutes\nDuration: 1 hour 30 minutes',
    ],
    ['minutes of a meeting', { minutes: 'All agreed.' }, 'Minutes: All agreed.'],
    ['a time', { at: '2026-08-15T08:45' }, 'At: Sat 15 Aug 2026, 08:45'],
    ['nothing', undefined, ''],
    ['an empty list', { flights: [] }, 'Flights: –'],
  ])('%s', (_, data, text) => {
    expect(dataToText(data)).toBe(text)
  })

  test('too much of it is counted', () => {
    const many = Array.from({ length: 250 }, (_, n) => ({ n }))
    expect(dataToText(many)).toContain('… and 150 more')
  })

  test('is HTML for mail', () => {
    const html = dataToHtml({ flights: [{ no: '<b>BA</b>', price: 1 }], note: '<script>' })
    expect(html).toContain('<th style="padding:4px 12px 4px 0;text-align:left;vertical-align:top">Price</th>')
    expect(html).toContain('&lt;b&gt;BA&lt;/b&gt;')
    expect(html).not.toContain('<script>')
  })

  test('has the records of its first list to choose from', () => {
    expect(dataChoices(found)).toEqual([
      { kind: 'item', title: 'BA 2043', details: 'Price: 187, Direct: yes', actions: [] },
      { kind: 'item', title: 'OS 87', details: 'Price: 203, Direct: no', actions: [] },
    ])
    const text = dataToText(
      { total: { amount: 9, currency: 'EUR' }, drinks: [{ price: { amount: 5, currency: 'EUR' }, name: 'Tea' }] },
      { firstNumber: 3 },
    )
    expect(text).toBe('Total:\n  Amount: 9\n  Currency: EUR\n\n3. Tea: Price: 5 EUR')
    expect(dataChoices([{ a: 1 }, { a: 2 }])).toHaveLength(2)
    expect(dataChoices({ note: 'x', tags: ['a'], none: [] })).toEqual([])
  })

  test('may be anything', () => {
    const anything = fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true, withSparseArray: true })
    fc.assert(
      fc.property(fc.oneof(anything, fc.jsonValue({ maxDepth: 8 })), (data) => {
        expect(typeof dataToText(data)).toBe('string')
        expect(dataToHtml(data)).not.toMatch(/<script/i)
        expect(dataToHtml(data, { firstNumber: 1 })).not.toMatch(/<script/i)
        expect(Array.isArray(dataChoices(data))).toBe(true)
      }),
      { numRuns: 300 },
    )
  })
})
