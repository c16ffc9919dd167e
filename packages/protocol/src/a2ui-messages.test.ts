import { expect, test } from 'vitest'
import { a2uiMessages, readA2uiMessages } from './a2ui-messages.ts'

test('data that is no A2UI cannot be read, and readA2uiMessages says so by undefined', () => {
  const created = { version: 'v0.9', createSurface: { surfaceId: 'one' } }
  expect(readA2uiMessages([created])).toEqual([created])
  expect(readA2uiMessages({ surfaceId: 'one' })).toBeUndefined()
  expect(() => a2uiMessages({ surfaceId: 'one' })).toThrow('has none of')
})
