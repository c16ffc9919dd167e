import { describe, expect, test } from 'vitest'
import { contextLanguages, contextPart, isForLanguageOf } from './context-languages.ts'

const peer = (llmContextLanguage?: string, consumes = ['llm-context']) => ({
  consumes,
  ...(llmContextLanguage !== undefined && { llmContextLanguage }),
})

describe('the languages of llm-context', () => {
  test.each([
    ['none without a peer that wants it', [peer('de', []), {}], []],
    ['the agent’s own for peers that name none', [peer()], ['en']],
    ['those that peers name, each once', [peer('de'), peer('DE'), peer('de-at'), peer('de-AT')], ['de', 'de-AT']],
    ['the agent’s own first', [peer('de'), peer(), peer('EN')], ['en', 'de']],
    ['a name that is no tag as it is', [peer('klingon_1')], ['klingon_1']],
    [
      'few: a card costs little, a model does',
      ['de', 'fr', 'it', 'es', 'nl', 'pl', 'pt'].map((language) => peer(language)),
      ['en', 'de', 'fr', 'it', 'es'],
    ],
  ])('are %s', (_, listeners, expected) => {
    expect(contextLanguages(listeners, 'en')).toEqual(expected)
  })

  test('decide who gets which part, where a turn has several', () => {
    const parts = ['en', 'de'].map((language) => contextPart(language, language, ['en', 'de']))
    const given = (language?: string) =>
      parts.filter((part) => isForLanguageOf(part, peer(language))).map((part) => part.text)
    expect([given(), given('en'), given('DE'), given('fr')]).toEqual([['en'], ['en'], ['de'], ['en']])
  })

  test('decide nothing where there is one only, or where an actor has written it', () => {
    expect(isForLanguageOf(contextPart('Hallo', 'de', ['de']), peer('fr'))).toBe(true)
    expect(isForLanguageOf({ text: 'Mine.', metadata: { partType: 'llm-context' } }, peer('fr'))).toBe(true)
  })
})
