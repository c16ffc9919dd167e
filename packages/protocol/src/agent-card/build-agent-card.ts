import type { AgentCard } from '@a2a-js/sdk'
import { systemClock, type Clock } from '@cool-ai/beach-core'
import * as z from 'zod'
import { authoredProblems } from './authored-problems.ts'
import { mediaTypesSchema, type AgentCardInput, type AuthoredCard } from './authored-card.ts'
import { cardError, problem, problemsOfParse, type CardProblem } from './card-problems.ts'
import type { CardRegistries } from './card-registries.ts'
import { toA2aCard, type A2aCardOptions } from './to-a2a-card.ts'
import { webUrlSchema } from './urls.ts'

/** What a card is built with besides what its author writes. */
export interface BuildAgentCardOptions {
  /** Where the card's names are looked up; the default registries unless given. */
  readonly registries?: CardRegistries | undefined
  readonly a2a?: A2aCardOptions | undefined
  /** Tells when a card was generated that does not say so itself. */
  readonly clock?: Clock | undefined
}

/** Makes an A2A card with the Beach extension of an authored card, or says what is wrong with it and how to fix it. */
export function buildAgentCard(input: AgentCardInput, options: BuildAgentCardOptions = {}): AgentCard {
  const authored = asJson(input)
  const problems = [...authoredProblems(authored, options.registries), ...optionProblems(options.a2a)]
  if (problems.length > 0) throw cardError('INVALID_CONFIGURATION', problems)
  const { clock = systemClock } = options
  return toA2aCard({ generatedAt: new Date(clock.now()).toISOString(), ...authored }, options.a2a)
}

// A copy, so that the card does not change with what it was made of; and only what can be published is checked.
function asJson(input: AgentCardInput): AuthoredCard {
  try {
    return JSON.parse(JSON.stringify(input)) as AuthoredCard
  } catch {
    throw cardError('INVALID_CONFIGURATION', [problem([], 'cannot be written as JSON', 'Give plain data only.')])
  }
}

const url = webUrlSchema.optional().describe('an http(s) URL')
const modes = mediaTypesSchema
  .min(1, 'is empty')
  .optional()
  .describe(mediaTypesSchema.description ?? '')
const optionsSchema = z.object({
  documentationUrl: url,
  iconUrl: url,
  defaultInputModes: modes,
  defaultOutputModes: modes,
})

function optionProblems(options: A2aCardOptions = {}): CardProblem[] {
  const result = optionsSchema.safeParse(options)
  return result.success ? [] : problemsOfParse(result.error, optionsSchema, options)
}
