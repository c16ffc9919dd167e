import { BeachError } from '@cool-ai/beach-core'
import { destinations } from './data/destinations.ts'
import { origins } from './data/origins.ts'
import type { Airport, Destination } from './destination.ts'

/** Words that say nothing about which place is meant. */
const fillers = new Set(['airport', 'international', 'city', 'town', 'island', 'islands', 'the', 'of', 'in', 'on'])

/** The words of a text as places are compared by them: without case, accents and marks. */
export function placeWords(text: string): string[] {
  const plain = text.normalize('NFD').replaceAll(/\p{M}/gu, '').replaceAll('đ', 'd').toLowerCase()
  return (plain.match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !fillers.has(word))
}

/** True when everything that was asked for is among the words that the place goes by. */
export function matchesPlace(asked: string, names: readonly string[]): boolean {
  const words = placeWords(asked)
  const known = new Set(names.flatMap(placeWords))
  return words.length > 0 && words.every((word) => known.has(word))
}

/** The airports that a text may mean: `LGW` and `Gatwick` one, `London` two, `Greece` all of that country. */
export function findAirports(text: string): Airport[] {
  return everyAirport.filter((airport) => matchesPlace(text, airportNames(airport)))
}

/** The destinations that a text may mean; an error that names all of them when it means none. */
export function findDestinations(text: string): Destination[] {
  const found = destinations.filter(({ airport }) => matchesPlace(text, airportNames(airport)))
  if (found.length > 0) return found
  throw new BeachError(
    'BAD_REQUEST',
    `There is no destination '${text}' here. Destinations are: ${destinations.map(({ airport }) => airport.name).join(', ')}.`,
  )
}

/** Like `findDestinations`, for what makes sense only in one place. */
export function theDestination(text: string): Destination {
  const [found, ...others] = findDestinations(text)
  if (found !== undefined && others.length === 0) return found
  const names = findDestinations(text).map(({ airport }) => airport.name)
  throw new BeachError('BAD_REQUEST', `'${text}' can be ${names.join(' or ')}. Name one of them.`)
}

/** The airports that a text means as one end of a flight; an error that names all of them when it means none. */
export function airportsOf(text: string, end: 'origin' | 'destination'): Airport[] {
  const found = findAirports(text)
  if (found.length > 0) return found
  const known = everyAirport.map(({ name, code }) => `${name} (${code})`).join(', ')
  throw new BeachError('BAD_REQUEST', `There is no airport for the ${end} '${text}' here. Airports are: ${known}.`)
}

const everyAirport: readonly Airport[] = [...origins, ...destinations.map(({ airport }) => airport)]

function airportNames({ code, name, country, aliases }: Airport): string[] {
  return [code, name, country, ...aliases]
}
