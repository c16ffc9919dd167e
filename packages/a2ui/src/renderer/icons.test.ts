import { IconApi } from '@a2ui/web_core/v0_9'
import { expect, test } from 'vitest'
import { iconShape, iconWords } from './icons.ts'

test('every icon of the catalog has a drawing', () => {
  const names = JSON.stringify(namesIn(IconApi.schema.shape.name))
  const missing = (JSON.parse(names) as string[]).filter((name) => iconShape(name) === undefined)
  expect(JSON.parse(names)).toContain('shoppingCart')
  expect(missing).toEqual([])
})

test('names with underscores are the same names, and what an object has by itself is none', () => {
  expect(iconShape('shopping_cart')).toEqual(iconShape('shoppingCart'))
  expect(iconShape('constructor')).toBeUndefined()
  expect(iconWords('skipNext')).toBe('Skip next')
  expect(iconWords('shopping_cart')).toBe('Shopping cart')
})

function namesIn(union: { readonly options: readonly object[] }): readonly string[] {
  return union.options.flatMap((option) => ('options' in option ? (option.options as string[]) : []))
}
