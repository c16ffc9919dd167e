import type { ScriptedMessage } from '@cool-ai/beach-llm'
import { answer, answerAndAsk, clarify } from '@cool-ai/example-kit/script-words'
import { findService } from '../domain/flight-schedule.ts'
import { inPounds } from '../domain/money.ts'
import { researchSections } from '../domain/research.ts'
import { nextSteps } from './next-steps.ts'
import { destinationNames, placesIn } from './place-words.ts'
import { money, type Topic } from './questions.ts'
import { packageNow, type SoFar } from './said-so-far.ts'

const next = 'What would you like to do?'

/** The answer to a question: from what the demo knows, or that it does not know. */
export function questionAnswer(topic: Topic, text: string, soFar: SoFar): ScriptedMessage {
  return { respond: answered(topic, text, soFar) }
}

function answered(topic: Topic, text: string, soFar: SoFar) {
  const steps = nextSteps(soFar)
  const say = (words: string, options: readonly string[] = steps) => answerAndAsk(words, next, options)
  switch (topic) {
    case 'cheaper':
      return cheaper(soFar, say)
    case 'budget':
      return withinBudget(text, soFar, say)
    case 'advice':
      return advice(soFar, say)
    case 'meals':
    case 'stars':
    case 'of-hotels':
      return say(ofHotels(topic, soFar))
    case 'of-flights':
      return say(flightFacts)
    case 'class': {
      const { destination } = placesIn(text)
      const words = 'Each flight here has one fare, and no other class to choose. The price that you see is all of it.'
      return say(words, destination === undefined ? steps : [`Flights to ${destination}`])
    }
    case 'duration':
      return say(durations(soFar))
    case 'sending':
      return say(sending(soFar))
    case 'paying':
      return say('Nothing is paid in this demo: a booking needs only your approval, and no money is taken.')
    case 'cancelling':
      return say('A booking cannot be cancelled in this demo, but nothing is charged for it either.')
    case 'offers':
      return say(
        'There are no special offers. All fares and rates are in the lists, and “the cheapest one” takes the best.',
      )
    case 'contact':
      return say('ExampleTravel is a demo without an office or a telephone. I am here at any time.')
    case 'entry':
      return say('I do not know about that. Your government’s travel advice does.')
    case 'not-sold':
      return say('I have flights, hotels, cruises and things to do, but not that.')
    case 'transfer':
      return say(transfer(text, soFar))
    case 'changing-day':
      return changingDay(soFar)
  }
}

type Say = (words: string, options?: readonly string[]) => ReturnType<typeof answer>

/** What is shown, as names with prices for everybody. */
function offers({ shown, search }: SoFar): readonly { readonly name: string; readonly pounds: number }[] {
  const { people = 2 } = search
  switch (shown?.kind) {
    case undefined:
      return []
    case 'flights':
      return shown.data.flights.map(({ airline, flightNumber, pricePerPerson }) => {
        return { name: `${airline} ${flightNumber}`, pounds: pricePerPerson * people }
      })
    case 'hotels':
      return shown.data.hotels.map(({ name, totalPrice }) => ({ name, pounds: totalPrice }))
    case 'cruises':
      return shown.data.cruises.map(({ name, pricePerPerson }) => ({ name, pounds: pricePerPerson * people }))
    case 'activities':
      return shown.data.activities.map(({ name, pricePerPerson }) => ({ name, pounds: pricePerPerson * people }))
  }
}

function byPrice(soFar: SoFar) {
  const sorted = offers(soFar).toSorted((one, other) => one.pounds - other.pounds)
  // A cruise has several departures.
  return sorted.filter(({ name }, index) => sorted.findIndex((each) => each.name === name) === index)
}

function priced({ name, pounds }: { readonly name: string; readonly pounds: number }): string {
  return `${name} for ${inPounds(pounds * 100)}`
}

const list = new Intl.ListFormat('en-GB')

function cheaper(soFar: SoFar, say: Say) {
  const [cheapest, ...others] = byPrice(soFar)
  if (cheapest === undefined) return say('I have nothing cheaper.')
  const isTaken = packageNow(soFar)?.items.some(({ title }) => title.includes(cheapest.name)) === true
  if (isTaken) return say(`${cheapest.name} is the cheapest that I have. Another day may cost less.`)
  const then = others.length === 0 ? '' : `, then ${list.format(others.slice(0, 2).map(priced))}`
  return say(`The cheapest is ${priced(cheapest)} in all${then}. Another day may cost less.`, [
    `Add ${cheapest.name}`,
    ...nextSteps(soFar).slice(-2),
  ])
}

function withinBudget(text: string, soFar: SoFar, say: Say) {
  const [, before, after] = money.exec(text) ?? []
  const limit = Number((before ?? after ?? '0').replaceAll(',', ''))
  const [cheapest, ...others] = byPrice(soFar)
  if (cheapest === undefined) {
    return say('I cannot search by price. Look for something, then ask again, and I say what is within your budget.')
  }
  const within = [cheapest, ...others].filter(({ pounds }) => pounds <= limit)
  if (within.length === 0)
    return say(`Nothing of this list is within £${limit} in all: the cheapest is ${priced(cheapest)}.`)
  const options = within.slice(0, 4).map(({ name }) => `Add ${name}`)
  return say(`Within £${limit} in all: ${list.format(within.slice(0, 4).map(priced))}.`, options)
}

function advice(soFar: SoFar, say: Say) {
  const { shown } = soFar
  if (shown?.kind === 'hotels') {
    const [best] = shown.data.hotels.toSorted((one, other) => other.rating - one.rating)
    if (best !== undefined)
      return say(`Guests like ${best.name} in ${best.area} best: ${best.rating} out of ten.`, [
        `Add ${best.name}`,
        'Add the cheapest one',
      ])
  }
  const [cheapest] = byPrice(soFar)
  if (shown?.kind === 'flights') {
    const direct = shown.data.flights.filter(({ stops }) => stops === 0)
    const best = direct.toSorted((one, other) => one.pricePerPerson - other.pricePerPerson)[0]
    if (best !== undefined) {
      const name = `${best.airline} ${best.flightNumber}`
      return say(`I would take ${name}: the cheapest that is direct, at ${best.departure.slice(11, 16)}.`, [
        `Add ${name}`,
        ...nextSteps(soFar).slice(-2),
      ])
    }
  }
  if (cheapest !== undefined) return say(`The cheapest is ${priced(cheapest)} in all.`, [`Add ${cheapest.name}`])
  return answerAndAsk(
    'Corfu is for swimming and walks, Rome and Athens for old stones, Reykjavik for a real change, and Tenerife is warm all year.',
    'Where would you like to go?',
    destinationNames,
  )
}

const flightFacts =
  'Of a flight I know number, airline, times, stops and the price per person. Ask the airline for the rest.'

/** What is known of the hotels that are shown, or of the one in the basket. */
function ofHotels(topic: 'meals' | 'stars' | 'of-hotels', soFar: SoFar): string {
  const { shown, last } = soFar
  const stay = packageNow(soFar)?.items.find(({ type }) => type === 'hotel')
  if (topic === 'meals' && stay !== undefined && (last === 'package' || shown?.kind !== 'hotels'))
    return `${stay.title} in your basket is ${stay.details.split(', ').at(-1)}.`
  if (shown?.kind === 'flights') return flightFacts
  if (shown?.kind !== 'hotels') return 'I do not know that. Of hotels I know area, stars, meals, rating and price.'
  const { hotels } = shown.data
  if (topic === 'meals') return `${list.format(hotels.map(({ name, board }) => `${name} is ${board}`))}.`
  if (topic === 'stars') return `${list.format(hotels.map(({ name, stars }) => `${name} has ${stars} stars`))}.`
  const areas = list.format(hotels.map(({ name, area }) => `${name} is in ${area}`))
  return `I know area, stars, meals, rating and price of a hotel, and nothing else. ${areas}.`
}

function durations(soFar: SoFar): string {
  const flights =
    soFar.shown?.kind === 'flights' ? soFar.shown.data.flights.map(({ flightNumber }) => flightNumber) : []
  const chosen = packageNow(soFar)?.items.flatMap(({ type, itemId }) =>
    type === 'flight' ? [itemId.split(':')[1] ?? ''] : [],
  )
  const numbers = soFar.last === 'package' && chosen !== undefined && chosen.length > 0 ? chosen : flights
  const services = numbers.flatMap((number) => findService(number) ?? [])
  if (services.length > 0)
    return `${list.format(services.map(({ flightNumber, minutes }) => `${flightNumber} takes ${hours(minutes)}`))}.`
  if (soFar.shown?.kind === 'cruises')
    return `${list.format([...new Set(soFar.shown.data.cruises.map(({ name, nights }) => `${name} takes ${nights} nights`))])}.`
  if (soFar.shown?.kind === 'activities')
    return `${list.format(soFar.shown.data.activities.map(({ name, minutes }) => `${name} takes ${hours(minutes)}`))}.`
  return 'Look for flights or cruises, and I can say how long they take.'
}

function hours(minutes: number): string {
  const rest = minutes % 60
  const whole = Math.floor(minutes / 60)
  return whole === 0 ? `${rest} minutes` : `${whole} h${rest === 0 ? '' : ` ${rest} min`}`
}

function sending(soFar: SoFar): string {
  const hasItems = (packageNow(soFar)?.items.length ?? 0) > 0 || soFar.booking !== undefined
  const files = hasItems
    ? 'Say “make an itinerary”, and you get files to send on.'
    : 'When something is in your basket, I can make an itinerary: files to send on.'
  return `I answer where you write to me, and cannot write elsewhere. ${files}`
}

function transfer(text: string, { search, shown }: SoFar): string {
  const place =
    destinationNames.find((name) => text.includes(name)) ??
    [search.destination, search.origin].find((name) => destinationNames.includes(name ?? ''))
  const known = place ?? (shown?.kind === 'activities' ? shown.data.destination : undefined)
  if (known === undefined) return 'Tell me where you go, and I can say how to get around there.'
  return researchSections(known, ['logistics'])[0]?.text ?? ''
}

function changingDay(soFar: SoFar) {
  const { kind, date } = soFar.search
  if (soFar.booking !== undefined && (packageNow(soFar)?.items.length ?? 0) === 0)
    return answer(`A booking cannot be changed in this demo: ${soFar.booking.reference} stays as it is.`)
  const isKnown = kind !== undefined && date !== undefined
  return clarify(
    'Which day would you like instead?',
    isKnown ? ['A day earlier', 'A day later', 'A week later'] : undefined,
  )
}
