import { expect, test } from 'vitest'
import { argumentField, changeArgument } from './changed-arguments.ts'

const seats = { name: 'seats', label: 'Seats', schema: { type: 'integer' }, given: 2 }

test('an argument that gets its given value back counts as unchanged', () => {
  const changed = changeArgument({ class: 'first' }, seats, 3)
  expect(changed).toEqual({ class: 'first', seats: 3 })
  expect(changeArgument(changed, seats, 2)).toEqual({ class: 'first' })
})

test('the field of an argument follows its schema and shows the changed value', () => {
  const of = (schema: Record<string, unknown>, given: unknown, changed = {}) =>
    argumentField({ name: 'it', label: 'It', schema, given }, changed)
  expect(of({ enum: [1, 2] }, 1)).toEqual({ kind: 'choice', value: '1', choices: [1, 2] })
  expect(of({ type: 'boolean' }, true, { it: false })).toEqual({ kind: 'checkbox', value: false })
  expect(of({ type: 'integer' }, 2, { it: 3 })).toEqual({ kind: 'number', value: 3, step: 1 })
  expect(of({ type: 'number' }, 2, { it: Number.NaN })).toEqual({ kind: 'number', value: '', step: 'any' })
  expect(of({ type: 'string' }, 'a')).toEqual({ kind: 'text', value: 'a' })
  expect(of({}, { deep: true })).toEqual({ kind: 'text', value: '' })
})
