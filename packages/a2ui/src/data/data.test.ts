import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dataToHtml, dataToText } from './data-blocks.ts'

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
  Departure date: 2026-07-01
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

  test('may be anything', () => {
    const anything = fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true, withSparseArray: true })
    fc.assert(
      fc.property(fc.oneof(anything, fc.jsonValue({ maxDepth: 8 })), (data) => {
        expect(typeof dataToText(data)).toBe('string')
        expect(dataToHtml(data)).not.toMatch(/<script/i)
      }),
      { numRuns: 300 },
    )
  })
})
