import type { ScriptContext, ScriptedMessage, ScriptRule } from '@cool-ai/beach-llm'
import { ack, answer, clarify, resultOf, userTexts, type ScriptPart } from '@cool-ai/example-chat-page/script-words'
import type { ActivityResults } from '../domain/activities.ts'
import type { Booking } from '../domain/booking.ts'
import { destinations } from '../domain/data/destinations.ts'
import type { CruiseResults } from '../domain/cruises.ts'
import type { Flight, FlightResults } from '../domain/flights.ts'
import type { HotelResults } from '../domain/hotels.ts'
import { addDays, longDate } from '../domain/iso-date.ts'
import type { Package } from '../domain/package.ts'
import { journeyOf, understand, type Journey, type Wish } from './understand.ts'

interface Found<Data> {
  readonly kind: string
  readonly slotKey: string
  readonly data: Data
}

interface Research extends Found<ActivityResults> {
  readonly destination: string
  readonly sections: readonly { readonly section: string }[]
}

/** What a tool has found, as it was found. */
function shown({ kind, slotKey, data }: Found<unknown>): ScriptPart {
  return { partType: 'domain-data', kind, slotKey, data }
}

const places = destinations.map(({ airport }) => airport.name)

/** Sally without a model: the rules by which the scripted model plays her. */
export const sallyScript: readonly ScriptRule[] = [
  { when: ({ results }) => results.has('make_itinerary'), say: (now) => itineraryMade(now) },
  { when: ({ results }) => results.has('book_package'), say: (now) => booked(now) },
  { when: ({ results }) => results.has('assemble_package'), say: (now) => assembled(now) },
  { when: ({ results }) => results.has('research_destination'), say: (now) => researched(now) },
  { when: ({ results }) => results.has('search_flights'), say: (now) => flightsFound(now) },
  { when: ({ results }) => results.has('search_hotels'), say: (now) => hotelsFound(now) },
  { when: ({ results }) => results.has('search_cruises'), say: (now) => cruisesFound(now) },
  { say: (now) => begin(now) },
]

function begin({ text, prompt }: ScriptContext): ScriptedMessage {
  const wish = understand(text)
  // An answer to a question that Sally asked, such as "Gatwick", belongs to what was asked before.
  if (wish.kind === 'place') {
    const before = userTexts({ prompt }).at(-2)
    if (before !== undefined) return start(completed(understand(before), wish.place), journeyOf(before))
  }
  return start(wish, journeyOf(text))
}

function start(wish: Wish, { date, people }: Journey): ScriptedMessage {
  switch (wish.kind) {
    case 'flights': {
      const { origin = 'Gatwick', destination, directOnly } = wish
      if (destination === undefined) return { respond: clarify('Where would you like to fly to?', places) }
      if (origin === 'London') {
        return { respond: clarify('Did you mean the flight from Gatwick or Heathrow?', ['Gatwick', 'Heathrow']) }
      }
      const args = { origin, destination, date, passengers: people, directOnly }
      return {
        respond: ack(`Looking up flights from ${origin} to ${destination} on ${longDate(date)}.`),
        tools: [{ name: 'search_flights', args }],
      }
    }
    case 'hotels': {
      const { destination } = wish
      if (destination === undefined) return { respond: clarify('Where would you like to stay?', places) }
      const args = { destination, checkIn: date, checkOut: addDays(date, 7), guests: people }
      return { respond: ack(`Looking for hotels in ${destination}.`), tools: [{ name: 'search_hotels', args }] }
    }
    case 'cruises':
      return {
        respond: ack(`Looking for cruises: ${wish.region}.`),
        tools: [{ name: 'search_cruises', args: { from: date, region: wish.region } }],
      }
    case 'research': {
      const { destination } = wish
      if (destination === undefined) return { respond: clarify('Which destination shall I research?', places) }
      const tools = [{ name: 'research_destination', args: { destination } }]
      return { respond: ack(`Researching ${destination}; this has a few sections.`), tools }
    }
    case 'add-flight': {
      const item = { type: 'flight', flightNumber: wish.flightNumber, date, passengers: people }
      return {
        respond: ack(`Adding ${wish.flightNumber} to your package.`),
        tools: [{ name: 'assemble_package', args: { action: 'add', items: [item] } }],
      }
    }
    case 'add-hotel': {
      const { hotelId, checkIn, checkOut = addDays(checkIn, 7) } = wish
      const item = { type: 'hotel', hotelId, checkIn, checkOut, guests: people }
      return {
        respond: ack('Adding the hotel to your package.'),
        tools: [{ name: 'assemble_package', args: { action: 'add', items: [item] } }],
      }
    }
    case 'add-items':
      return {
        respond: ack('Adding it to your package.'),
        tools: [{ name: 'assemble_package', args: { action: 'add', items: wish.items } }],
      }
    case 'remove-items':
      return {
        respond: ack('Removing that from your package.'),
        tools: [{ name: 'assemble_package', args: { action: 'remove', itemIds: wish.itemIds } }],
      }
    case 'sort-flights':
      return { respond: ack('Sorting them.'), tools: [{ name: 'search_flights', args: wish.search }] }
    case 'package':
    case 'remove':
    case 'book':
      return { tools: [{ name: 'assemble_package', args: { action: 'view' } }] }
    case 'itinerary':
      return { respond: ack('Writing your itinerary.'), tools: [{ name: 'make_itinerary', args: {} }] }
    default:
      return { respond: answer(help) }
  }
}

const help =
  'I am Sally of ExampleTravel. Ask me for flights (“find me flights to Corfu in August”), hotels, cruises, or research ' +
  'on a destination; say “add BA 2043” to put a flight into your package, “book it” when you are happy, and “make an ' +
  'itinerary” for a calendar and a page to print. I play from a script here: with a provider’s key in the environment a ' +
  'real model takes my place.'

function completed(wish: Wish, place: string): Wish {
  switch (wish.kind) {
    case 'flights':
      return wish.destination === undefined ? { ...wish, destination: place } : { ...wish, origin: place }
    case 'hotels':
    case 'research':
      return { ...wish, destination: place }
    default:
      return { kind: 'flights', destination: place, directOnly: false }
  }
}

function flightsFound(now: ScriptContext): ScriptedMessage {
  const found = resultOf<Found<FlightResults>>(now, 'search_flights')
  if (typeof found === 'string') return { respond: failed(found) }
  const { data } = found
  const direct = data.flights.filter(({ stops }) => stops === 0)
  const best = direct.length > 0 ? direct : data.flights
  const cheapest = best.toSorted((one, other) => one.pricePerPerson - other.pricePerPerson).slice(0, 2)
  const count = direct.length > 0 ? `${inWords(direct.length)} direct` : inWords(data.flights.length)
  const noun = best.length === 1 ? 'option' : 'options'
  const text = `${count} ${noun} to ${data.route.destination}. ${cheapest.map(flightInWords).join('; ')}.`
  return { respond: answer(text, shown(found)) }
}

function hotelsFound(now: ScriptContext): ScriptedMessage {
  const found = resultOf<Found<HotelResults>>(now, 'search_hotels')
  if (typeof found === 'string') return { respond: failed(found) }
  const [first] = found.data.hotels
  const text = first === undefined ? 'I found no hotel for that.' : `Best rated is ${first.name}, in ${first.area}.`
  return { respond: answer(text, shown(found)) }
}

function cruisesFound(now: ScriptContext): ScriptedMessage {
  const found = resultOf<Found<CruiseResults>>(now, 'search_cruises')
  if (typeof found === 'string') return { respond: failed(found) }
  const count = found.data.cruises.length
  const text = count === 0 ? 'There is no cruise like that.' : `${inWords(count)} cruises, cheapest first.`
  return { respond: answer(text, shown(found)) }
}

function researched(now: ScriptContext): ScriptedMessage {
  const found = resultOf<Research>(now, 'research_destination')
  if (typeof found === 'string') return { respond: failed(found) }
  const { destination, sections } = found
  const summary = `${destination} in ${sections.length} sections: ${sections.map(({ section }) => section).join(', ')}.`
  return { respond: answer(`${summary} Below is what you can do there.`, shown(found)) }
}

function assembled(now: ScriptContext): ScriptedMessage {
  const found = resultOf<Found<Package>>(now, 'assemble_package')
  if (typeof found === 'string') return { respond: failed(found) }
  const { data } = found
  const wish = understand(now.text)
  const unwanted = wish.kind === 'remove' ? data.items.filter((item) => isNamed(item, now.text)) : []
  if (unwanted.length > 0) {
    const args = { action: 'remove', itemIds: unwanted.map(({ itemId }) => itemId) }
    return { respond: ack('Removing that from your package.'), tools: [{ name: 'assemble_package', args }] }
  }
  if (data.items.length === 0) {
    return { respond: answer('Your package is empty. Add a flight, such as “add BA 2043”.', shown(found)) }
  }
  if (wish.kind !== 'book' && !(wish.kind === 'add-items' && wish.thenBook))
    return { respond: answer(`Your package comes to ${data.total}. Say “book it” when it is right.`, shown(found)) }
  const { packageId, total } = data
  return {
    respond: ack(`Booking your package for ${total}; I need your approval.`),
    tools: [{ name: 'book_package', args: { packageId, total } }],
  }
}

/** True when the text names an item: by its title, or by the number of its flight. */
function isNamed({ title, type }: Package['items'][number], text: string): boolean {
  const words = text.toLowerCase()
  const flightNumber = type === 'flight' ? /^[A-Z0-9]{2} ?\d{3,4}/.exec(title)?.[0] : undefined
  return [title, flightNumber].some((name) => name !== undefined && words.includes(name.toLowerCase()))
}

function booked(now: ScriptContext): ScriptedMessage {
  const found = resultOf<Found<Booking>>(now, 'book_package')
  if (typeof found === 'string')
    return { respond: answer(`I have not booked it. ${found.replace('ToolDenied: ', '')}`) }
  const { data } = found
  const text = `Booked. Your reference is ${data.reference}, the total ${data.total}. Say “make an itinerary” if you want it in your calendar.`
  return { respond: answer(text, shown(found)) }
}

function itineraryMade(now: ScriptContext): ScriptedMessage {
  const found = resultOf<{ artifacts: readonly unknown[] }>(now, 'make_itinerary')
  if (typeof found === 'string') return { respond: failed(found) }
  const parts = found.artifacts.map((data) => ({ partType: 'artifact', data }))
  return { respond: answer('Here is your itinerary, to print and for your calendar.', ...parts) }
}

function failed(reason: string) {
  return answer(`That did not work. ${reason}`)
}

function flightInWords({ airline, pricePerPerson, departure }: Flight): string {
  return `${airline} £${pricePerPerson}pp at ${departure.slice(11, 16)}`
}

function inWords(count: number): string {
  return ['No', 'One', 'Two', 'Three', 'Four', 'Five', 'Six'][count] ?? String(count)
}
