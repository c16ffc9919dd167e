import { expect, test } from 'vitest'
import { withDefaults } from './with-defaults.ts'

test('an option that is undefined has its default, like one that was left out', () => {
  const defaults = { attempts: 3, delayMs: 100 } as const
  expect(withDefaults(defaults, { attempts: 5, delayMs: undefined })).toEqual({ attempts: 5, delayMs: 100 })
  expect(withDefaults(defaults, undefined)).toEqual(defaults)
})
