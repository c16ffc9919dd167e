import { expect, test } from 'vitest'
import { defaultMimeTypes, mimeTypeList, parseMimeType } from './media-type.ts'

test.each([
  ['application/pdf', 'application/pdf'],
  [' Text/Plain ;Charset="UTF-8"', 'text/plain; charset=UTF-8'],
  ['text/calendar; method=REQUEST;charset=utf-8', 'text/calendar; method=REQUEST; charset=utf-8'],
  ['application/vnd.a+b.c-d_e', 'application/vnd.a+b.c-d_e'],
])('%j is a type, in one form', (declared, mimeType) => {
  expect(parseMimeType(declared)).toEqual({ essence: mimeType.split(';')[0], mimeType })
})

test.each([
  '',
  'pdf',
  '/',
  'a/',
  '/b',
  'a/b/c',
  'a b/c',
  '*/*',
  'text/*',
  'text/plain;',
  'text/plain; charset',
  'text/plain; charset=',
  'text/plain; x="a b"',
  'text/plain\r\nx-evil: 1',
  'text/plain; a=b\r\nx-evil: 1',
  'text/plain, text/html',
  'tëxt/plain',
  `text/${'x'.repeat(300)}`,
])('%j is no type', (declared) => {
  expect(() => parseMimeType(declared)).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }))
})

test('a list has types and kinds of types', () => {
  const listed = mimeTypeList(['audio/*', 'text/plain'])
  const types = ['audio/ogg', 'text/plain', 'text/html', 'audiox/ogg']
  expect(types.map(listed)).toEqual([true, true, false, false])
  for (const wrong of ['*', '*/*', 'Text/Plain', 'text', 'text/plain; charset=utf-8']) {
    expect(() => mimeTypeList([wrong])).toThrow(expect.objectContaining({ code: 'INVALID_CONFIGURATION' }))
  }
})

test('by default programs, archives and pictures with scripts are not on the list', () => {
  const listed = mimeTypeList(defaultMimeTypes)
  for (const type of ['application/pdf', 'text/calendar', 'text/html', 'image/png', 'audio/mpeg']) {
    expect(listed(type), type).toBe(true)
  }
  for (const type of ['application/zip', 'application/x-msdownload', 'text/javascript', 'image/svg+xml']) {
    expect(listed(type), type).toBe(false)
  }
})
