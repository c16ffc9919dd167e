import { secretKeys } from '@cool-ai/beach-core/tokens'
import { describe, expect, test } from 'vitest'
import { codeIn, codeOf, isCode, type CodeFor } from './codes.ts'

const keys = secretKeys(new Uint8Array(32).fill(1))
const [key] = keys
const about: CodeFor = {
  approvalId: 'approval_1',
  session: 'sess_1',
  issue: 0,
  person: 'anna',
  principal: { kind: 'user', id: 'anna', tenant: 'acme' },
}

describe('a code', () => {
  test('has six digits, the same ones each time', () => {
    expect(codeOf(key, about)).toMatch(/^\d{6}$/)
    expect(isCode(keys, about, codeOf(key, about))).toBe(true)
  })

  test.each([
    ['approval', { approvalId: 'approval_2' }],
    ['session', { session: 'sess_2' }],
    ['time of asking', { issue: 1 }],
    ['person', { person: 'berta' }],
    ['principal', { principal: { ...about.principal, id: 'berta' } }],
    ['tenant', { principal: { ...about.principal, tenant: 'other' } }],
  ])('is of no use for another %s', (_, other) => {
    expect(isCode(keys, { ...about, ...other }, codeOf(key, about))).toBe(false)
  })

  test('is of no use with another secret', () => {
    const others = secretKeys(new Uint8Array(32).fill(2))
    expect(isCode(others, about, codeOf(key, about))).toBe(false)
    expect(isCode([...others, key], about, codeOf(key, about)), 'while its own is listed too').toBe(true)
  })
})

test.each([
  ['YES 123456', { code: '123456', words: 'YES' }],
  ['123 456 no, too expensive', { code: '123456', words: 'no, too expensive' }],
  ['yes: 123-456', { code: '123456', words: 'yes' }],
  ['１２３４５６ yes', undefined],
  ['yes', undefined],
  ['yes 1234567', undefined],
  ['yes 123456 or 654321', undefined],
])('the code in %j', (text, expected) => {
  expect(codeIn(text)).toEqual(expected)
})
