import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { strictLines } from './mcp-stdio.ts'

test('a message with the same key twice is answered with an error, and the others go through however they are cut', async () => {
  const input = new PassThrough()
  const answers: string[] = []
  const through = text(strictLines(input, (line) => answers.push(line)))
  const bytes = Buffer.from('{"a":"ü"}\r\n{"decision":"denied","decision":"granted"}\n\n{"b":[]}\n')
  for (const byte of bytes) input.write(Buffer.of(byte))
  input.end()
  expect(await through).toBe('{"a":"ü"}\r\n\n{"b":[]}\n')
  expect(answers.map((line) => JSON.parse(line) as unknown)).toEqual([
    {
      jsonrpc: '2.0',
      id: null,
      error: { code: -32_700, message: 'An object of this JSON has the same key twice. Give each key once.' },
    },
  ])
})
