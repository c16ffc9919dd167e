import { daysIn } from '@cool-ai/example-kit/day-words'
import { optionMeant, spoken } from '@cool-ai/example-kit/script-words'
import { spelled } from '@cool-ai/example-kit/spelling'
import { isForeign, smallTalkIn } from '@cool-ai/example-kit/small-talk'
import { defined } from '@cool-ai/beach-core/runtime'
import { numberIn, numberWord } from '@cool-ai/example-kit/number-words'
import type { Board } from '../domain/destination.ts'
import { itemIdOf } from '../domain/basket-item.ts'
import { nightsBetween } from '../domain/iso-date.ts'
import { choiceIn, defaultPeople } from './choice.ts'
import { joiningIn, nightsIn, peopleIn } from './party-words.ts'
import { destinationNames, placesIn, type PlacesNamed } from './place-words.ts'
import { pressedWish } from './pressed.ts'
import { questionIn } from './questions.ts'
import { addedLast, changedLast, packageNow, type Search, type SoFar } from './said-so-far.ts'
import { namesOfThings, vocabulary } from './vocabulary.ts'
import type { Change, Wish } from './wishes.ts'

/** Reads a message for what is wanted. Not clever: a real model takes this place as soon as there is a key. */
export function understand(said: string, soFar: SoFar, today: string): Wish {
  const text = wordsOf(said)
  const pressed = pressedWish(said.slice(0, 20_000))
  if (pressed !== undefined) return pressed
  return (
    commandIn(text, soFar) ??
    (isForeign(text) ? ({ kind: 'foreign' } as const) : undefined) ??
    askedIn(text, soFar, today) ??
    basketChangeIn(text, soFar, today) ??
    politeTalkIn(text) ??
    withHotelWishes(text, searchIn(text, soFar, today)) ??
    talkIn(text) ??
    optionIn(text, soFar, today) ?? { kind: 'unclear' }
  )
}

function askedIn(text: string, soFar: SoFar, today: string): Wish | undefined {
  const topic = questionIn(text, soFar, today)
  return topic === undefined ? undefined : { kind: 'question', topic, text }
}

/** “The second” of the ready answers to what was asked last. */
function optionIn(text: string, soFar: SoFar, today: string): Wish | undefined {
  const option = optionMeant(text, soFar.lastExchange)
  return option === undefined ? undefined : understand(option, { ...soFar, lastExchange: undefined }, today)
}

/** What was said. A script that looks at every word of a book blocks the other sessions. */
function wordsOf(said: string): string {
  return spelled(spoken(said.slice(0, 20_000)).slice(0, 2_000), vocabulary, namesOfThings)
}

const undo =
  /^\W*(?:no,? |oh,? |please |sorry,? |wait,? |stop,? |hold on,? |hang on,? |actually,? )*(?:undo(?: (?:that|it|this|the last(?: one)?))?|cancel(?: (?:that|it|this|the last(?: one)?))?|scrap (?:that|it)|take (?:that|it) back|go back|revert|i(?:'ve|’ve| have)? changed my mind|(?:add|put) (?:it|that|them) (?:again|back))\b(?:\W*please)?\W*$/i
const putBack = /\bagain\b|\bput (?:it|that|them) back\b|\bchanged my mind\b/i
const cancelBooking =
  /\b(?:like|want|need|wish) to cancel\W*$|\bcancel\b.*\b(?:booking|reservation|order|trip|holiday|everything)\b|\brefund\b|\bmoney back\b/i
const changeBooking = /\b(?:change|amend|modify|move|alter|edit|update)\b.*\b(?:booking|reservation)\b/i
const neverMind =
  /^\W*(?:no,? |oh,? |ok(?:ay)?,? |sorry,? |actually,? )*(?:never ?mind|forget (?:it|that|about it))\b(?:\W*please)?\W*$/i
const clear =
  /\b(?:remove|delete|drop|take out) (?:everything|all(?: of (?:it|them))?)\b|\b(?:empty|clear) (?:my |the )?(?:basket|package|cart)\b|^\W*start (?:over|again|afresh)\b/i
const remove =
  /(?:^|[,.;!]\s*)(?:no,? |please |and |but |can you |could you )*(?:remove|drop|take out|delete|get rid of|leave out)\b/i
const itinerary = /\bitinerary\b|\b(?:my|a|the) calendar\b|\bprint(?:out|able)\b|\bprint (?:it|this|that|my|the)\b/i
const basket =
  /\b(?:basket|package|cart)\b|\bwhat (?:have|did) i (?:got|chosen|choose|picked|added)\b|\bhow much (?:is (?:it|that|everything)|altogether|in total|do i (?:owe|pay))\b|\bthe total\b|\bin total\b|\bwhat (?:does|do|will|would) (?:it|that|this|they|everything|all of it) (?:all )?cost\b/i

/** What needs no list and no search to be understood. */
function commandIn(text: string, soFar: SoFar): Wish | undefined {
  // Right after a change “never mind” is about it, else about what was said.
  if (neverMind.test(text))
    return soFar.last === 'package' && soFar.asks !== true
      ? { kind: 'undo', again: false }
      : { kind: 'talk', talk: 'no' }
  if (undo.test(text)) return { kind: 'undo', again: putBack.test(text) }
  if (clear.test(text)) return { kind: 'clear' }
  if (cancelBooking.test(text)) return { kind: 'cancel-booking' }
  if (changeBooking.test(text)) return { kind: 'change-booking' }
  if (remove.test(text)) return { kind: 'remove' }
  return undefined
}

const booking = /\b(?:book|confirm|check ?out|buy|pay|purchase|reserve)\b/i
const newBooking = /\b(?:book|buy|reserve|confirm) (?:me |us )?(?:an? |some |another |(?:the )?(?:cheap|direct)\w* )/i
const whatIsBooked =
  /\bwhat (?:have|did) (?:i|we) (?:book|buy|bought|order)|\b(?:where|what|show|see|which|check)\b.*\b(?:my|our) (?:bookings?|reservations?|reference)\b/i
const keptAlready = /^\W*(?:(?:ok|okay|yes|please),? )*(?:add|take|keep|choose) (?:it|that|this)\W*(?:please)?\W*$/i
const asksHowToPay = /\b(?:can|could|may|do|must|should) (?:i|we) (?:have to |need to )?pay\b/i
const whenIsIt = /\bwhen (?:do|does|is|will|are) (?:it|we|i|(?:my|our|the) (?:flight|plane|ship|cruise|trip))\b/i
const howTo = /\bhow (?:do|can|should) (?:i|we)\b/i

/** What is chosen, booked or looked at of what there is. */
function basketChangeIn(text: string, soFar: SoFar, today: string): Wish | undefined {
  if (howTo.test(text) || asksHowToPay.test(text)) return undefined
  const chosen = choiceIn(text, soFar, today)
  const isBooking = booking.test(text) && !newBooking.test(text)
  if (chosen?.kind === 'add')
    return { ...chosen, thenBook: booking.test(text), replaces: replacedBy(chosen, text, soFar) }
  if (chosen !== undefined) return chosen
  if (whatIsBooked.test(text)) return { kind: 'package' }
  const hasItems = (packageNow(soFar)?.items.length ?? 0) > 0
  if (whenIsIt.test(text) && (hasItems || soFar.shown === undefined)) return { kind: 'package' }
  if (hasItems && keptAlready.test(text)) return { kind: 'package' }
  const { destination, origin, among, unknown } = placesIn(text)
  const hasPlace = [destination, origin, among, unknown].some((place) => place !== undefined)
  if (isBooking && !(hasPlace && isSearch(text))) return { kind: 'book' }
  if (itinerary.test(text)) return { kind: 'itinerary' }
  return basket.test(text) ? { kind: 'package' } : undefined
}

const corrects =
  /^\W*(?:no|nope|sorry|oops|actually|rather|i meant|i mean|not that)\b|\binstead\b|\b(?:change|swap|switch|replace)\b/i

/** What was added last, when this comes in its place. */
function replacedBy({ items }: Extract<Wish, { kind: 'add' }>, text: string, soFar: SoFar): string[] | undefined {
  if (soFar.last !== 'package' || !corrects.test(text)) return undefined
  const others = addedLast(soFar).filter(({ type, itemId }) => {
    return items.some((item) => item.type === type) && !items.some((item) => itemIdOf(item) === itemId)
  })
  return others.length === 0 ? undefined : others.map(({ itemId }) => itemId)
}

/** Talk that may look like a search: “what can you do?”. With a place it is one. */
function politeTalkIn(text: string): Wish | undefined {
  const talk = smallTalkIn(text)
  const isPolite = talk !== undefined && talk !== 'yes' && talk !== 'no' && talk !== 'hello' && talk !== 'praise'
  const { destination, among } = placesIn(text)
  return isPolite && destination === undefined && among === undefined ? { kind: 'talk', talk } : undefined
}

function talkIn(text: string): Wish | undefined {
  const talk = smallTalkIn(text)
  return talk === undefined ? undefined : { kind: 'talk', talk }
}

const kinds: readonly (readonly [NonNullable<Search['kind']>, RegExp])[] = [
  ['cruises', /\bcruis(?:es?|ing)\b|\bships?\b/i],
  [
    'hotels',
    /\bhotels?\b|\bstay(?:ing)?\b|\bsleep\b|\baccommodation\b|\brooms?\b|\bsomewhere to stay\b|\bapartments?\b/i,
  ],
  [
    'research',
    /\bresearch\b|\b(?:tell me|know|info(?:rmation)?|learn|something) (?:more )?about\b|\bwhat(?: is|'s|’s) .*\blike\b|\b(?:(?:some|any)?things?|what (?:can|to)) .*\b(?:do|see)\b|\bactivit(?:y|ies)\b|\bexcursions?\b|\bweather\b|\bsights?(?:eeing)?\b|\bwhat about things\b|\brestaurants?\b/i,
  ],
  [
    'flights',
    /\bfl(?:y|ying|ights?)\b|\bplanes?\b|\bcheapest\b|\bdirect\b|\bnon-?stop\b|\bget (?:me |us )?to\b|\btickets?\b/i,
  ],
]

const aboutShown =
  /^\W*(?:and )?(?:how (?:long|far|big)|do(?:es)?|is|are|why|which airport)\b.*\b(?:it|that|this|the|they)\b/i
const reversed = /\b(?:flights? )?(?:back|home|return(?:ing)?)\b/i
const onlyKind =
  /^\W*(?:(?:ok|okay|and|then|now|just|show me|the|please|what about|some)\W+)*(?:flights?|hotels?|cruises?)(?:\W+(?:then|please|again))*\W*$/i
const journey =
  /\b(?:go(?:ing)?|travel(?:ling)?|trip|holidays?|vacation|break|getaway|visit(?:ing)?|somewhere|anywhere)\b/i
const placeOnly =
  /^\W*(?:(?:ok|okay|then|and|or|no|maybe|rather),? )*(?:to|in|what about|how about|make it|i meant|i mean)\b/i
const regions = ['Adriatic', 'Aegean', 'Ionian', 'Atlantic', 'Mediterranean', 'Canary', 'Iceland', 'Portugal']

/** True for a text that names what to look for. */
function isSearch(text: string): boolean {
  return kindIn(text) !== undefined
}

function kindIn(text: string): Search['kind'] {
  return kinds.find(([, pattern]) => pattern.test(text))?.[0]
}

/** A new search, or the one before with what was said now: a correction, or the answer to a question. */
function searchIn(text: string, soFar: SoFar, today: string): Wish | undefined {
  const before = soFar.search
  const days = daysIn(text, { today, near: before.date })
  const wrong = days.find(({ date }) => date === undefined)
  if (wrong !== undefined) return { kind: 'no-day', words: wrong.words }
  const said = slotsIn(text, days, before)
  const kind = kindIn(text)
  // What is announced like a place is one where a journey is talked about.
  const isJourney = kind !== undefined || journey.test(text) || placeOnly.test(text)
  const places = isJourney ? placesIn(text) : { ...placesIn(text), unknown: undefined }
  const sortBy = orderIn(text, soFar)
  if (
    soFar.shown?.kind === 'flights' &&
    sortBy !== undefined &&
    (kind ?? 'flights') === 'flights' &&
    places.destination === undefined &&
    days.length === 0
  ) {
    return { kind: 'search', search: { ...before, ...said, kind: 'flights' }, sortBy }
  }
  // A question about what was shown is none for more of it.
  if (soFar.shown !== undefined && kind === soFar.shown.kind && aboutShown.test(text) && isOnlyKind(said, places))
    return undefined
  if (
    reversed.test(text) &&
    before.kind === 'flights' &&
    before.origin !== undefined &&
    places.destination === undefined
  ) {
    return { kind: 'search', search: { ...before, origin: before.destination, destination: before.origin, ...said } }
  }
  // A sea alone, after cruises were looked for, narrows them down.
  if (kind === undefined && before.kind === 'cruises' && regionIn(text) !== undefined)
    return asked('cruises', before, said, places, regionIn(text))
  const named = Object.keys(said).length > 0
  const hasPlace = Object.values(places).some((place) => place !== undefined)
  if (kind === undefined && !named && !hasPlace)
    return journey.test(text) ? asked('flights', before, said, places) : undefined
  if (kind !== undefined) {
    const search = asked(kind, before, said, places, regionFor(kind, text, places))
    const { destination } = before
    // “Flights” alone are those to where one wants to go.
    if (search.kind !== 'search' || destination === undefined || !onlyKind.test(text)) return search
    return { kind: 'search', search: { destination, ...defined(search.search) } }
  }
  const change = hasPlace ? undefined : changeOf(said, soFar)
  if (change !== undefined) return { kind: 'change', ...change }
  if (before.kind === undefined && !journey.test(text) && places.destination !== undefined && !named) {
    return { kind: 'place', place: places.destination }
  }
  // After research “somewhere warm in February” is where to go.
  const again =
    before.kind === undefined || (before.kind === 'research' && journey.test(text)) ? 'flights' : before.kind
  return asked(again, before, said, places, regionFor(again, text, places))
}

/** “Four star hotels with breakfast”. */
function withHotelWishes(text: string, wish: Wish | undefined): Wish | undefined {
  if (wish?.kind !== 'search' || wish.search.kind !== 'hotels' || kindIn(text) !== 'hotels') return wish
  const minStars = numberIn(new RegExp(String.raw`\b${numberWord}[ -]stars?\b`, 'i').exec(text)?.[1])
  const board = boardWords.find(([, words]) => words.test(text))?.[0]
  return { ...wish, search: { ...wish.search, minStars, board } }
}

const boardWords: readonly (readonly [Board, RegExp])[] = [
  ['bed and breakfast', /\bbreakfast\b|\bb&b\b/i],
  ['half board', /\bhalf[ -]board\b|\bdinners?\b/i],
  ['all inclusive', /\ball[ -]inclusive\b/i],
  ['room only', /\broom only\b/i],
]

/** What is in the basket is changed while it is looked at: the party of all of it, the nights and the days of a stay. */
function changeOf({ people, nights, date }: Search, soFar: SoFar): Change | undefined {
  if (soFar.last !== 'package') return undefined
  const isStay = changedLast(soFar).some(({ type }) => type === 'hotel')
  const hasStay = packageNow(soFar)?.items.some(({ type }) => type === 'hotel') === true
  // Other flights are other numbers, times and prices: they are looked for.
  if (date !== undefined) return isStay ? { people, nights, date } : undefined
  if (nights !== undefined) return hasStay ? { people, nights } : undefined
  return people === undefined ? undefined : { people }
}

/** The sea that a text names; cruises to a place, and from one, call there. */
function regionFor(kind: Search['kind'], text: string, places: PlacesNamed): string | undefined {
  return regionIn(text) ?? (kind === 'cruises' ? (places.destination ?? awayOf(places)) : undefined)
}

function isOnlyKind(said: Search, places: PlacesNamed): boolean {
  return Object.keys(said).length === 0 && Object.values(places).every((place) => place === undefined)
}

function awayOf({ origin = '' }: PlacesNamed): string | undefined {
  return destinationNames.includes(origin) ? origin : undefined
}

function asked(
  kind: NonNullable<Search['kind']>,
  before: Search,
  said: Search,
  { origin, destination, among, unknown }: PlacesNamed,
  region?: string,
): Wish {
  const direct = kind === before.kind ? before.directOnly : undefined
  // After a flight back, a new one begins at home again.
  const home = destination !== undefined && destinationNames.includes(before.origin ?? '') ? undefined : before.origin
  const known = { ...(kind === 'flights' ? before : away(before)), origin: home, directOnly: direct }
  const search: Search = { ...known, ...said, ...defined({ origin, destination, region }), kind }
  if (kind !== 'cruises' && among !== undefined)
    return { kind: 'among', names: among, search: { ...search, destination: undefined } }
  if (unknown !== undefined && destination === undefined && (kind !== 'cruises' || region === undefined)) {
    return { kind: 'unknown-place', place: unknown, search }
  }
  // “Fly me somewhere” asks where, also when another place was talked about before.
  const isOpen = destination === undefined && origin === undefined && Object.keys(said).length === 0
  return { kind: 'search', search: isOpen && before.kind === kind ? { ...search, destination: undefined } : search }
}

/** What else is looked for after a flight back is at the place that it leaves. */
function away(before: Search): Search {
  const { origin = '', destination = '' } = before
  if (destinationNames.includes(destination) || !destinationNames.includes(origin)) return before
  return { ...before, destination: origin, date: undefined }
}

/** When, for how many and for how long, as far as it is said. */
function slotsIn(text: string, days: readonly { readonly date: string | undefined }[], before: Search): Search {
  const [first, second] = days.map(({ date }) => date)
  const between =
    first !== undefined && second !== undefined && second > first ? nightsBetween(first, second) : undefined
  const directOnly = /\bdirect\b|\bnon-?stop\b/i.test(text) ? true : undefined
  const more = joiningIn(text)
  const together = more === undefined ? undefined : (before.people ?? defaultPeople) + more
  const people = peopleIn(text) ?? together
  return defined({ date: first, nights: between ?? nightsIn(text), people, directOnly })
}

function orderIn(text: string, { shown }: SoFar) {
  if (shown?.kind !== 'flights') return undefined
  if (
    /\bcheap(?:er|est)\b|\btoo (?:expensive|dear|pricey|much)\b|\b(?:by|sort\w*|order\w*)\b.*\bprice\b|\bless expensive\b/i.test(
      text,
    )
  )
    return 'price' as const
  if (/\bearli(?:er|est)\b|\bsort\w*\b.*\b(?:time|departure)\b/i.test(text)) return 'departure' as const
  return /\b(?:shortest|quickest|fastest)\b/i.test(text) ? ('duration' as const) : undefined
}

function regionIn(text: string): string | undefined {
  return regions.find((region) => text.toLowerCase().includes(region.toLowerCase()))
}

/** The day of the way home that is named with the one of the way there; undefined without one. */
export function wayBackIn(said: string, today: string): string | undefined {
  const text = wordsOf(said)
  const [there] = daysIn(text, { today })
  if (there?.date === undefined) return undefined
  const rest = text.slice(there.index + there.words.length)
  // “Back on Monday” is the one after the way there.
  const back = daysIn(rest, { today: there.date, near: there.date })[0]?.date
  if (back === undefined || back <= there.date) return undefined
  return /\b(?:back|home|return(?:ing)?|until|till|to)\b/i.test(rest) ? back : undefined
}
