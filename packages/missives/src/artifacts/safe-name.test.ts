import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { safeName } from './safe-name.ts'

describe('a name', () => {
  test.each([
    ['itinerary.pdf', 'itinerary.pdf'],
    ['Reiseplan Zürich – 東京.pdf', 'Reiseplan Zürich – 東京.pdf'],
    ['رحلة.ics', 'رحلة.ics'],
    ['Cafe\u0301.pdf', 'Café.pdf'],
    ['photo (1), final+x.tar.gz', 'photo (1), final+x.tar.gz'],
    ['icon.pdf', 'icon.pdf'],
    ['console.log', 'console.log'],
    ['🏖️ beach.png', '🏖 beach.png'],
  ])('that is safe stays as it reads: %j', (name, expected) => expect(safeName(name)).toBe(expected))

  test.each([
    ['../../etc/passwd', 'etc-passwd'],
    ['..\\..\\windows\\win.ini', 'windows-win.ini'],
    ['/etc/passwd', 'etc-passwd'],
    ['C:\\autoexec.bat', 'C--autoexec.bat'],
    ['..／..∕etc⁄passwd', 'etc-passwd'],
    ['Paris/Rome.pdf', 'Paris-Rome.pdf'],
    ['. / .. / x', 'x'],
  ])('that is a path becomes one name: %j', (name, expected) => expect(safeName(name)).toBe(expected))

  test.each([
    ['a\r\nset-cookie: x=1.txt', 'a set-cookie- x=1.txt'],
    ['a\0b.txt', 'ab.txt'],
    ['a\u001b[31mb', 'a[31mb'],
    ['invoice\u202Efdp.exe', 'invoicefdp.exe'],
    ['in\u200Bvo\u2060ice\uFEFF.pdf', 'invoice.pdf'],
    ['\u2066x\u2069\u00AD\u{E0041}.txt', 'x.txt'],
    ['\uD800x\uDFFF.txt', 'x.txt'],
    ['tab\tand\u00A0space  .txt', 'tab and space .txt'],
    ['say "hi"<b>|?*.txt', 'say -hi--b----.txt'],
  ])('loses what cannot be seen or is not fit for a file: %j', (name, expected) => {
    expect(safeName(name)).toBe(expected)
  })

  test.each([
    ['.bashrc', 'bashrc'],
    ['...hidden', 'hidden'],
    ['-rf', 'rf'],
    ['~root', 'root'],
    ['trailing. . ', 'trailing'],
    ['CON', '_CON'],
    ['nul.txt', '_nul.txt'],
    ['Com1 .log', '_Com1 .log'],
    ['lpt².x', '_lpt².x'],
    ['con' + '.'.repeat(400), '_con'],
    ['', 'file'],
    ['..', 'file'],
    ['\u200B\u202E', 'file'],
    ['???', 'file'],
  ])('means nothing to a system or a shell: %j', (name, expected) => expect(safeName(name)).toBe(expected))

  test.each(['x', 'é', '東', '😀'])('is cut between characters, before its extension: 300 times %s', (character) => {
    const name = safeName(`${character.repeat(300)}.pdf`)
    expect(name).toMatch(new RegExp(`^(?:${character})+\\.pdf$`, 'u'))
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200)
    expect(Buffer.byteLength(name)).toBeGreaterThan(190)
  })

  test('takes time in proportion to its length, whatever it is made of', () => {
    for (const piece of [' ', '.', '-', '. ', './', 'a.', '\u202E', 'con.']) {
      expect(Buffer.byteLength(safeName(piece.repeat(500_000)))).toBeLessThanOrEqual(200)
    }
  })
})

const character = fc.oneof(
  fc.constantFrom(
    ...Array.from('/\\.. -~:*?"<>|\r\n\0\t\u202E\u200B\uFEFF\u2066'),
    'con',
    'nul',
    'COM1',
    '.txt',
    '́',
    '＜',
    '\u0338',
  ),
  fc.string({ unit: 'binary', maxLength: 3 }),
)

test('any name at all becomes a safe one, and a safe one stays', () => {
  fc.assert(
    fc.property(fc.array(character, { maxLength: 300 }), (characters) => {
      const name = safeName(characters.join(''))
      expect(name).not.toMatch(/[/\\\p{C}\p{Default_Ignorable_Code_Point}<>:"|?*]|^[-.~ ]|[. ]$|^$/u)
      expect(name).not.toMatch(/^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i)
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200)
      expect(safeName(name)).toBe(name)
    }),
    { numRuns: 2_000 },
  )
})
