import { spoken } from '@cool-ai/example-chat-page/script-words'
import { findAirports, placeWords } from '../domain/places.ts'
import { destinations } from '../domain/data/destinations.ts'
import { origins } from '../domain/data/origins.ts'
import { pressedWish, type PressedWish } from './pressed.ts'

/** What the traveller wants, as far as a script understands it. */
export type Wish =
  | {
      readonly kind: 'flights'
      readonly origin?: string | undefined
      readonly destination?: string | undefined
      readonly directOnly: boolean
    }
  | { readonly kind: 'hotels'; readonly destination?: string | undefined }
  | { readonly kind: 'cruises'; readonly region: string }
  | { readonly kind: 'research'; readonly destination?: string | undefined }
  | { readonly kind: 'add-flight'; readonly flightNumber: string }
  | {
      readonly kind: 'add-hotel'
      readonly hotelId: string
      readonly checkIn: string
      readonly checkOut?: string | undefined
    }
  | { readonly kind: 'remove' }
  | { readonly kind: 'package' }
  | PressedWish
  | { readonly kind: 'place'; readonly place: string }
  | { readonly kind: 'unclear' }

/** When and for how many; the script's defaults for what the traveller did not say. */
export interface Journey {
  readonly date: string
  readonly people: number
}

const months = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
]
const numbers = ['one', 'two', 'three', 'four', 'five', 'six']
const defaultDate = '2026-08-15'

/** Reads a message for what is wanted. Not clever: a real model takes this place as soon as there is a key. */
export function understand(said: string): Wish {
  const text = wordsOf(said)
  const pressed = pressedWish(said.slice(0, 20_000))
  if (pressed !== undefined) return pressed
  const flight = /\b([A-Za-z]{2} ?\d{3,4})\b/.exec(text)?.[1]
  if (/^\W*(?:please )?(?:remove|drop|take out)\b/i.test(text)) return { kind: 'remove' }
  if (/\bbook\b|\bconfirm\b/i.test(text)) return { kind: 'book' }
  if (/\bitinerary\b|\bcalendar\b/i.test(text)) return { kind: 'itinerary' }
  if (/\badd\b|\btake\b|\bchoose\b|\bwant\b/i.test(text)) {
    const hotelId = hotelIn(text)
    if (hotelId !== undefined) return { kind: 'add-hotel', hotelId, ...stayIn(text) }
    if (flight !== undefined) return { kind: 'add-flight', flightNumber: flight.toUpperCase() }
  }
  if (/\bbasket\b|\bpackage\b/i.test(text)) return { kind: 'package' }
  const places = placesIn(text)
  const { destination } = places
  if (/\bhotels?\b|\bstay\b/i.test(text)) return { kind: 'hotels', destination }
  if (/\bcruises?\b/i.test(text)) return { kind: 'cruises', region: regionIn(text) ?? destination ?? 'Mediterranean' }
  if (/\bresearch\b|\babout\b|\bwhat is .* like\b/i.test(text)) return { kind: 'research', destination }
  if (/\bfl(?:y|ights?)\b|\bcheapest\b|\bdirect\b/i.test(text)) {
    return { kind: 'flights', ...places, directOnly: /\bdirect\b|\bnon-?stop\b/i.test(text) }
  }
  const place = places.origin ?? places.destination
  return place === undefined ? { kind: 'unclear' } : { kind: 'place', place }
}

/** The day and the number of people of a message. */
export function journeyOf(said: string): Journey {
  const text = wordsOf(said)
  return { date: dateIn(text), people: peopleIn(text) }
}

/** What was said. A script that looks at every word of a book keeps everybody else waiting. */
function wordsOf(said: string): string {
  return spoken(said.slice(0, 20_000)).slice(0, 2_000)
}

/** The places of the data set that the message names: at the most one to leave from and one to go to. */
function placesIn(text: string): { origin: string | undefined; destination: string | undefined } {
  const words = new Set(placeWords(text))
  const named = (names: readonly string[]) => names.find((name) => placeWords(name).some((word) => words.has(word)))
  const destination = named(destinations.map(({ airport }) => airport.name))
  const london = words.has('london') ? 'London' : undefined
  const origin =
    named(origins.map(({ name }) => name).filter((name) => !/london/i.test(name))) ?? airportIn(text) ?? london
  return { origin, destination }
}

function airportIn(text: string): string | undefined {
  const codes = new Set(origins.map(({ code }) => code))
  const code = /\b[A-Z]{3}\b/.exec(text)?.[0]
  if (code !== undefined && codes.has(code)) return code
  const found = placeWords(text).flatMap((word) => {
    const [airport, ...others] = word === 'london' ? [] : findAirports(word)
    return airport !== undefined && others.length === 0 && codes.has(airport.code) ? [airport.name] : []
  })
  return found[0]
}

const regions = ['Adriatic', 'Aegean', 'Atlantic', 'Mediterranean', 'Norway', 'Greece', 'Croatia']

function regionIn(text: string): string | undefined {
  return regions.find((region) => text.toLowerCase().includes(region.toLowerCase()))
}

function hotelIn(text: string): string | undefined {
  const words = text.toLowerCase()
  const hotels = destinations.flatMap((destination) => destination.hotels)
  return hotels.find(({ name }) => words.includes(name.toLowerCase()))?.hotelId
}

function stayIn(text: string): { checkIn: string; checkOut: string | undefined } {
  const [, checkOut] = text.match(/\b\d{4}-\d{2}-\d{2}\b/g) ?? []
  return { checkIn: dateIn(text), checkOut }
}

function dateIn(text: string): string {
  const iso = /\b\d{4}-\d{2}-\d{2}\b/.exec(text)?.[0]
  if (iso !== undefined) return iso
  const month = months.findIndex((name) => text.toLowerCase().includes(name))
  if (month === -1) return defaultDate
  const day = /\b([12]?\d|3[01])(?:st|nd|rd|th)?\b/.exec(text)?.[1] ?? '15'
  return `2026-${String(month + 1).padStart(2, '0')}-${day.padStart(2, '0')}`
}

function peopleIn(text: string): number {
  const words = /\b(\d{1,2}|one|two|three|four|five|six) (?:people|persons?|adults?|passengers?|of us)\b/i.exec(
    text,
  )?.[1]
  if (words === undefined) return 2
  const spelt = numbers.indexOf(words.toLowerCase())
  return spelt === -1 ? Number(words) : spelt + 1
}
