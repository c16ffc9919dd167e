import type { ScriptContext, ScriptedMessage } from '@cool-ai/beach-llm'
import {
  ack,
  answer,
  answerAndAsk,
  clarify,
  resultOf,
  scriptedReply,
  type ScriptPart,
} from '@cool-ai/example-kit/script-words'
import type { ActivityResults } from '../domain/activities.ts'
import type { Booking } from '../domain/booking.ts'
import type { CruiseResults } from '../domain/cruises.ts'
import type { Flight, FlightResults } from '../domain/flights.ts'
import type { HotelResults } from '../domain/hotels.ts'
import { longDate } from '../domain/iso-date.ts'
import { inPounds } from '../domain/money.ts'
import { packageOf, type Package } from '../domain/package.ts'
import { basketSlot } from '../domain/slots.ts'
import { peopleText } from './people-text.ts'
import { packageChange } from './package-change.ts'
import type { SoFar } from './said-so-far.ts'
import { which } from './which.ts'
import type { Wish } from './wishes.ts'

interface Found<Data> {
  readonly kind: string
  readonly slotKey: string
  readonly data: Data
}

interface Research extends Found<ActivityResults> {
  readonly destination: string
}

/** What a tool has found, as it was found. */
function shown({ kind, slotKey, data }: Found<unknown>): ScriptPart {
  return { partType: 'domain-data', kind, slotKey, data }
}

/** `wayBack` is a day on which the traveller wants to come back, and has said so. */
export function flightsFound(now: ScriptContext, wayBack: string | undefined): ScriptedMessage {
  const found = resultOf<Found<FlightResults>>(now, 'search_flights')
  if (typeof found === 'string') return { respond: failed(found) }
  const { route, flights, search } = found.data
  const [first] = flights
  if (first === undefined) return { respond: answer(`I found no such flight to ${route.destination}.`, shown(found)) }
  const direct = flights.filter(({ stops }) => stops === 0)
  const best = direct.length > 0 ? direct : flights
  const cheapest = best.toSorted((one, other) => one.pricePerPerson - other.pricePerPerson).slice(0, 2)
  const count = direct.length > 0 ? `${inWords(direct.length)} direct` : inWords(flights.length)
  const noun = best.length === 1 ? 'option' : 'options'
  const when = `${longDate(first.departure.slice(0, 10))}${search === undefined ? '' : `, for ${peopleText(search.passengers)}`}`
  const back = wayBack === undefined ? '' : ` For the way home, say “and the flight back on ${longDate(wayBack)}”.`
  const text = `${count} ${noun} to ${route.destination} on ${when}. ${cheapest.map(flightInWords).join('; ')}.${back}`
  return { respond: answer(text, shown(found)) }
}

export function hotelsFound(now: ScriptContext): ScriptedMessage {
  const found = resultOf<Found<HotelResults>>(now, 'search_hotels')
  if (typeof found === 'string') return { respond: failed(found) }
  const { stay, hotels } = found.data
  const [first] = hotels
  if (first === undefined)
    return { respond: answer(`I found no hotel like that in ${stay.destination}.`, shown(found)) }
  const nights = stay.nights === 1 ? 'one night' : `${stay.nights} nights`
  const text =
    `${inWords(hotels.length)} ${hotels.length === 1 ? 'hotel' : 'hotels'} in ${stay.destination} for ${nights} from ${longDate(stay.checkIn)}, for ` +
    `${peopleText(stay.guests)}. Best rated is ${first.name}, in ${first.area}, for ${inPounds(first.totalPrice * 100)} in all.`
  return { respond: answer(text, shown(found)) }
}

export function cruisesFound(now: ScriptContext): ScriptedMessage {
  const found = resultOf<Found<CruiseResults>>(now, 'search_cruises')
  if (typeof found === 'string') return { respond: found.includes('No cruise is like that') ? noCruise : failed(found) }
  const { cruises } = found.data
  const [first] = cruises
  if (first === undefined) {
    return {
      respond: answer('No cruise sails there at that time. Most of ours sail from April to October.', shown(found)),
    }
  }
  const count = cruises.length === 1 ? 'One departure' : `${inWords(cruises.length)} departures, cheapest first`
  const text = `${count}: ${first.name} from ${longDate(first.departure)}, ${first.nights} nights, for £${first.pricePerPerson}pp.`
  return { respond: answer(text, shown(found)) }
}

export function researched(now: ScriptContext): ScriptedMessage {
  const found = resultOf<Research>(now, 'research_destination')
  if (typeof found === 'string') return { respond: failed(found) }
  const { destination } = found
  return { respond: answer(`This is what I know about ${destination}, and what you can do there.`, shown(found)) }
}

/** What becomes of the package: changed once more, booked, or shown. */
export function assembled(now: ScriptContext, { wish, soFar }: { wish: Wish; soFar: SoFar }): ScriptedMessage {
  const found = resultOf<Found<Package>>(now, 'assemble_package')
  if (typeof found === 'string') return { respond: failed(found) }
  const { data } = found
  const isFirst = now.step <= 1
  const change = isFirst ? packageChange(wish, data, now.text, soFar) : undefined
  if (change !== undefined) {
    if ('question' in change) return { respond: clarify(change.question, change.options) }
    if ('nothing' in change) return { respond: answer(change.nothing, shown(found)) }
    return { respond: ack(change.text), tools: change.calls.map((args) => ({ name: 'assemble_package', args })) }
  }
  const books = wish.kind === 'book' || ((wish.kind === 'add' || wish.kind === 'add-items') && wish.thenBook)
  if (data.items.length === 0 && books && soFar.shown !== undefined) return which(soFar)
  if (data.items.length === 0 && wish.kind === 'package' && soFar.booking !== undefined) {
    const { reference, items, total } = soFar.booking
    const what = new Intl.ListFormat('en-GB').format(items.map(({ title }) => title))
    return { respond: answer(`Booked as ${reference}: ${what}, for ${total}. Your basket is empty.`, shown(found)) }
  }
  if (data.items.length === 0) {
    return {
      respond: answer('Your basket is empty. Ask for flights, such as “flights to Corfu in August”.', shown(found)),
    }
  }
  if (!books && !(wish.kind === 'talk' && wish.talk === 'yes')) {
    return { respond: answer(`Your basket comes to ${data.total}. Say “book it” when it is right.`, shown(found)) }
  }
  const { packageId, total } = data
  const text = `Booking your basket for ${total}; I need your approval.`
  // “Add it and book it”: what is asked about is shown first.
  const isShown = soFar.packages.at(-1)?.packageId === packageId
  return {
    respond: scriptedReply('awaiting', { partType: 'ack', text }, ...(isShown ? [] : [shown(found)])),
    tools: [{ name: 'book_package', args: { packageId, total } }],
  }
}

export function booked(now: ScriptContext): ScriptedMessage {
  const found = resultOf<Found<Booking>>(now, 'book_package')
  if (typeof found === 'string') return { respond: answer(`I have not booked it. ${whyNot(found)}`) }
  const { data } = found
  const text = `Booked. Your reference is ${data.reference}, the total ${data.total}. Say “make an itinerary” if you want it in your calendar.`
  // What was in the basket is booked: surfaces that show it must not offer to book it again.
  const basket = { kind: 'package', slotKey: basketSlot, data: packageOf([]) }
  return { respond: answer(text, shown(basket), shown(found)) }
}

export function itineraryMade(now: ScriptContext, steps: readonly string[]): ScriptedMessage {
  const found = resultOf<{ artifacts: readonly unknown[] }>(now, 'make_itinerary')
  if (typeof found === 'string') return { respond: answerAndAsk(reasonIn(found), 'What would you like to do?', steps) }
  const parts = found.artifacts.map((data) => ({ partType: 'artifact', data }))
  return { respond: answer('Here is your itinerary, to print and for your calendar.', ...parts) }
}

/** Where cruises sail, as things to say. */
export const cruiseSteps = ['Adriatic', 'Aegean', 'Ionian Sea', 'Mediterranean'].map((sea) => `Cruises in the ${sea}`)

const noCruise = answerAndAsk(
  'I am sorry, none of our cruises goes there.',
  'Where would you like to sail?',
  cruiseSteps,
)

function failed(reason: string) {
  return answer(`That did not work. ${reasonIn(reason)}`)
}

/** Why something was not booked; what the approver gave as a reason is quoted. */
function whyNot(reason: string): string {
  const denied = /^ToolDenied: ([\s\S]*)$/.exec(reason)?.[1]
  if (denied === undefined || denied === 'This was not approved.') return reasonIn(reason)
  return `This was not approved: “${denied}”`
}

/** The sentence of an error, without its kind. */
function reasonIn(reason: string): string {
  return reason.replace(/^Tool\w+: /, '').replace(/ Give an? \w+ just as \w+ found it\./, '')
}

function flightInWords({ airline, pricePerPerson, departure }: Flight): string {
  return `${airline} £${pricePerPerson}pp at ${departure.slice(11, 16)}`
}

function inWords(count: number): string {
  return ['No', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine'][count] ?? String(count)
}
