import { isBeachError } from '@cool-ai/beach-core'
import { authoredProblems } from './authored-problems.ts'
import { problem, type CardProblem } from './card-problems.ts'
import type { CardRegistries } from './card-registries.ts'
import { isPlainObject } from '../plain-value.ts'
import { readAgentCard } from './read-agent-card.ts'

/**
 * What is wrong with an Agent Card, each with the place and the fix; nothing when it is right. The card is as its author
 * writes it, or as `buildAgentCard` publishes it.
 */
export function validateAgentCard(value: unknown, registries: CardRegistries = {}): readonly CardProblem[] {
  if (isPlainObject(value) && 'supportedInterfaces' in value) return publishedProblems(value)
  return authoredProblems(value, registries)
}

function publishedProblems(card: object): readonly CardProblem[] {
  try {
    // As text: a card that was built has members that are undefined.
    readAgentCard(JSON.stringify(card))
    return []
  } catch (error) {
    if (!isBeachError(error)) throw error
    const { problems } = error.details
    return Array.isArray(problems) ? (problems as CardProblem[]) : [problem([], 'cannot be read', error.message)]
  }
}
