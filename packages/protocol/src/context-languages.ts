import type { Originator, Part } from '@cool-ai/beach-core'

// A model is called for each of them, and each peer has a card of its own to name one.
const maxLanguages = 5

type Listener = Pick<Originator, 'consumes' | 'llmContextLanguage'>

/**
 * The languages in which the listeners want llm-context, each once; the agent's own for those that name none. The agent's
 * own is the first where one of them gets it.
 */
export function contextLanguages(listeners: readonly Listener[], ownLanguage: string): string[] {
  const wanting = listeners.filter(({ consumes }) => consumes?.includes('llm-context') === true)
  const named = new Set(wanting.map(({ llmContextLanguage = ownLanguage }) => languageTag(llmContextLanguage)))
  const own = languageTag(ownLanguage)
  const others = [...named].filter((language) => language !== own)
  if (others.length <= maxLanguages && !named.has(own)) return others
  return named.size === 0 ? [] : [own, ...others.slice(0, maxLanguages - 1)]
}

/** A language's tag as it is compared: `DE-at` and `de-AT` are one. */
function languageTag(language: string): string {
  try {
    return Intl.getCanonicalLocales(language)[0] ?? language
  } catch {
    return language
  }
}

/** An llm-context part in a language, with the languages that the turn has it in, the usual one first. */
export function contextPart(text: string, language: string, languages: readonly string[]): Part {
  const others = languages.length > 1 && { languages: [...languages] }
  return { text, metadata: { partType: 'llm-context', language, ...others } }
}

/** False for the llm-context of a turn that has another one in the listener's language, or in the usual one. */
export function isForLanguageOf({ metadata }: Part, { llmContextLanguage }: Listener): boolean {
  const { language, languages } = metadata
  if (!Array.isArray(languages)) return true
  const wanted = llmContextLanguage === undefined ? undefined : languageTag(llmContextLanguage)
  return language === (languages.includes(wanted) ? wanted : languages[0])
}
