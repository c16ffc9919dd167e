import type { ScriptedMessage } from '@cool-ai/beach-llm'
import { clarify } from '@cool-ai/example-kit/script-words'
import { nextSteps } from './next-steps.ts'
import type { SoFar } from './said-so-far.ts'

/** Asks which one of the list is meant. */
export function which(soFar: SoFar): ScriptedMessage {
  const { shown } = soFar
  if (shown === undefined)
    return { respond: clarify('I have not shown you anything yet. What shall I look for?', nextSteps(soFar)) }
  const { kind, data } = shown
  const names =
    kind === 'flights'
      ? data.flights.map(({ airline, flightNumber }) => `${airline} ${flightNumber}`)
      : kind === 'hotels'
        ? data.hotels.map(({ name }) => name)
        : kind === 'cruises'
          ? [...new Set(data.cruises.map(({ name }) => name))]
          : data.activities.map(({ name }) => name)
  return {
    respond: clarify(
      'Which one would you like?',
      names.slice(0, 6).map((name) => `Add ${name}`),
    ),
  }
}
