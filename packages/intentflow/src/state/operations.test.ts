import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isFlowError } from '../schemas/flow-error.ts'
import { formatPath, parsePath } from '../schemas/patch-path.ts'
import { applyOperations, compileOperation, normalizeOperations } from './operations.ts'

const props = { items: [{ quantity: 1, tags: ['a'] }, { quantity: 2 }], total: 5, sizes: { 'extra large': 1, '0': 2 } }

describe('operations', () => {
  test('set, delete, append and prepend, with what is not touched shared', () => {
    const after = applyOperations(props, [
      { op: 'set', path: 'items[0].quantity', value: 3 },
      { op: 'set', path: 'note', value: null },
      { op: 'append', path: 'items[0].tags', value: 'z' },
      { op: 'prepend', path: 'items', value: 'first' },
      { op: 'delete', path: 'items[2]' },
      { op: 'delete', path: 'sizes["extra large"]' },
    ])
    expect(after).toEqual({
      items: ['first', { quantity: 3, tags: ['a', 'z'] }],
      total: 5,
      sizes: { '0': 2 },
      note: null,
    })
    expect(props.items).toHaveLength(2)
    expect(applyOperations(props, [{ op: 'set', path: 'total', value: 6 }]).items).toBe(props.items)
  })

  test.each([
    [{ op: 'set', path: 'items[2].quantity', value: 1 }, 'Cannot set items[2].quantity: there is no [2] there.'],
    [{ op: 'set', path: 'items[2]', value: 1 }, 'Cannot set items[2]: there is no [2] there.'],
    [{ op: 'set', path: 'items.first', value: 1 }, 'Cannot set items.first: there is no first there.'],
    [{ op: 'set', path: 'total.more', value: 1 }, 'Cannot set total.more: there is no more there.'],
    [{ op: 'set', path: 'toString.x', value: 1 }, 'Cannot set toString.x: there is no toString there.'],
    [{ op: 'delete', path: 'nothing' }, 'Cannot delete nothing: there is no nothing there.'],
    [{ op: 'append', path: 'total', value: 1 }, 'Cannot append total: what is there is no list.'],
    [{ op: 'append', path: 'nothing', value: 1 }, 'Cannot append nothing: there is no nothing there.'],
    [
      { op: 'set', path: '__proto__.x', value: 1 },
      'The path __proto__.x leads through "__proto__", which is not allowed.',
    ],
  ] as const)('%o does not fit', (operation, message) => {
    expect(() => applyOperations(props, [operation])).toThrow(
      expect.objectContaining({
        code: 'INVALID_PAYLOAD',
        message,
        details: expect.objectContaining({ path: operation.path }),
      }),
    )
  })

  test('all or none: one that does not fit leaves nothing of those before it', () => {
    const before = structuredClone(props)
    const operations = [{ op: 'set', path: 'total', value: 1 } as const, { op: 'delete', path: 'x' } as const]
    expect(() => applyOperations(props, operations)).toThrow('Cannot delete x')
    expect(props).toEqual(before)
  })
})

describe('the form on the wire', () => {
  test('JSON Pointers become brackets and names, by what they lead through', () => {
    expect(
      normalizeOperations(props, [
        { op: 'set', path: '/items/0/quantity', value: 3 },
        { op: 'set', path: '/sizes/0', value: 3 },
        { op: 'set', path: '/sizes/extra large', value: 3 },
        { op: 'set', path: '/items/-', value: { quantity: 9 } },
        // The item that the operation before it has added.
        { op: 'set', path: '/items/2/quantity', value: 10 },
        { op: 'delete', path: 'items.1' },
        { op: 'set', path: 'sizes[0]', value: 4 },
      ]),
    ).toEqual([
      { op: 'set', path: 'items[0].quantity', value: 3 },
      { op: 'set', path: 'sizes["0"]', value: 3 },
      { op: 'set', path: 'sizes["extra large"]', value: 3 },
      { op: 'append', path: 'items', value: { quantity: 9 } },
      { op: 'set', path: 'items[2].quantity', value: 10 },
      { op: 'delete', path: 'items[1]' },
      { op: 'set', path: 'sizes["0"]', value: 4 },
    ])
    expect(() => normalizeOperations(props, [{ op: 'delete', path: '/items/7' }])).toThrow('Cannot delete items[7]')
  })

  test('they compile to JSON Patch without a look at the props', () => {
    const compile = (op: 'set' | 'delete' | 'append' | 'prepend', path: string) =>
      compileOperation('/p', op === 'delete' ? { op, path } : { op, path, value: 1 })
    expect(compile('set', 'items[0].quantity')).toEqual({ op: 'add', path: '/p/items/0/quantity', value: 1 })
    expect(compile('set', 'items[0]')).toEqual({ op: 'replace', path: '/p/items/0', value: 1 })
    expect(compile('delete', 'items[0]')).toEqual({ op: 'remove', path: '/p/items/0' })
    expect(compile('append', 'items')).toEqual({ op: 'add', path: '/p/items/-', value: 1 })
    expect(compile('prepend', 'items')).toEqual({ op: 'add', path: '/p/items/0', value: 1 })
    expect(compile('set', '["a/b~c"]')).toEqual({ op: 'add', path: '/p/a~1b~0c', value: 1 })
  })

  test('every path is read as it was written', () => {
    const step = fc.oneof(
      fc.nat(999_999),
      fc.string({ maxLength: 8 }),
      fc.constantFrom('a.b', '0', '', 'é', '☕\n', '"', '\\', '['),
    )
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 6 }), (steps) => {
        expect(parsePath(formatPath(steps))).toEqual(steps)
      }),
    )
  })

  test('no path does anything but work or say what is wrong', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('set', 'delete', 'append', 'prepend'), (path, op) => {
        try {
          const operations = normalizeOperations(props, [op === 'delete' ? { op, path } : { op, path, value: 1 }])
          expect(applyOperations(props, operations)).not.toEqual(props)
        } catch (error) {
          expect(isFlowError(error, 'INVALID_PAYLOAD')).toBe(true)
        }
      }),
    )
  })
})
