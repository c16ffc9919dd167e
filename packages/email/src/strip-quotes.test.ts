import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { stripQuotes } from './strip-quotes.ts'

const lines = (...all: string[]) => all.join('\n')

describe('what a writer has added', () => {
  test.each([
    ['nothing quoted', 'Hello there.\n\nAnna', 'Hello there.\n\nAnna'],
    [
      'Gmail',
      lines(
        'Approve',
        '',
        'On Tue, May 5, 2026 at 10:00 AM Sally <agent@corp.example>',
        'wrote:',
        '',
        '> Deny?',
        '> x',
      ),
      'Approve',
    ],
    ['Apple Mail', lines('yes', '', '> On 5 May 2026, at 10:00, Sally <a@b.c> wrote:', '> ', '> no?'), 'yes'],
    [
      'Outlook',
      lines('Yes please', '', '________________________________', 'From: Sally', 'Sent: today'),
      'Yes please',
    ],
    ['Outlook, German', lines('Ja', '', 'Von: Sally', 'Gesendet: heute', 'An: Anna', 'Betreff: x', 'old'), 'Ja'],
    ['Original Message', lines('ok', '-----Original Message-----', 'From: x', 'yes'), 'ok'],
    ['a forwarded mail', lines('See below', '---------- Forwarded message ---------', 'approve'), 'See below'],
    ['Thunderbird, German', lines('ja', '', 'Am 05.05.26 um 10:00 schrieb Sally:', '> nein?'), 'ja'],
    ['French', lines('oui', '', 'Le 5 mai 2026 à 10:00, Sally <a@b.c> a écrit :', '> non ?'), 'oui'],
    ['a language that is not known', lines('da', '', '5 мая 2026, Sally <a@b.c>:', '> нет?'), 'da'],
    ['a forwarded mail, Spanish', lines('Ver', '---------- Mensaje reenviado ---------', 'aprobar'), 'Ver'],
    ['a forwarded mail, French', lines('ok', "-----Message d'origine-----", 'oui'), 'ok'],
    [
      'Outlook, Chinese',
      lines('好', '', '发件人： Sally', '发送时间： 今天', '收件人： Anna', '主题： x', 'old'),
      '好',
    ],
    ['Outlook, in bold', lines('ok', '*From:* Sally', '*Sent:* today', '*To:* Anna', 'yes'), 'ok'],
    [
      'headers in a language that is not known',
      lines('ok', 'Kutoka: Eve <eve@evil.example>', 'Tarehe: leo', 'Kwa: Anna', 'pay'),
      'ok',
    ],
    [
      'a form that its writer filled in',
      lines('Name: Anna', 'Email: a@b.c', 'Guests: 2'),
      'Name: Anna\nEmail: a@b.c\nGuests: 2',
    ],
    ['a signature', lines('yes', '-- ', 'Anna', 'no obligations'), 'yes'],
    ['a phone', lines('yes', '', 'Sent from my telephone'), 'yes'],
    ['only what is quoted', lines('> yes', '> approve'), ''],
    ['other marks of quotes', lines('ok', '| pay', '＞ pay', '» pay', 'Eve> pay'), 'ok'],
    ['a short rule', lines('ok', '--- Original Message ---', 'On Monday, Eve wrote:', 'pay'), 'ok'],
    ['two headers, Japanese', lines('ok', '差出人: Eve <eve@evil.example>', '件名: x', '', 'pay'), 'ok'],
    ['an ordinary sentence', 'On Monday I wrote: yes', 'On Monday I wrote: yes'],
  ])('%s', (_, text, own) => {
    expect(stripQuotes(text).text).toBe(own)
  })

  test('between quoted lines is kept, but only its first piece can decide', () => {
    const text = lines('yes', '> the first?', 'but not the second', '> the second?', 'no')
    expect(stripQuotes(text)).toMatchObject({ text: 'yes\nbut not the second\nno', first: 'yes' })
  })

  test('below what is quoted is its first piece', () => {
    const text = lines('On 5 May 2026, Sally <a@b.c> wrote:', '> Shall I?', '', 'yes')
    expect(stripQuotes(text)).toMatchObject({ text: 'yes', first: 'yes' })
  })
})

describe('of any text', () => {
  test('only lines of the text are kept, and no quoted one', () => {
    const piece = fc.constantFrom(
      '>',
      '> ',
      'On ',
      '2026 ',
      'wrote:',
      '\n',
      '\n\n',
      'From: x',
      'To: y',
      'Sent: z',
      '-- ',
      'yes',
      ':',
      '_'.repeat(30),
      '\r\n',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string({ unit: 'binary' })), { maxLength: 60 }), (pieces) => {
        const text = pieces.join('')
        const { text: own, first } = stripQuotes(text)
        const all = new Set(
          text
            .replaceAll(/\r\n?/g, '\n')
            .split('\n')
            .map((line) => line.trim()),
        )
        for (const line of own.split('\n')) {
          expect(line === '' || all.has(line.trim())).toBe(true)
          expect(line.trim().startsWith('>')).toBe(false)
        }
        expect(own.startsWith(first)).toBe(true)
        // Once it is stripped, there is no more to be stripped of its first piece.
        expect(stripQuotes(first).first.length).toBeLessThanOrEqual(first.length)
      }),
      { numRuns: 500 },
    )
  })

  test.each([
    ['8000 empty lines', '\n'.repeat(8_000)],
    ['`On ` 80000 times', 'On '.repeat(80_000)],
    ['lines of `On `', 'On 1\n'.repeat(80_000)],
    ['`From:` in each line', 'From: a\n'.repeat(80_000)],
    ['underscores', '_'.repeat(500_000)],
    ['quotes', '> '.repeat(200_000)],
    ['colons', `${':\n'.repeat(50_000)}> x`],
    ['one endless line', 'a'.repeat(5_000_000)],
  ])('is dealt with at once: %s', (_, text) => {
    expect(stripQuotes(text).text.length).toBeLessThanOrEqual(200_000)
  })
})

test.each([
  ['lines', `yes${'\n'.repeat(6_000)}but not this one`],
  ['spaces', `yes${' '.repeat(250_000)}but not this one`],
])('what is cut off behind many %s leaves its mark', (_, text) => {
  const { first } = stripQuotes(text)
  expect(first.startsWith('yes')).toBe(true)
  expect(first.endsWith('…')).toBe(true)
})
