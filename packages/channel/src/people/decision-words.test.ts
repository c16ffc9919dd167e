import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { agreedDecision, decisionFromWords } from './decision-words.ts'
import { stripQuotes } from '../../../email/src/strip-quotes.ts'

describe('a yes', () => {
  test.each([
    'yes',
    'Yes.',
    'YES!',
    ' approve ',
    'Approved',
    'ok',
    'Go ahead.',
    '*yes*',
    '"approve"',
    'yes please',
    'Yes please, go ahead.',
    'Yes, go ahead. Thanks!',
    'Sure, please approve',
    'Hi, yes. Thank you',
    'ok, ok',
    'yes\r\n\r\nThanks,\r\nAnna M\u00fcller',
    'yes\n\nThanks',

    'yes\n\nThanks,\nAnna',
    'Approve\n\nBest regards\nAnna Smith',
    '[approval:abc123] yes',
    'yes\nThanks!',
    `[approval:approval_x] ${'a'.repeat(42)} approve`,
  ])('is %j', (text) => {
    expect(decisionFromWords(text)).toEqual({ decision: 'granted' })
  })
})

describe('a no', () => {
  test.each([
    ['no', undefined],
    ['No.', undefined],
    ['denied, too expensive', 'too expensive'],
    ['Deny: not before May', 'not before May'],
    ['reject\nit is too early', 'it is too early'],
    ['no – ask Berta', 'ask Berta'],
    ['no, go ahead without me', 'go ahead without me'],
    ['don’t', undefined],
    ['no,', undefined],
  ])('is %j', (text, reason) => {
    // A reason that is there but undefined is no answer that approvalAnswerSchema takes.
    expect(decisionFromWords(text)).toStrictEqual({ decision: 'denied', ...(reason !== undefined && { reason }) })
  })
})

describe('neither is', () => {
  test.each([
    'yes, but only if it is cheap',
    'yes, thanks, but no',
    'yes, please wait',
    'please, thanks',
    'yes, tomorrow',
    'sure?',
    'go ahead, not',
    'yes and no',
    'no problem, go ahead',
    'not yes',
    'maybe',
    '',
    'yes?',
    'yesterday',

    'yes\n\nbut ask Berta first',
    'I do not approve',
    'yes no',
    'nothing',
    'known',
    'ok?',
    'y\u200bes',
    'ｙｅｓ',
    'ye\u017f',
    '\ufeffyes',
    'yes\ufeff',
    '\u00a0yes',
    '\u3000yes',
    'yes\u2028',
    'o\u212a',
    '\u24a8\u24a0\u24ae',
    'y\u0435s',
    'yes\u0301',
    'yes\u{e0021}',
    '\u{1d432}\u{1d41e}\u{1d42c}',
    'ｎｏ',
    '\ufeffno',
    'ｎｏ, too expensive',
    'yes\n\nThanks,\nbut no',
    'yes\n\nThanks,\nNo',
    'yes\n\nThanks,\nDo Not Pay',
    'yes\n\nThanks,\nCancel',
    `yes${'\n'.repeat(2_500)}but not this one`,
    `yes${' '.repeat(2_500)}`,
    'yes\n\nThanks\ufeff',
    'уes',
    'Thanks,\nAnna',
    'yes\n\nThanks,\nbut only the first of the two of them',
  ])('%j', (text) => {
    expect(decisionFromWords(text)).toBe('unclear')
  })

  test('a word with any character other than printable ASCII', () => {
    const other = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 1 })
      .filter((c) => !/^[\t\n\r\x20-\x7e]$/u.test(c))
    fc.assert(
      fc.property(other, fc.constantFrom('yes', 'approve', 'ok'), fc.nat(7), (character, word, at) => {
        expect(decisionFromWords(word.slice(0, at) + character + word.slice(at))).toBe('unclear')
        expect(decisionFromWords(word.slice(0, at) + character + word.slice(at + 1))).toBe('unclear')
      }),
    )
  })

  test('anything else that follows a yes', () => {
    const word = fc.stringMatching(/^[a-z]{2,12}$/).filter((text) => !['yes', 'please', 'ok', 'thanks'].includes(text))
    fc.assert(
      fc.property(word, (more) => {
        expect(decisionFromWords(`yes ${more}`)).toBe('unclear')
      }),
    )
  })
})

describe('text and HTML of one mail', () => {
  const decided = (...texts: string[]) => agreedDecision(texts.map(stripQuotes))

  test('must agree', () => {
    expect(decided('approve', 'Approve')).toEqual({ decision: 'granted' })
    expect(decided('deny', 'approve')).toBe('unclear')
    expect(decided('approve', 'deny')).toBe('unclear')
    expect(decided('approve', 'approve and more')).toBe('unclear')
    expect(decided()).toBe('unclear')
  })

  test('say no yes when something else is said further down', () => {
    expect(decided('yes\n> Both?\nbut not the second')).toBe('unclear')
    expect(decided('no\n> Both?\nnot the second')).toEqual({ decision: 'denied' })
  })
})
