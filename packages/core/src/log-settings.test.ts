import { describe, expect, test } from 'vitest'
import { parseLogSettings } from './log-settings.ts'

describe('BEACH_LOG', () => {
  test.each([
    ['', { level: 'warn', format: 'json' }],
    ['info', { level: 'info', format: 'json' }],
    ['text', { level: 'warn', format: 'text' }],
    ['debug,json', { level: 'debug', format: 'json' }],
    [' text , error ', { level: 'error', format: 'text' }],
  ])('%j is a level, a format, or both', (text, settings) => {
    expect(parseLogSettings(text, false)).toEqual(settings)
  })

  test('the log of a terminal is text unless it says JSON', () => {
    expect(parseLogSettings('info', true)).toEqual({ level: 'info', format: 'text' })
    expect(parseLogSettings('json', true)).toEqual({ level: 'warn', format: 'json' })
  })

  test.each(['loud', 'info,warn', 'json,text', 'info,', ',', 'INFO', 'info json'])(
    '%j is refused with what to write instead',
    (text) => {
      expect(() => parseLogSettings(text, false)).toThrow(/BEACH_LOG is .* such as BEACH_LOG=info,text\./)
    },
  )
})
