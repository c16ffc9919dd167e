import { ordinalIn, ordinalsIn } from '@cool-ai/example-kit/number-words'
import { daysIn } from '@cool-ai/example-kit/day-words'
import { itemIdOf, type BasketItem } from '../domain/basket-item.ts'
import { destinations } from '../domain/data/destinations.ts'
import { compact } from '../domain/flight-schedule.ts'
import { addDays } from '../domain/iso-date.ts'
import { placeWords } from '../domain/places.ts'
import { defaultDeparture } from '../domain/today.ts'
import { nightsIn, peopleIn } from './party-words.ts'
import { placesIn } from './place-words.ts'
import { addedLast, packageNow, type Shown, type SoFar } from './said-so-far.ts'
import type { Wish } from './wishes.ts'

type Choice = Extract<Wish, { readonly kind: 'add' | 'which' }>

const taking = /\b(?:add|take|choose|pick|want|have|go (?:for|with)|get|select|use|put|book|buy|reserve|like)\b/i
const pointing =
  /\b(?:that|this) (?:one|flight|hotel|cruise)\b|\b(?:add|take|choose|pick|book|want|have) (?:it|that|this)\b/i
const superlative =
  /\b(?:cheap|early|late|fast|short|quick)(?:er|est)?\b|\b(?:best|direct|earli(?:er|est)|lat(?:er|est))\b/i
const other = /\bthe other(?: (?:one|flight|hotel|cruise))?\W*(?:please)?\W*$/i
const bothOf =
  /^\W*(?:(?:ok|okay|yes|please|and|i(?:'|’)?(?:ll| will) (?:take|have)|add|take|book|buy) )*(?:both|all|(?:the|these|those) two)(?: of (?:them|these|those))?\W*(?:please)?\W*$/i
const flightNumber = /\b(?!(?:to|in|on|of|at|by|or|is|us|we|me)\b)([A-Za-z][A-Za-z0-9] ?\d{3,4})\b/i

const bookIt =
  /^\W*(?:(?:ok|okay|yes|please|now|then|just),? )*book (?:it|this|that)\b(?! (?:one|flight|hotel|cruise))/i
const nouns: readonly (readonly [Shown['kind'], RegExp])[] = [
  ['flights', /\bflights?\b/i],
  ['hotels', /\bhotels?\b/i],
  ['cruises', /\bcruises?\b/i],
  ['activities', /\b(?:activit(?:y|ies)|excursions?|tours?)\b/i],
]

/** “The cheapest hotel” is none of the flights that were shown. */
function namesAnotherKind(text: string, shown: Shown): boolean {
  const named = nouns.filter(([, noun]) => noun.test(text))
  return named.length > 0 && !named.some(([kind]) => kind === shown.kind)
}

export const defaultPeople = 2

/** What a text chooses: by its number or name, or of the list that was shown, on the day and for the party shown. */
export function choiceIn(text: string, soFar: SoFar, today: string): Choice | undefined {
  const named = namedIn(text, soFar, today)
  if (named !== undefined) return named
  const { shown } = soFar
  const { destination, origin, among, unknown } = placesIn(text)
  if ([destination, origin, among, unknown].some((place) => place !== undefined)) return undefined
  if (shown !== undefined && namesAnotherKind(text, shown)) return undefined
  if (shown === undefined) return ordinalIn(text) !== undefined && taking.test(text) ? { kind: 'which' } : undefined
  const all = ordinalsIn(text)
  if (all.length > 1) return together(all.map((each) => chosenAt(each, shown, text, soFar, today)))
  if (bothOf.test(text) && !/\bof (?:us|you)\b/i.test(text)) {
    const two = [0, 1].map((each) => chosenAt(each, shown, text, soFar, today))
    return itemsOf(shown).length === 2 && /\b(?:both|two)\b/i.test(text) ? together(two) : { kind: 'which' }
  }
  const index = all[0] ?? otherOf(text, shown, soFar) ?? superlativeIn(text, shown) ?? nameIn(text, shown)
  if (index !== undefined) return chosenAt(index, shown, text, soFar, today)
  if (!pointing.test(text)) return other.test(text) ? { kind: 'which' } : undefined
  // “Book it” is about the package where there is one.
  if (soFar.last === 'package' || soFar.last === 'booking' || soFar.last === undefined) return undefined
  if (bookIt.test(text) && (packageNow(soFar)?.items.length ?? 0) > 0) return undefined
  return itemsOf(shown).length === 1 ? chosenAt(0, shown, text, soFar, today) : { kind: 'which' }
}

/** Several choices as one; which one, when one of them is not there. */
function together(choices: readonly Choice[]): Choice {
  const items = choices.flatMap((choice) => (choice.kind === 'add' ? choice.items : []))
  return items.length === choices.length ? { kind: 'add', items, thenBook: false } : { kind: 'which' }
}

/** “The other one” of two. */
function otherOf(text: string, shown: Shown, soFar: SoFar): number | undefined {
  if (!other.test(text) || itemsOf(shown).length !== 2) return undefined
  const ids = [0, 1].map((index) => {
    const choice = chosenAt(index, shown, text, soFar, '')
    return choice.kind === 'add' && choice.items[0] !== undefined ? itemIdOf(choice.items[0]) : ''
  })
  const taken = ids.findIndex((id) => addedLast(soFar).some(({ itemId }) => itemId === id))
  return taken === -1 ? undefined : 1 - taken
}

function adding(item: BasketItem): Choice {
  return { kind: 'add', items: [item], thenBook: false }
}

/** By the number of a flight, or the name of a hotel, cruise or activity. */
function namedIn(text: string, soFar: SoFar, today: string): Choice | undefined {
  const words = text.toLowerCase()
  const { shown, search } = soFar
  const when = dayFor(text, soFar, today)
  const people = peopleIn(text) ?? search.people ?? defaultPeople
  const number = flightNumber.exec(text)?.[1]
  if (number !== undefined && (taking.test(text) || compact(text) === compact(number))) {
    const known = soFar.seen.find((each) => compact(each.number) === compact(number))
    return adding({
      type: 'flight',
      flightNumber: known?.number ?? number.toUpperCase(),
      date: when.said ?? known?.date ?? when.date,
      passengers: peopleIn(text) ?? known?.people ?? people,
    })
  }
  const hotel = destinations.flatMap(({ hotels }) => hotels).find(({ name }) => words.includes(name.toLowerCase()))
  if (hotel !== undefined) return adding(hotelItem(hotel.hotelId, text, soFar, today))
  const cruise =
    shown?.kind === 'cruises' ? shown.data.cruises.find(({ name }) => words.includes(name.toLowerCase())) : undefined
  if (cruise !== undefined) {
    return adding({ type: 'cruise', cruiseId: cruise.cruiseId, departure: when.said ?? cruise.departure, people })
  }
  const activity = destinations
    .flatMap(({ activities }) => activities)
    .find(({ name }) => words.includes(name.toLowerCase()))
  if (activity === undefined) return undefined
  return adding({ type: 'activity', activityId: activity.activityId, date: when.said ?? addDays(when.date, 1), people })
}

function dayFor(
  text: string,
  { search }: SoFar,
  today: string,
): { readonly said: string | undefined; readonly date: string } {
  const said = daysIn(text.replace(flightNumber, ''), { today, near: search.date })[0]?.date
  return { said, date: said ?? search.date ?? defaultDeparture(today) }
}

function hotelItem(hotelId: string, text: string, soFar: SoFar, today: string): BasketItem {
  const { search, shown } = soFar
  const stay = shown?.kind === 'hotels' ? shown.data.stay : undefined
  const [first, last] = daysIn(text, { today, near: search.date }).map(({ date }) => date)
  const checkIn = first ?? stay?.checkIn ?? search.date ?? defaultDeparture(today)
  const nights = nightsIn(text) ?? search.nights ?? 7
  const checkOut = last ?? (first === undefined && nightsIn(text) === undefined ? stay?.checkOut : undefined)
  const guests = peopleIn(text) ?? stay?.guests ?? search.people ?? defaultPeople
  return { type: 'hotel', hotelId, checkIn, checkOut: checkOut ?? addDays(checkIn, nights), guests }
}

function itemsOf({ kind, data }: Shown): readonly unknown[] {
  switch (kind) {
    case 'flights':
      return data.flights
    case 'hotels':
      return data.hotels
    case 'cruises':
      return data.cruises
    case 'activities':
      return data.activities
  }
}

/** The one at that place of the list, the last for -1; which one, when there is none. */
function chosenAt(index: number, shown: Shown, text: string, soFar: SoFar, today: string): Choice {
  const people = peopleIn(text) ?? soFar.search.people ?? defaultPeople
  switch (shown.kind) {
    case 'flights': {
      const flight = shown.data.flights.at(index)
      if (flight === undefined) break
      const { flightNumber: number, departure } = flight
      return adding({ type: 'flight', flightNumber: number, date: departure.slice(0, 10), passengers: people })
    }
    case 'hotels': {
      const hotel = shown.data.hotels.at(index)
      if (hotel === undefined) break
      return adding(hotelItem(hotel.hotelId, text, soFar, today))
    }
    case 'cruises': {
      const cruise = shown.data.cruises.at(index)
      if (cruise === undefined) break
      return adding({ type: 'cruise', cruiseId: cruise.cruiseId, departure: cruise.departure, people })
    }
    case 'activities': {
      const activity = shown.data.activities.at(index)
      if (activity === undefined) break
      const date = dayFor(text, soFar, today).said ?? shown.data.date ?? addDays(dayFor(text, soFar, today).date, 1)
      return adding({ type: 'activity', activityId: activity.activityId, date, people })
    }
  }
  return { kind: 'which' }
}

/** “The cheapest one”, when something is to be taken; “cheapest first” sorts. */
function superlativeIn(text: string, shown: Shown): number | undefined {
  const found = superlative.exec(text)?.[0].toLowerCase()
  const takes = taking.test(text) || /\bone\b/i.test(text) || /^\W*the \w+\W*(?:please)?\W*$/i.test(text)
  if (found === undefined || !takes || /\b(?:first|sort|show|find|any|anything|something|others?)\b/i.test(text))
    return undefined
  const values = valuesFor(found.replace(/i?(?:er|est)$/, ''), shown)
  return values === undefined || values.length === 0 ? undefined : values.indexOf(Math.min(...values))
}

/** What is least of the one that is meant; undefined for what says nothing of such a list. */
function valuesFor(word: string, { kind, data }: Shown): readonly number[] | undefined {
  const isCheap = word === 'cheap'
  const isBest = word === 'best' || word === 'b'
  if (kind !== 'flights' && !isCheap && !isBest) return undefined
  if (kind === 'hotels') return data.hotels.map(({ totalPrice, rating }) => (isBest ? -rating : totalPrice))
  if (kind === 'cruises') return data.cruises.map(({ pricePerPerson }) => pricePerPerson)
  if (kind === 'activities') return data.activities.map(({ pricePerPerson }) => pricePerPerson)
  return data.flights.map(({ pricePerPerson, departure, arrival, stops }) => {
    if (word === 'direct') return stops
    if (word.startsWith('earl')) return Date.parse(departure)
    if (word.startsWith('lat')) return -Date.parse(departure)
    if (isCheap || isBest) return pricePerPerson
    return Date.parse(arrival) - Date.parse(departure)
  })
}

// Words of many names, by which none is meant.
const common = new Set(
  'hotel house grand resort palace suites rooms garden airways airlines city view park beach with from day adriatic aegean ionian atlantic mediterranean'.split(
    ' ',
  ),
)

/** “The easyJet one”, “book Liston”: a word that only one of the names has. */
function nameIn(text: string, shown: Shown): number | undefined {
  const said = new Set(placeWords(text))
  const named = namesOf(shown).map((name) =>
    placeWords(name).some((word) => word.length > 3 && !common.has(word) && said.has(word)),
  )
  const code = shown.kind === 'flights' ? /\b[A-Z][A-Z0-9]\b/.exec(text)?.[0] : undefined
  if (shown.kind === 'flights' && code !== undefined) {
    const byCode = shown.data.flights.findIndex(({ flightNumber: number }) => number.startsWith(code))
    if (byCode !== -1) return byCode
  }
  const index = named.indexOf(true)
  return index === -1 || named.includes(true, index + 1) ? undefined : index
}

function namesOf({ kind, data }: Shown): readonly string[] {
  if (kind === 'flights') return data.flights.map(({ airline }) => airline)
  if (kind === 'hotels') return data.hotels.map(({ name }) => name)
  return kind === 'cruises' ? data.cruises.map(({ name }) => name) : data.activities.map(({ name }) => name)
}
