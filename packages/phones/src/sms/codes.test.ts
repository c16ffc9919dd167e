import { describe, expect, test } from 'vitest'
import { codeIn, codeOf, isCode, type CodeFor } from './codes.ts'

const secret = new Uint8Array(32).fill(1)
const about: CodeFor = {
  approvalId: 'approval_1',
  session: 'sess_1',
  issue: 0,
  person: 'anna',
  principal: { kind: 'user', id: 'anna', tenant: 'acme' },
}

describe('a code', () => {
  test('has six digits, the same ones each time', () => {
    expect(codeOf(secret, about)).toMatch(/^\d{6}$/)
    expect(isCode(secret, about, codeOf(secret, about))).toBe(true)
  })

  test.each([
    ['approval', { approvalId: 'approval_2' }],
    ['session', { session: 'sess_2' }],
    ['time of asking', { issue: 1 }],
    ['person', { person: 'berta' }],
    ['principal', { principal: { ...about.principal, id: 'berta' } }],
    ['tenant', { principal: { ...about.principal, tenant: 'other' } }],
  ])('is of no use for another %s', (_, other) => {
    expect(isCode(secret, { ...about, ...other }, codeOf(secret, about))).toBe(false)
  })

  test('is of no use with another secret', () => {
    expect(isCode(new Uint8Array(32).fill(2), about, codeOf(secret, about))).toBe(false)
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
