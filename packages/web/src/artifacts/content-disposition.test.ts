import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { attachment } from './content-disposition.ts'

test.each([
  ['plan.pdf', `attachment; filename="plan.pdf"; filename*=UTF-8''plan.pdf`],
  ['Zürich Café.pdf', `attachment; filename="Zurich Cafe.pdf"; filename*=UTF-8''Z%C3%BCrich%20Caf%C3%A9.pdf`],
  ['東京.pdf', `attachment; filename="__.pdf"; filename*=UTF-8''%E6%9D%B1%E4%BA%AC.pdf`],
  [`a"b'c(1)*%41.txt`, `attachment; filename="a_b_c(1)__41.txt"; filename*=UTF-8''a%22b%27c%281%29%2A%2541.txt`],
  ['a\r\nset-cookie: b=c', `attachment; filename="a__set-cookie_ b=c"; filename*=UTF-8''a__set-cookie%3A%20b%3Dc`],
  ['..\\../x', `attachment; filename=".._.._x"; filename*=UTF-8''.._.._x`],
  [
    'x"; filename=evil.exe; y="',
    `attachment; filename="x__ filename=evil.exe_ y=_"; filename*=UTF-8''x%22%3B%20filename%3Devil.exe%3B%20y%3D%22`,
  ],
])('%j', (name, expected) => expect(attachment(name)).toBe(expected))

test('any name at all makes one header with three parameters, from which the name can be read', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 50 }), (name) => {
      const header = attachment(name)
      const match = /^attachment; filename="([A-Za-z0-9 ._()+,=@-]*)"; filename\*=UTF-8''([A-Za-z0-9!.~_%-]*)$/.exec(
        header,
      )
      expect(match, header).not.toBeNull()
      expect(new Headers({ 'content-disposition': header }).get('content-disposition')).toBe(header)
      expect(decodeURIComponent(match?.[2] ?? '')).toBe(name.replaceAll(/[/\\\p{C}\p{Zl}\p{Zp}]/gu, '_'))
    }),
  )
})
