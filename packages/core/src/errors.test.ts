import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { BeachError, errorCatalogue, ifFound, isStoreFailure, outcomeOf, type ErrorCode } from './errors.ts'

test('each code that docs/http.md names has the status it is said to have', () => {
  const page = readFileSync(new URL('../../../docs/http.md', import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| (\d{3}) \| ((?:`[A-Z_]+`(?:, )?)+) \|/gm)]
  const named = rows.flatMap(([, status, codes = '']) =>
    [...codes.matchAll(/[A-Z_]+/g)].map(([code]) => [code, Number(status)]),
  )
  expect(named.length).toBeGreaterThan(25)
  expect(named.map(([code]) => [code, errorCatalogue[code as ErrorCode].status])).toEqual(named)
})

test('a client tries again what may succeed another time, and nothing else', () => {
  const codes = Object.keys(errorCatalogue) as ErrorCode[]
  expect(codes.filter((code) => new BeachError(code, '').retryable)).toEqual([
    'TURN_RUNNING',
    'TOO_MANY',
    'MAILBOX_FULL',
    'ACTOR_FAILED',
    'TIMEOUT',
    'LEASE_LOST',
    'CONFLICT',
    'STORE_BUSY',
    'STORE_UNAVAILABLE',
    'STORE_LOST',
    'STORE_DAMAGED',
    'STOPPING',
    'NEWER_VERSION',
    'SLOW_READER',
    'UNREACHABLE',
    'PEER_FAILED',
    'PEER_BUSY',
    'PEER_UNAVAILABLE',
    'INTERNAL',
  ])
})

test.each([
  [new BeachError('TIMEOUT', 'It took too long.'), 'unknown'],
  [new BeachError('PEER_FAILED', '', { cause: new BeachError('TIMEOUT', '') }), 'unknown'],
  [new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) }), 'unknown'],
  [new DOMException('late', 'TimeoutError'), 'unknown'],
  [new TypeError('fetch failed', { cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) }), 'failed'],
  [new BeachError('PEER_FAILED', 'It said no.'), 'failed'],
  ['no error at all', 'failed'],
])('a call that is not idempotent and ended with %s has this outcome: %s', (error, outcome) => {
  expect(outcomeOf(error, false)).toBe(outcome)
  expect(outcomeOf(error, true)).toBe('failed')
})

test('a call that says its outcome is unknown is believed, also when it is idempotent', () => {
  expect(outcomeOf(new BeachError('PEER_FAILED', '', { details: { outcome: 'unknown' } }), true)).toBe('unknown')
})

test('only the codes of stores are failures of the store', () => {
  const codes = Object.keys(errorCatalogue) as ErrorCode[]
  expect(codes.filter((code) => isStoreFailure(new BeachError(code, '')))).toEqual(
    codes.filter((code) => code.startsWith('STORE_')),
  )
  expect(isStoreFailure(new Error('disk full'))).toBe(false)
})

test('ifFound gives undefined for what does not exist, and throws every other error', async () => {
  expect(await ifFound(Promise.resolve('session'))).toBe('session')
  expect(await ifFound(Promise.reject(new BeachError('NOT_FOUND', 'There is none.')))).toBeUndefined()
  await expect(ifFound(Promise.reject(new BeachError('STORE_BUSY', 'Later.')))).rejects.toThrow('Later.')
})
