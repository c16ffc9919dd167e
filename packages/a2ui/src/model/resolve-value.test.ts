import { BASIC_FUNCTIONS, Catalog, DataContext, SurfaceModel } from '@a2ui/web_core/v0_9'
import { describe, expect, test } from 'vitest'
import { resolveValue, textOf } from './resolve-value.ts'

const data = {
  name: 'Ann',
  n: 1234.5,
  at: '2025-12-15T17:00:00Z',
  empty: '',
  list: ['a', 'b'],
  items: [{ title: 'First', tags: ['x'] }],
  expression: '${/name}',
  call: { call: 'not', args: { value: false } },
}
const call = (name: string, args: Record<string, unknown>) => ({ call: name, args })
const at = (path: string) => ({ path })
const here = (value: unknown, base = '/') => resolveValue(value, { data, base, locale: 'en-US' })

const calls: readonly (readonly [value: unknown, expected: unknown])[] = [
  ['x', 'x'],
  [at('/name'), 'Ann'],
  [at('/nothing'), undefined],
  [call('required', { value: at('/name') }), true],
  [call('required', { value: at('/empty') }), false],
  [call('length', { value: at('/name'), min: 2, max: 3 }), true],
  [call('length', { value: at('/list'), min: 3 }), false],
  [call('numeric', { value: at('/n'), min: 1, max: 2000 }), true],
  [call('numeric', { value: at('/n'), max: 2 }), false],
  [call('email', { value: 'a@b.co' }), true],
  [call('email', { value: 'a@b@c.co' }), false],
  [call('email', { value: '@b.co' }), false],
  [call('formatString', { value: 'Hi ${/name}, ${/n} \\${x} ${/nothing}${/list}' }), 'Hi Ann, 1234.5 ${x} ["a","b"]'],
  [call('formatString', { value: "${formatDate(value: ${/at}, format: 'd MMM')}" }), '15 Dec'],
  [call('formatNumber', { value: at('/n') }), '1,234.5'],
  [call('formatNumber', { value: at('/n'), decimals: 2, grouping: false }), '1234.50'],
  [call('formatCurrency', { value: at('/n'), currency: 'EUR' }), '€1,234.50'],
  [
    call('formatDate', { value: at('/at'), format: "EEEE, MMMM d, yyyy 'at' h:mm a" }),
    'Monday, December 15, 2025 at 5:00 PM',
  ],
  [call('formatDate', { value: at('/at'), format: "EEE dd/MM/yy HH:mm:ss ''yy" }), "Mon 15/12/25 17:00:00 '25"],
  [call('formatDate', { value: '2025-01-05', format: 'MMM d' }), 'Jan 5'],
  [call('formatDate', { value: at('/at'), format: 'ISO' }), '2025-12-15T17:00:00.000Z'],
  [call('pluralize', { value: 1, one: 'item', other: 'items' }), 'item'],
  [call('pluralize', { value: 2, one: 'item', other: 'items' }), 'items'],
  [call('and', { values: [true, at('/name')] }), true],
  [call('and', { values: [true, call('not', { value: true })] }), false],
  [call('or', { values: [false, at('/empty')] }), false],
  [call('not', { value: at('/empty') }), true],
]

test.each(calls)('%j comes to %j', (value, expected) => {
  expect(here(value)).toEqual(expected)
})

describe('the reference implementation', () => {
  process.env.TZ = 'UTC'
  const catalog = new Catalog('c', [], BASIC_FUNCTIONS)
  const surface = new SurfaceModel('s', catalog)
  surface.dataModel.set('/', data)
  const context = new DataContext(surface, '/')

  test.each(calls)('says the same of %j: %j', (value, expected) => {
    expect(context.resolveDynamicValue(value as never)).toEqual(expected)
  })
})

test('inside a template relative paths begin at the item', () => {
  expect(here(at('title'), '/items/0')).toBe('First')
  expect(here(at('tags/0'), '/items/0')).toBe('x')
  expect(here(at(''), '/list/1')).toBe('b')
  expect(here(at('/name'), '/items/0')).toBe('Ann')
})

test('what is not done here: patterns of strangers, addresses, functions that there are not', () => {
  expect(here(call('regex', { value: 'aaaa', pattern: '(a+)+$' }))).toBeUndefined()
  expect(here(call('openUrl', { url: 'https://example.com' }))).toBeUndefined()
  expect(here(call('toString', {}))).toBeUndefined()
})

test('what cannot be shown as asked is shown as it is', () => {
  expect(here(call('formatCurrency', { value: 5, currency: 'nonsense' }))).toBe('5 nonsense')
  expect(here(call('formatNumber', { value: 5, decimals: 1000 }))).toBe('5')
  expect(here(call('formatNumber', { value: 'five' }))).toBe('')
  expect(here(call('required', { value: at('/nothing') }))).toBe(false)
  expect(here(call('formatDate', { value: 'next week', format: 'd' }))).toBe('next week')
  expect(here(call('formatDate', { value: '2025-07-15T19:00:00+02:00', format: 'HH:mm' }))).toBe('19:00')
  expect(here(call('formatDate', { value: 0, format: 'yyyy' }))).toBe('1970')
  expect(here(call('formatString', { value: 'a ${' }))).toBe('a ${')
})

test('data is never taken for something to be computed', () => {
  expect(here(at('/call'))).toEqual(data.call)
  expect(here(call('formatString', { value: '${/expression}' }))).toBe('${/name}')
})

test('a text does not grow without end', () => {
  const big = { data: { big: 'x'.repeat(20_000) }, base: '/', locale: 'en-US' }
  const value = call('formatString', { value: '${/big}'.repeat(10_000) })
  expect(textOf(resolveValue(value, big)).length).toBeLessThan(25_000)
})
