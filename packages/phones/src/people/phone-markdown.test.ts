import { expect, test } from 'vitest'
import { noMarks, phoneText, whatsAppMarks } from './phone-markdown.ts'

test.each([
  ['**bold** and *italic* and ~~gone~~', '*bold* and _italic_ and ~gone~', 'bold and italic and gone'],
  ['__bold__ and _italic_', '*bold* and _italic_', 'bold and italic'],
  ['## A heading ##', '*A heading*', 'A heading'],
  ['* one\n* two', '- one\n- two', '- one\n- two'],
  ['[here](https://x.example/a_b_c)', 'here (https://x.example/a_b_c)', 'here (https://x.example/a_b_c)'],
  ['[https://x.example](https://x.example)', 'https://x.example', 'https://x.example'],
  ['2 * 3 * 4 and snake_case_name', '2 * 3 * 4 and snake_case_name', '2 * 3 * 4 and snake_case_name'],
  ['```js\n**a**\n```', '```\n**a**\n```', '**a**'],
])('%j on a phone', (markdown, onWhatsApp, plain) => {
  expect([phoneText(markdown, whatsAppMarks), phoneText(markdown, noMarks)]).toEqual([onWhatsApp, plain])
})

test.each(['[', '**', '_a', '](', '~~', '# ', '*a '])('%j a hundred thousand times comes to an end', (piece) => {
  expect(phoneText(piece.repeat(100_000), whatsAppMarks).length).toBeGreaterThan(0)
})
