import { BeachError } from '@cool-ai/beach-core'
import type { PlainOptions } from './earlier-options.ts'

/** The language of the agent's llm-context: what its card declares and what its translator writes are one. */
export function ownLanguage({ card, translator }: Pick<PlainOptions, 'card' | 'translator'>): string | undefined {
  const declared = card?.envelope?.llmContextLanguage
  const written = translator?.language
  if (declared !== undefined && written !== undefined && declared !== written) {
    throw new BeachError(
      'INVALID_CONFIGURATION',
      `The card declares '${declared}' as llmContextLanguage, and the translator writes '${written}'. Leave one of them out.`,
    )
  }
  return declared ?? written
}
