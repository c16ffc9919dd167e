import { expect, test } from 'vitest'
import { z } from 'zod'
import { checkedSchema } from './tool-schema.ts'

test.each([
  ['zod', z.object({ to: z.string(), count: z.number().default(1) })],
  [
    'JSON Schema',
    { type: 'object', required: ['to'], properties: { to: { type: 'string' }, count: { type: 'number' } } },
  ],
])('checks by a %s schema, and can show it to a model', (_, schema) => {
  const checked = checkedSchema(schema, 'The tool x')
  expect(checked.jsonSchema).toMatchObject({ type: 'object', required: ['to'], properties: { to: { type: 'string' } } })
  expect(checked.check({ to: 'Rome', count: 2 })).toEqual({ value: { to: 'Rome', count: 2 } })
  expect(checked.check({ to: 5 })).toMatchObject({ problems: [expect.stringContaining('to') as string] })
  expect(checked.check({})).toMatchObject({ problems: [expect.any(String) as string] })
})

test('a tool schema refuses a schema that refers to somewhere else', () => {
  expect(() => checkedSchema({ type: 'object', $ref: 'http://internal/schema' }, 'The tool x')).toThrow(/The tool x/)
})
