import { expect, test } from 'vitest'
import { localDayAndTime } from '@cool-ai/beach-client/view'
import { previewKind, previewOf } from './preview.ts'

test.each([
  ['text/calendar; charset=utf-8', 'text'],
  ['Text/CSV', 'text'],
  ['image/png', 'image'],
  ['image/svg+xml', undefined],
  ['text/html', undefined],
  ['application/octet-stream', undefined],
])('%s is shown as %s', (mimeType, kind) => {
  expect(previewKind(mimeType)).toBe(kind)
})

test('a calendar by its events, unfolded and unescaped', () => {
  const lines = [
    'BEGIN:VCALENDAR',
    'BEGIN:VEVENT',
    'DTSTART:20260815T074500Z',
    'SUMMARY:BA 2043 London Gatwick\\, ter',
    ' minal S',
    'LOCATION:Gatwick\\; LGW',
    'END:VEVENT',
    'BEGIN:VEVENT',
    'DTSTART;VALUE=DATE:20260816',
    'END:VEVENT',
    'END:VCALENDAR',
  ]
  expect(previewOf('text/calendar', lines.join('\r\n'))).toEqual({
    kind: 'events',
    more: false,
    events: [
      {
        summary: 'BA 2043 London Gatwick, terminal S',
        start: localDayAndTime(Date.UTC(2026, 7, 15, 7, 45)),
        place: 'Gatwick; LGW',
      },
      { summary: 'Without a title', start: 'Sun 16 Aug' },
    ],
  })
})

test('an instant stands as the clock of the viewer has it, with the time zone', () => {
  expect(localDayAndTime(Date.UTC(2026, 7, 15, 7, 45), 'Europe/London')).toBe('Sat 15 Aug, 08:45 BST')
  expect(localDayAndTime(Number.NaN)).toBeUndefined()
})

test('a table by its cells', () => {
  expect(previewOf('text/csv', 'name,price\n"Rome, direct","1 ""x"""\nlast,')).toEqual({
    kind: 'table',
    more: false,
    rows: [
      ['name', 'price'],
      ['Rome, direct', '1 "x"'],
      ['last', ''],
    ],
  })
})

test('the first lines of a text', () => {
  const text = Array.from({ length: 40 }, (_, index) => `line ${index}`).join('\n')
  expect(previewOf('text/plain', text)).toEqual({
    kind: 'text',
    more: true,
    text: expect.stringMatching(/^line 0\n[\s\S]*line 11$/),
  })
})
