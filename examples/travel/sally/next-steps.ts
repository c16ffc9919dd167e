import { destinationNames } from './place-words.ts'
import { packageNow, type SoFar } from './said-so-far.ts'

/** Things to say next that make sense now; each of them is understood. */
export function nextSteps(soFar: SoFar): readonly string[] {
  const { search, last, shown, booking } = soFar
  const hasItems = (packageNow(soFar)?.items.length ?? 0) > 0
  const place = [search.destination, search.origin].find((name) => destinationNames.includes(name ?? ''))
  if (last === 'booking' || (booking !== undefined && !hasItems))
    return ['Make an itinerary', ...startingSteps.slice(0, 2)]
  if (hasItems) return ['Book it', 'What is in my basket?', 'Undo', whatIsMissing(soFar, place)]
  if (shown?.kind === 'flights' && place !== undefined) {
    return ['Add the first one', 'Add the cheapest one', `Hotels in ${place}`, `Research ${place}`]
  }
  if (shown?.kind === 'hotels' && place !== undefined) {
    return ['Add the first one', 'Add the cheapest one', `Flights to ${place}`, `Research ${place}`]
  }
  if (shown !== undefined) return ['Add the first one', ...startingSteps.slice(0, 2)]
  return startingSteps
}

/** What the basket does not have yet. */
function whatIsMissing(soFar: SoFar, place = 'Lisbon'): string {
  const types = packageNow(soFar)?.items.map(({ type }) => type) ?? []
  if (!types.includes('hotel')) return `Hotels in ${place}`
  return types.includes('flight') ? `Research ${place}` : `Flights to ${place}`
}

const startingSteps = ['Flights to Corfu in August', 'Hotels in Lisbon', 'Cruises in the Adriatic', 'Research Athens']
