import { PartTypeRegistry, type Part } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { ui } from './builder/ui.ts'
import { registerA2ui } from './register-a2ui.ts'

function registry(): PartTypeRegistry {
  const partTypes = new PartTypeRegistry()
  const deliveryRules = { streaming: 'flush', buffered: 'final-state' } as const
  const validate = (part: Part) => (part.data === undefined ? ['It needs data.'] : [])
  partTypes.register({ partType: 'a2ui-surface', deliveryRules, isCanonical: true, validate })
  partTypes.register({ partType: 'domain-data', deliveryRules, isCanonical: true })
  return partTypes
}

const surface = (data: unknown): Part => ({ data, metadata: { partType: 'a2ui-surface' } })
const valid = surface(ui.surface({ surfaceId: 's', root: ui.text('Hello') }))

test('surfaces are validated and have readable forms, and so has data', () => {
  const partTypes = registry()
  registerA2ui(partTypes)
  const { validate, toText, toHtml } = partTypes.get('a2ui-surface') ?? {}
  expect(validate?.(valid)).toEqual([])
  expect(validate?.(surface({ version: 'v0.9', createSurface: {} }))).toEqual([
    "/createSurface: createSurface has no 'surfaceId'. Add 'surfaceId'.",
    "/createSurface: createSurface has no 'catalogId'. Add 'catalogId'.",
  ])
  expect(validate?.(surface(undefined))).toEqual(['It needs data.'])
  expect(toText?.(valid)).toBe('Hello')
  expect(toHtml?.(valid)).toContain('Hello')
  expect(toText?.(surface(ui.updateData('s', '/a', 1)))).toBeUndefined()
  const data = partTypes.get('domain-data')
  const part = { data: { price: 187 }, metadata: { partType: 'domain-data' } }
  expect(data?.toText?.(part)).toBe('Price: 187')
  expect(data?.toHtml?.(part)).toContain('187')
})

test('doing it again changes nothing', () => {
  const partTypes = registry()
  registerA2ui(partTypes)
  const before = partTypes.entries()
  registerA2ui(partTypes)
  expect(partTypes.entries()).toEqual(before)
  expect(partTypes.get('a2ui-surface')?.validate).toBe(before.find(({ id }) => id === 'a2ui-surface')?.validate)
})

test('what an application has registered itself stays', () => {
  const partTypes = registry()
  const toText = () => 'mine'
  partTypes.amend('domain-data', { toText })
  partTypes.amend('a2ui-surface', { toText, validate: () => ['Nothing is good enough.'] })
  registerA2ui(partTypes)
  expect(partTypes.get('domain-data')?.toText).toBe(toText)
  expect(partTypes.get('a2ui-surface')?.toText).toBe(toText)
  expect(partTypes.get('a2ui-surface')?.validate?.(valid)).toEqual(['Nothing is good enough.'])
})

test('a registry without surfaces stays without', () => {
  const partTypes = new PartTypeRegistry()
  registerA2ui(partTypes)
  expect(partTypes.has('a2ui-surface')).toBe(false)
})
