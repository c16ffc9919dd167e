import { expect, test } from 'vitest'
import { BeachError } from './errors.ts'
import { createLogger } from './logger.ts'
import { SimulatedClock } from './simulated-runtime.ts'

function logged(fields: Record<string, unknown>, message = 'something happened'): string {
  const lines: string[] = []
  const clock = new SimulatedClock(0)
  createLogger({ clock, level: 'debug', write: (line) => lines.push(line) }).log('warn', message, fields)
  return lines.join('\n')
}

test('the logger writes one line of JSON, whatever the text contains', () => {
  const line = logged({ text: 'first\r\n{"level":"error"}\u001B[31m' }, 'a\nb')
  expect(line.split('\n')).toHaveLength(1)
  expect(line).not.toContain('\u001B')
  expect(JSON.parse(line)).toMatchObject({ time: '1970-01-01T00:00:00.000Z', level: 'warn', message: 'a\nb' })
})

test('the logger leaves out what is called like a secret, at any depth', () => {
  const line = logged({
    headers: { Authorization: 'canary', cookie: 'canary', 'x-api-key': 'canary' },
    tool: [{ args: { password: 'canary', clientSecret: 'canary', accessToken: 'canary' } }],
  })
  expect(line).not.toContain('canary')
})

test('the logger writes errors with their code and cause, and survives cycles and long texts', () => {
  const cycle: Record<string, unknown> = { text: 'x'.repeat(5_000) }
  cycle.self = cycle
  const error = new BeachError('NOT_FOUND', 'nothing there', { cause: new Error('the reason') })
  const line = logged({ error, cycle })
  expect(JSON.parse(line)).toMatchObject({
    error: { code: 'NOT_FOUND', message: 'nothing there', cause: { message: 'the reason' } },
  })
  expect(line.length).toBeLessThan(30_000)
})

test('the logger writes nothing below its level', () => {
  const lines: string[] = []
  const logger = createLogger({ level: 'warn', write: (line) => lines.push(line) })
  logger.log('info', 'quiet')
  logger.log('error', 'loud')
  expect(lines).toHaveLength(1)
})

test('the logger writes text for people, in which no text can forge a line or colour one', () => {
  const lines: string[] = []
  const clock = new SimulatedClock(0)
  const logger = createLogger({ clock, level: 'debug', format: 'text', write: (line) => lines.push(line) })
  const nasty = 'first\r\nlevel=error \u001B[31m \u009B31m \u202Eback'
  logger.log('info', 'turn', { session: 'sess_1', ms: 1.5, text: nasty, absent: undefined })
  expect(lines).toEqual([
    '00:00:00.000 info  turn session=sess_1 ms=1.5 text="first\\r\\nlevel=error \\u001b[31m \\u009b31m \\u202eback"',
  ])
})

test('the logger counts tokens of models, and leaves out those that are secrets', () => {
  expect(JSON.parse(logged({ inputTokens: 12, accessTokens: ['canary'], token: 12 }))).toMatchObject({
    inputTokens: 12,
    accessTokens: '[left out]',
    token: '[left out]',
  })
})
