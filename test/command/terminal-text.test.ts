import { expect, test, vi } from 'vitest'
import { jsonText, plainText } from '../../packages/beach/src/command/plain-text.ts'
import { printTable } from '../../packages/beach/src/command/table.ts'

const hostile = 'red \u001B[31m, erased \u009B2J, turned \u202Earound'

test('JSON for programs has no character that steers a terminal, and says the same', () => {
  const text = jsonText({ said: hostile })
  for (const steering of ['\u001B', '\u009B', '\u202E']) expect(text).not.toContain(steering)
  expect(JSON.parse(text)).toEqual({ said: hostile })
})

test('text for people loses escape sequences, and shows that characters are missing', () => {
  expect(plainText(hostile)).toBe('red , erased , turned \uFFFDaround')
})

test('a table has ids as other commands take them, and shortens its last column only', () => {
  const written: string[] = []
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0)
  const id = `turn_1:${'approval_'.repeat(9)}:smtp:manager@office.example`
  printTable(['delivery', 'because'], [[id, 'no such user '.repeat(9)]], 'none')
  write.mockRestore()
  expect(written.join('')).toMatch(new RegExp(`\\n${id} {2}no such user .*…\\n$`))
})
