import { PartTypeRegistry, type Part } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import { a2uiActionOf, actionSentence, actionText } from './a2ui-action.ts'
import { partProblems } from './parse-part.ts'

const registry = PartTypeRegistry.canonical()

const action = {
  name: 'book_flight',
  surfaceId: 'flights',
  sourceComponentId: 'book',
  timestamp: '2026-11-15T09:00:00.000Z',
  context: { flight: 'BA 2043', seats: [1, 2] },
}

function part(data: unknown, metadata: object = {}): Part {
  return { data, metadata: { partType: 'a2ui-action', ...metadata } }
}

const message = (changes: object = {}) => part({ version: 'v0.9', action: { ...action, ...changes } })

describe('an a2ui-action part', () => {
  test.each([
    ['as A2UI has it', message()],
    ['of the other version', part({ version: 'v0.9.1', action })],
    ['with nothing in its context', message({ context: {} })],
    ['with data', part({ version: 'v0.9', action }, { a2uiClientDataModel: { version: 'v0.9', surfaces: { s: 1 } } })],
  ])('is right %s', (_, given) => {
    expect(partProblems(given, registry)).toEqual([])
  })

  test.each([
    ['no version', part({ action }), /data\.version/],
    ['another version', part({ version: 'v1.0', action }), /data\.version/],
    ['no data', { text: 'Book', metadata: { partType: 'a2ui-action' } }, /data: Invalid input/],
    ['no name', message({ name: undefined }), /data\.action\.name/],
    ['an empty surface id', message({ surfaceId: '' }), /data\.action\.surfaceId/],
    ['a long component id', message({ sourceComponentId: 'x'.repeat(201) }), /data\.action\.sourceComponentId/],
    ['a time that is none', message({ timestamp: 'now' }), /data\.action\.timestamp/],
    ['a context that is none', message({ context: ['a'] }), /data\.action\.context/],
    ['a long context', message({ context: { a: 'x'.repeat(16_000) } }), /is longer than 16000 characters/],
    [
      'a wide context',
      message({ context: Object.fromEntries(Array.from({ length: 101 }, (_, key) => [`k${key}`, 1])) }),
      /has more than 100 keys/,
    ],
    ['more than an action', message({ approved: true }), /Unrecognized key/],
    ['more than a message', part({ version: 'v0.9', action, other: 1 }), /Unrecognized key/],
    [
      'data of another shape',
      part({ version: 'v0.9', action }, { a2uiClientDataModel: { surfaces: [] } }),
      /metadata\.a2uiClientDataModel\.version/,
    ],
    [
      'too much data',
      part(
        { version: 'v0.9', action },
        { a2uiClientDataModel: { version: 'v0.9', surfaces: { s: 'x'.repeat(64_000) } } },
      ),
      /metadata\.a2uiClientDataModel: is longer than 64000 characters/,
    ],
    [
      'an error of the client',
      part({ version: 'v0.9', error: { code: 'VALIDATION_FAILED', surfaceId: 's', path: '/a', message: 'no' } }),
      /A2UI's error message is not taken/,
    ],
  ])('is refused with %s', (_, given, problem) => {
    expect(partProblems(given, registry).join('\n')).toMatch(problem)
  })

  test('in words', () => {
    expect(actionText(message())).toBe('Pressed “book_flight” (flight: "BA 2043", seats: [1,2])')
    expect(actionText(part({ version: 'v0.9', action: { ...action, context: {} } }, { label: 'Book\u202e' }))).toBe(
      'Pressed “Book\\u{202e}”',
    )
    expect(registry.get('a2ui-action')?.toText?.(message())).toContain('book_flight')
    expect(actionText(part({}))).toBeUndefined()
    expect(a2uiActionOf(part({}))).toBeUndefined()
    expect(actionSentence(action, 'Book', 'The user')).toBe(
      'The user pressed “Book” (action book_flight) on the surface flights.',
    )
    expect(actionSentence(action, undefined, 'The user')).toMatch('The user pressed a button')
  })
})
