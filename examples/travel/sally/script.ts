import type { ScriptContext, ScriptedMessage, ScriptRule } from '@cool-ai/beach-llm'
import {
  ack,
  answer,
  answerAndAsk,
  clarify,
  exchangesOf,
  requestAnswer,
  requestAskedAbout,
} from '@cool-ai/example-kit/script-words'
import { defined } from '@cool-ai/beach-core/runtime'
import { addDays, longDate } from '../domain/iso-date.ts'
import { maxPartySize } from '../domain/party.ts'
import { defaultDeparture } from '../domain/today.ts'
import {
  assembled,
  booked,
  cruisesFound,
  cruiseSteps,
  flightsFound,
  hotelsFound,
  itineraryMade,
  researched,
} from './answers.ts'
import { defaultPeople } from './choice.ts'
import { nextSteps } from './next-steps.ts'
import { peopleText } from './people-text.ts'
import { destinationNames } from './place-words.ts'
import { questionAnswer } from './question-answers.ts'
import { nothingSaid, packageNow, withAnswer, type Search, type SoFar } from './said-so-far.ts'
import { notEnglish, notUnderstood, talkAnswer } from './talk.ts'
import { understand, wayBackIn } from './understand.ts'
import { which } from './which.ts'
import type { Wish } from './wishes.ts'

/** Sally without a model: the rules by which the scripted model plays her. */
export function sallyScript(today: () => string): readonly ScriptRule[] {
  const wishOf = (now: ScriptContext) => {
    const soFar = soFarOf(now, today())
    return { wish: understand(now.text, soFar, today()), soFar }
  }
  return [
    {
      when: ({ results }) => results.has('make_itinerary'),
      say: (now) => itineraryMade(now, nextSteps(soFarOf(now, today()))),
    },
    { when: ({ results }) => results.has('book_package'), say: booked },
    { when: ({ results }) => results.has('assemble_package'), say: (now) => assembled(now, wishOf(now)) },
    { when: ({ results }) => results.has('research_destination'), say: researched },
    {
      when: ({ results }) => results.has('search_flights'),
      say: (now) => flightsFound(now, wayBackIn(now.text, today())),
    },
    { when: ({ results }) => results.has('search_hotels'), say: hotelsFound },
    { when: ({ results }) => results.has('search_cruises'), say: cruisesFound },
    {
      when: (now) => requestAskedAbout(now) !== undefined,
      say: (now) => ({ respond: requestAnswer(requestAskedAbout(now) ?? '') }),
    },
    {
      say: (now) => {
        const { wish, soFar } = wishOf(now)
        return begin(wish, soFar, today())
      },
    },
  ]
}

/** What the conversation had come to before the present message. */
function soFarOf(now: Pick<ScriptContext, 'prompt'>, today: string): SoFar {
  return exchangesOf(now)
    .slice(0, -1)
    .reduce((soFar, exchange) => withAnswer(withSaid(soFar, exchange.said, today), exchange), nothingSaid)
}

/** What was asked for counts also when nothing was found yet: the next message may complete it. */
function withSaid(before: SoFar, said: string, today: string): SoFar {
  const wish = understand(said, before, today)
  const soFar = { ...before, undoes: wish.kind === 'undo' && !wish.again, asks: wish.kind === 'question' }
  if (wish.kind === 'search' || wish.kind === 'among') return { ...soFar, search: possible(wish.search, today) }
  if (wish.kind === 'unknown-place') return { ...soFar, search: { ...wish.search, destination: undefined } }
  // Who travels with other people now looks for the rest with them too.
  if (wish.kind === 'change' && wish.people !== undefined)
    return { ...soFar, search: possible({ ...soFar.search, people: wish.people }, today) }
  const people = soFar.undoes ? partyBefore(before) : undefined
  return people === undefined ? soFar : { ...soFar, search: { ...soFar.search, people } }
}

/** The party that the basket was for before the last change, when that changed the party. */
function partyBefore({ packages }: SoFar): number | undefined {
  const [before, now] = packages.slice(-2).map(({ items }) => items.filter(({ type }) => type !== 'hotel'))
  return before?.find(({ itemId, quantity }) => {
    return now?.some((item) => item.itemId === itemId && item.quantity !== quantity)
  })?.quantity
}

/** Without a day that has passed, and people who are too many to travel together: both are refused. */
function possible(search: Search, today: string): Search {
  const { people, date } = search
  const party = people !== undefined && isParty(people) ? people : undefined
  return { ...search, people: party, date: date !== undefined && date >= today ? date : undefined }
}

function isParty(people: number): boolean {
  return people >= 1 && people <= maxPartySize
}

function begin(wish: Wish, soFar: SoFar, today: string): ScriptedMessage {
  switch (wish.kind) {
    case 'search':
      return searching(wish, today)
    case 'add':
      return adding(wish)
    case 'add-items':
      return { respond: ack('Adding it to your basket.'), tools: [assemble({ action: 'add', items: wish.items })] }
    case 'remove-items':
      return {
        respond: ack('Removing that from your basket.'),
        tools: [assemble({ action: 'remove', itemIds: wish.itemIds })],
      }
    case 'sort-flights':
      return { respond: ack('Sorting them.'), tools: [{ name: 'search_flights', args: wish.search }] }
    case 'package':
    case 'remove':
    case 'clear':
    case 'undo':
    case 'change':
    case 'book':
      return { tools: [assemble({ action: 'view' })] }
    case 'itinerary':
      return { respond: ack('Writing your itinerary.'), tools: [{ name: 'make_itinerary', args: {} }] }
    case 'cancel-booking':
      return cancelled(soFar)
    case 'change-booking':
      return (
        bookingKept('changed', soFar) ?? {
          respond: clarify('Nothing is booked yet. What would you like?', nextSteps(soFar)),
        }
      )
    case 'which':
      return which(soFar)
    case 'place':
      return {
        respond: clarify(`What shall I look for in ${wish.place}?`, [
          `Flights to ${wish.place}`,
          `Hotels in ${wish.place}`,
          `Research ${wish.place}`,
        ]),
      }
    case 'unknown-place': {
      if (wish.search.kind === 'cruises') {
        return {
          respond: answerAndAsk(
            `I am sorry, none of our cruises goes to ${wish.place}.`,
            'Where would you like to sail?',
            cruiseSteps,
          ),
        }
      }
      const text = `I am sorry, ExampleTravel does not go to ${wish.place}.`
      return { respond: answerAndAsk(text, 'Which of our destinations would you like?', destinationNames) }
    }
    case 'among':
      return { respond: clarify(`Which one: ${wish.names.join(' or ')}?`, wish.names) }
    case 'no-day':
      return { respond: clarify(`There is no such day as “${wish.words}”. When would you like to travel?`) }
    case 'question':
      return questionAnswer(wish.topic, wish.text, soFar)
    case 'talk':
      return wish.talk === 'yes' ? agreed(soFar, today) : talkAnswer(wish.talk, soFar)
    case 'foreign':
      return notEnglish(soFar)
    case 'unclear':
      return notUnderstood(soFar)
  }
}

/** Where cruises sail, in words. */
function cruiseWaters(region: string): string {
  if (region === 'Canary') return 'around the Canary Islands'
  if (region === 'Iceland' || region === 'Portugal') return `around ${region}`
  return destinationNames.includes(region) ? `that call at ${region}` : `in the ${region}`
}

function assemble(args: unknown) {
  return { name: 'assemble_package', args }
}

/** “Yes” to what was shown last. */
function agreed(soFar: SoFar, today: string): ScriptedMessage {
  if (soFar.last === 'package') return begin({ kind: 'book' }, soFar, today)
  if (soFar.last === 'booking') return begin({ kind: 'itinerary' }, soFar, today)
  return soFar.last === undefined ? talkAnswer('yes', soFar) : which(soFar)
}

function searching({ search, sortBy }: Extract<Wish, { kind: 'search' }>, today: string): ScriptedMessage {
  const { people = defaultPeople, destination, date } = search
  if (!isParty(people)) {
    return {
      respond: clarify(
        `I can book for up to ${maxPartySize} people together, and at least one. How many of you travel?`,
      ),
    }
  }
  if (date !== undefined && date < today)
    return { respond: clarify(`${longDate(date)} has passed. When would you like to travel?`) }
  const day = date ?? defaultDeparture(today)
  switch (search.kind) {
    case 'hotels': {
      if (destination === undefined) return { respond: clarify('Where would you like to stay?', destinationNames) }
      const args = { destination, checkIn: day, checkOut: addDays(day, search.nights ?? 7), guests: people }
      const { minStars, board } = search
      const text = `Looking for hotels in ${destination} from ${longDate(day)}, for ${peopleText(people)}.`
      return { respond: ack(text), tools: [{ name: 'search_hotels', args: defined({ ...args, minStars, board }) }] }
    }
    case 'cruises': {
      const region = search.region ?? destination ?? 'Mediterranean'
      // Most cruises sail in summer: without a day they are looked for over a year.
      const from = date ?? addDays(today, 1)
      const args = { from, ...(date === undefined && { to: addDays(from, 365) }), region, people }
      const unlessNamed =
        search.region === undefined && destination === undefined ? ', unless you name another sea' : ''
      const text = `Looking for cruises ${cruiseWaters(region)}${unlessNamed}.`
      return { respond: ack(text), tools: [{ name: 'search_cruises', args }] }
    }
    case 'research': {
      if (destination === undefined)
        return { respond: clarify('Which destination shall I research?', destinationNames) }
      const args = defined({ destination, date: date && addDays(date, 1), people: search.people })
      return { respond: ack(`Researching ${destination}.`), tools: [{ name: 'research_destination', args }] }
    }
    default:
      return searchingFlights({ ...search, people, date: day }, date !== undefined, sortBy)
  }
}

function searchingFlights(search: Search, saidWhen: boolean, sortBy: string | undefined): ScriptedMessage {
  const { origin = 'Gatwick', destination, date = '', people: passengers, directOnly } = search
  if (destination === undefined) return { respond: clarify('Where would you like to fly to?', destinationNames) }
  if (origin === 'London') {
    return { respond: clarify('Did you mean the flight from Gatwick or Heathrow?', ['Gatwick', 'Heathrow']) }
  }
  const args = { origin, destination, date, passengers, ...(directOnly && { directOnly }), ...(sortBy && { sortBy }) }
  const unlessNamed = saidWhen ? '' : ', unless you name another day'
  const text = `Looking up flights from ${origin} to ${destination} on ${longDate(date)}${unlessNamed}.`
  return { respond: ack(text), tools: [{ name: 'search_flights', args }] }
}

function adding({ items, replaces }: Extract<Wish, { kind: 'add' }>): ScriptedMessage {
  const [item] = items
  const isFlight = item?.type === 'flight' && items.length === 1
  const what = isFlight ? `${item.flightNumber} on ${longDate(item.date)}` : items.length > 1 ? 'them' : 'it'
  const add = assemble({ action: 'add', items })
  if (replaces === undefined) return { respond: ack(`Adding ${what} to your basket.`), tools: [add] }
  const remove = assemble({ action: 'remove', itemIds: replaces })
  return { respond: ack(`Taking ${what} instead.`), tools: [remove, add] }
}

function bookingKept(what: 'cancelled' | 'changed', { booking }: SoFar): ScriptedMessage | undefined {
  if (booking === undefined) return undefined
  const text = `A booking cannot be ${what} in this demo: ${booking.reference} stays as it is. Nothing was charged for it.`
  return { respond: answer(text) }
}

function cancelled(soFar: SoFar): ScriptedMessage {
  const kept = bookingKept('cancelled', soFar)
  if (kept !== undefined) return kept
  const hasItems = (packageNow(soFar)?.items.length ?? 0) > 0
  if (hasItems) return begin({ kind: 'clear' }, soFar, '')
  return { respond: clarify('Nothing is booked, so there is nothing to cancel. What next?', nextSteps(soFar)) }
}
