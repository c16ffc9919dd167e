import { isBeachError } from '@cool-ai/beach-core'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseJson, readJson } from './json-body.ts'

const refused = (text: string) => {
  try {
    parseJson(text, 32)
    return false
  } catch (error) {
    return isBeachError(error, 'BAD_JSON')
  }
}

test('whatever was written by JSON.stringify is read', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
      fc.pre(!/"(__proto__|constructor)"/.test(JSON.stringify(value)))
      const text = JSON.stringify(value, undefined, indent)
      expect(parseJson(text, 32)).toEqual(JSON.parse(text))
    }),
  )
})

test('a key that comes again is found, wherever it is and however it is written', () => {
  const escaped = (key: string) =>
    Array.from(key, (_, at) => `\\u${key.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')
  const other = fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 })
  fc.assert(
    fc.property(
      other,
      fc.string({ minLength: 1, maxLength: 6 }),
      fc.boolean(),
      fc.nat(3),
      (rest, key, isEscaped, depth) => {
        const members = Object.entries({ ...rest, [key]: 1 }).map(
          ([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`,
        )
        const again = isEscaped && key.length === Array.from(key).length ? `"${escaped(key)}"` : JSON.stringify(key)
        const inner = `{${[...members, `${again} : ":"`].join(' , ')}}`
        expect(refused('[{"a":'.repeat(depth) + inner + '}]'.repeat(depth))).toBe(true)
      },
    ),
  )
})

test('a long body of quotes and backslashes is read once', () => {
  const text = JSON.stringify({ a: '\\"'.repeat(50_000), b: '\\'.repeat(100_000) })
  expect(refused(text)).toBe(false)
})

test.each([
  ['members', JSON.stringify(Object.fromEntries(Array.from({ length: 50_001 }, (_, at) => [`k${at}`, 1])))],
  ['elements', `[${Array(100_002).fill('0').join(',')}]`],
])('a body of more %s than any reader needs is refused before it is read', (_, text) => {
  expect(() => parseJson(text, 32)).toThrow('The body has more than 100000 values.')
  expect(() => parseJson(`${text.slice(0, -1)}x`, 32)).toThrow('The body has more than 100000 values.')
  expect(refused(JSON.stringify(text))).toBe(false)
})

test('a body that another reader holds cannot be read', async () => {
  const request = new Request('http://agent.example/', { method: 'POST', body: '{}' })
  request.body?.getReader()
  await expect(readJson(request)).rejects.toMatchObject({ code: 'BAD_REQUEST' })
})
