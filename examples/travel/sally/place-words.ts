import { destinations } from '../domain/data/destinations.ts'
import { origins } from '../domain/data/origins.ts'
import type { Airport } from '../domain/destination.ts'
import { placeWords } from '../domain/places.ts'

/** The places that a text names. */
export interface PlacesNamed {
  readonly origin?: string | undefined
  readonly destination?: string | undefined
  /** Those of a country or region that it may mean. */
  readonly among?: readonly string[] | undefined
  /** A place that ExampleTravel does not know. */
  readonly unknown?: string | undefined
}

export const destinationNames: readonly string[] = destinations.map(({ airport }) => airport.name)
const homes = origins
const aways = destinations.map(({ airport }) => airport)

// Words of names and codes that are also ordinary words.
const ordinary = new Set([
  'el',
  'da',
  'south',
  'sur',
  'uk',
  'gb',
  'man',
  'international',
  'united',
  'kingdom',
  'delgado',
])

function wordsOf(airports: readonly Airport[]): ReadonlyMap<string, readonly string[]> {
  const known = new Map<string, string[]>()
  for (const { name, country, aliases } of airports) {
    for (const word of new Set([name, country, ...aliases].flatMap(placeWords))) {
      if (!ordinary.has(word)) known.set(word, [...(known.get(word) ?? []), name])
    }
  }
  return known
}

const homeWords = wordsOf(homes)
const awayWords = wordsOf(aways)
const codes = new Map([...homes, ...aways].map(({ code, name }) => [code, name]))

interface Named {
  readonly names: readonly string[]
  readonly isHome: boolean
  readonly from: boolean
  readonly to: boolean
}

/** Reads the places of a text: at the most one to leave from and one to go to. */
export function placesIn(text: string): PlacesNamed {
  const named = namedIn(text)
  const home = named.filter(({ isHome }) => isHome)
  const there = named.find(({ isHome }) => !isHome)
  const here = narrowest(home)
  if (there === undefined) {
    const [goal, ...others] = home.filter(({ to }) => to)
    if (goal !== undefined && others.length === 0) {
      return {
        origin: oneOf(narrowest(home.filter((each) => each !== goal))?.names ?? []),
        destination: oneOf(goal.names),
      }
    }
    return { origin: here && oneOf(here.names), unknown: unknownIn(text) }
  }
  const among = there.names.length > 1 ? there.names : alternatives(named, text)
  const place = among === undefined ? there.names[0] : undefined
  // From a destination, home.
  if (there.from && !(here?.from ?? false)) {
    return { origin: place, destination: here && oneOf(here.names), among }
  }
  return { origin: here && oneOf(here.names), destination: place, among }
}

/** “Corfu or Rome”: each is a place to go to. */
function alternatives(named: readonly Named[], text: string): readonly string[] | undefined {
  const places = [...new Set(named.filter(({ isHome, from }) => !isHome && !from).flatMap(({ names }) => names))]
  return places.length > 1 && /\bor\b/i.test(text) ? places : undefined
}

/** “London Gatwick” is Gatwick. */
function narrowest(named: readonly Named[]): Named | undefined {
  return named.toSorted((one, other) => one.names.length - other.names.length)[0]
}

function oneOf(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined
  return names.length === 1 ? names[0] : names.every((name) => name.startsWith('London ')) ? 'London' : undefined
}

function namedIn(text: string): Named[] {
  const named: Named[] = []
  for (const { index, 0: written } of text.matchAll(/[\p{L}\p{M}’'-]+/gu)) {
    const [word = ''] = placeWords(written)
    const code = codes.get(written)
    const homeNames = code === undefined ? homeWords.get(word) : homes.some(({ name }) => name === code) && [code]
    const awayNames = code === undefined ? awayWords.get(word) : [code]
    const names = homeNames || awayNames
    if (names === undefined) continue
    const from = /\b(?:from|leaving|departing|out of)\s+(?:the\s+|london\s+)?$/i.test(text.slice(0, index))
    const to = /\bto\s+(?:the\s+)?$/i.test(text.slice(0, index))
    named.push({ names, isHome: Boolean(homeNames), from, to })
  }
  return named
}

// The word after it is only looked at: it may announce the place itself, as in “to fly to”.
const announced =
  /\b(?:to|in|on|from|visit|visiting|about|research|near|around|like in|explore)\s+(?:the\s+|a\s+)?(\p{L}[\p{L}'’-]{2,})(?=\s+(\p{L}[\p{L}'’-]+)|)/giu
const notPlaces = new Set(
  (
    'the and for fly flights flight hotel hotels cruise cruises book stay travel add see get find know have you them that this ' +
    'there here somewhere anywhere some any one two three four five six seven eight nine ten january february march april may ' +
    'june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec monday tuesday ' +
    'wednesday thursday friday saturday sunday today tomorrow next early late mid summer winter spring autumn basket package ' +
    'itinerary calendar cart total advance english general town city morning evening afternoon leave remove cancel change ' +
    'make take choose pick pay plan help ask say start come return back home holiday holidays week weekend month year days ' +
    'weeks months use try search look like want need your our his her its which what where when who how much many most ' +
    'least case time order price departure duration people person adults work sea sun beach beaches relax swim mediterranean ' +
    'adriatic aegean ionian atlantic europe destination destinations place places airport trip journey europe abroad christmas ' +
    'something anything nothing else another other different more less cheaper later earlier better bigger smaller nice warm ' +
    'centre center middle heart station harbour port river lake mountains hills seaside coast nearby beachfront ' +
    'my board foot holiday honeymoon business easter airlines direct cheapest first second third last both all everything every'
  ).split(' '),
)

/** A place that is announced as one and that ExampleTravel does not know. */
function unknownIn(text: string): string | undefined {
  for (const [, written = '', next = ''] of text.matchAll(announced)) {
    const [first = ''] = placeWords(written)
    if (first !== '' && !notPlaces.has(first) && !homeWords.has(first)) return placeName(written, next)
  }
  return undefined
}

/** “New York”, but only “Crete” of “crete in”: a second word belongs to the name when it is written like one. */
function placeName(first: string, second: string): string {
  const name = first.charAt(0).toUpperCase() + first.slice(1)
  return /^\p{Lu}/u.test(second) ? `${name} ${second}` : name
}
