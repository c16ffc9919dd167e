import { expect, test } from 'vitest'
import { jsonText, plainText } from '../../packages/beach/src/command/plain-text.ts'

const hostile = 'red \u001B[31m, erased \u009B2J, turned \u202Earound'

test('JSON for programs has no character that steers a terminal, and says the same', () => {
  const text = jsonText({ said: hostile })
  for (const steering of ['\u001B', '\u009B', '\u202E']) expect(text).not.toContain(steering)
  expect(JSON.parse(text)).toEqual({ said: hostile })
})

test('text for people loses escape sequences, and shows that characters are missing', () => {
  expect(plainText(hostile)).toBe('red , erased , turned \uFFFDaround')
})
