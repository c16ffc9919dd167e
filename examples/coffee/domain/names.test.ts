import { expect, test } from 'vitest'
import { categoryCalled, itemCalled, locationCalled, milkCalled, sizeCalled } from './names.ts'

test.each([
  ['flat whites', 'item_002'],
  ['item_004', 'item_004'],
  ['Caffè Latte', 'item_003'],
  ['warm oat cookie', 'item_032'],
  ['muffin', 'item_030'],
  ['iced latte', 'item_020'],
  ['pizza', undefined],
  ['', undefined],
])('%s is %s', (said, id) => {
  expect(itemCalled(said)?.id).toBe(id)
})

test('other words become ids of the catalogue too', () => {
  expect(locationCalled('the harbor')?.id).toBe('loc_002')
  expect(sizeCalled('big')?.id).toBe('large')
  expect(milkCalled('soya milk')?.id).toBe('soy')
  expect(categoryCalled('pastries')).toBe('bakery')
  expect(categoryCalled('spare parts')).toBeUndefined()
})
