import { expect, test } from 'vitest'
import { formActionOf } from './form-action.ts'

const plain = { label: 'Book', surfaceId: 's', sourceComponentId: 'b', name: 'book', context: {} }
const field = { name: 'day', label: 'Day', kind: 'date' } as const
const filled = { ...plain, label: 'Add', name: 'add', context: { day: '2027-01-31' }, fields: [field] }

test('a button with fields opens a form, and so does a thing with which only that can be done', () => {
  const item = (...actions: readonly (typeof plain)[]) => ({ kind: 'item' as const, title: 'A walk', actions })
  expect(formActionOf({ kind: 'button', action: filled })).toBe(filled)
  expect(formActionOf(item(filled))).toBe(filled)
  for (const choice of [
    { kind: 'button', action: plain } as const,
    item(filled, plain),
    item(plain),
    item(),
    { kind: 'answer', text: 'Rome' } as const,
    undefined,
  ])
    expect(formActionOf(choice)).toBeUndefined()
})
