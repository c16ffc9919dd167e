import { isDeepStrictEqual } from 'node:util'
import { isBeachError } from '@cool-ai/beach-core'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { JsonReader, type JsonLimits } from './json-reader.ts'
import { brokenJsonText, jsonText, pieces, sizes } from './json-text.test-helper.ts'

function read(chunks: readonly string[], limits?: JsonLimits): unknown {
  const reader = new JsonReader(limits)
  for (const chunk of chunks) reader.push(chunk)
  return reader.end()
}

function failureOf(chunks: readonly string[], limits?: JsonLimits): { code: string; message: string } {
  try {
    read(chunks, limits)
  } catch (error) {
    if (isBeachError(error)) return error
    throw error
  }
  throw new Error('This was expected to fail.')
}

function expectSame(found: unknown, text: string): void {
  const wanted: unknown = JSON.parse(text)
  // The order of members first, for its readable failure; then what JSON does not show, such as -0 and prototypes.
  expect(JSON.stringify(found)).toBe(JSON.stringify(wanted))
  expect(isDeepStrictEqual(found, wanted)).toBe(true)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe('reading JSON in chunks', () => {
  test('gives what JSON.parse gives for the whole, wherever it is split', () => {
    fc.assert(
      fc.property(jsonText, sizes, (text, cuts) => {
        expectSame(read(pieces(text, cuts)), text)
      }),
      { numRuns: 3_000 },
    )
  })

  test('fails exactly when JSON.parse fails', () => {
    let failed = 0
    fc.assert(
      fc.property(brokenJsonText, sizes, (text, cuts) => {
        if (isJson(text)) return expectSame(read(pieces(text, cuts)), text)
        failed++
        expect(failureOf(pieces(text, cuts)).code).toBe('BAD_JSON')
      }),
      { numRuns: 6_000 },
    )
    expect(failed).toBeGreaterThan(2_000)
  })

  test.each([
    '-0',
    '0',
    '1e999',
    '-1E+2',
    '5e-324',
    '0.1',
    '9007199254740993',
    '123456789012345678901234567890',
    ' 12 ',
    '[1,-2.5e3]',
    '"\\ud83d\\ude00"',
    '"\\uD83D"',
    '"\ud83d\\ude00"',
    '{"a":1,"b":2,"a":3}',
    '{"__proto__":{"polluted":true}}',
    '{"__proto__":1,"__proto__":null}',
    '{"constructor":{"prototype":{"polluted":true}}}',
    '{"2":"two","1":"one"}',
    '{"":""}',
  ])('reads %s unit by unit', (text) => {
    expectSame(read(Array.from({ length: text.length }, (_, at) => text.charAt(at))), text)
    expectSame(read([text]), text)
  })

  test.each([
    '',
    ' ',
    '-',
    '01',
    '1.',
    '.5',
    '+1',
    '1e',
    '1e+',
    '--1',
    '1-2',
    '0x1',
    'NaN',
    'Infinity',
    'tru',
    'truE',
    'nulll',
    '"',
    '"\\',
    '"\\x"',
    '"\\u12g4"',
    '"\\u123"',
    '"\t"',
    "'a'",
    '{',
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":1,',
    '{"a":1,}',
    '{a:1}',
    '{,}',
    '{"a" 1}',
    '{"a":1 "b":2}',
    '[',
    '[1',
    '[1,',
    '[1,]',
    '[,1]',
    '[1 2]',
    '[1}',
    '{"a":1]',
    ']',
    '{}{}',
    '1 2',
    '\ufeff{}',
    '\u00a01',
    '//',
  ])('refuses %j', (text) => {
    expect(isJson(text)).toBe(false)
    expect(failureOf([text]).code).toBe('BAD_JSON')
    expect(failureOf(Array.from({ length: text.length }, (_, at) => text.charAt(at))).code).toBe('BAD_JSON')
  })

  test('reads escapes in keys by themselves, whatever keys came before', () => {
    // V8's JSON.parse gives a backslash for the second key of the second text (nodejs/node#63785).
    expect(Object.keys(read([String.raw`{"a":1,"\\":2}`]) as object)).toEqual(['a', '\\'])
    expect(Object.keys(read([String.raw`{"a":1,"\n":2}`]) as object)).toEqual(['a', '\n'])
  })

  test('reads strings of very many pieces, one after the other', () => {
    const long = Array.from({ length: 1_000 }, (_, index) => `${index}\n`).join('')
    const text = JSON.stringify([long, 'short', { [long]: long }])
    expectSame(read(pieces(text, [3, 1, 0, 7])), text)
  })

  test('leaves the prototypes of objects alone', () => {
    const value = read(['{"a":{"__pro', 'to__":{"polluted":true}}}']) as { a: object }
    expect(Object.getPrototypeOf(value.a)).toBe(Object.prototype)
    expect(Object.keys(value.a)).toEqual(['__proto__'])
    expect('polluted' in value.a).toBe(false)
  })
})

describe('a failure', () => {
  test('says which unit cannot stand where, counted over all chunks', () => {
    expect(failureOf(['{"a": ', '1, ', '}']).message).toBe('This is not JSON: "}" is not allowed at position 9.')
    expect(failureOf(['{"a": "x', '\n"}']).message).toBe('This is not JSON: "\\n" is not allowed at position 8.')
    expect(failureOf(['{"a": 1', '2.', '}']).message).toBe("This is not JSON: '12.' is not a number, at position 6.")
    expect(failureOf(['[', '01]']).message).toBe("This is not JSON: '01' is not a number, at position 1.")
  })

  test('of a text that ends too early says so', () => {
    const failure = failureOf(['{"a": ["b"'])
    expect(failure).toMatchObject({ code: 'BAD_JSON', details: { truncated: true } })
    expect(failure.message).toContain('ends at position 10 before it is complete')
  })
})

describe('limits', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

  test('bound the depth', () => {
    expectSame(read([nested(100)]), nested(100))
    expect(failureOf([nested(101)])).toMatchObject({ code: 'TOO_DEEP' })
    expect(failureOf(['{"a":{"b":[]}}'], { depth: 2, length: 100 }).code).toBe('TOO_DEEP')
  })

  test('bound the length, before anything of the excess is read', () => {
    const limits = { depth: 10, length: 10 }
    expect(read(['"12345', '678"'], limits)).toBe('12345678')
    expect(failureOf(['"12345', '6789"'], limits)).toMatchObject({ code: 'TOO_LARGE' })
    expect(failureOf([`"${'x'.repeat(1_048_576)}"`]).code).toBe('TOO_LARGE')
  })
})
