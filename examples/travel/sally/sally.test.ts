import { fenced } from '@cool-ai/beach-llm'
import { SimulatedClock } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import { chooseModel } from './sally.ts'
import { nothingSaid, type SoFar } from './said-so-far.ts'
import { understand } from './understand.ts'

const clock = new SimulatedClock(Date.UTC(2026, 5, 6))
const today = '2026-06-06'

describe('the model that plays Sally', () => {
  test('is the script when there is no key', async () => {
    expect((await chooseModel({}, clock)).model.provider).toBe('scripted')
  })

  test('is a real one when a provider’s key is there', async () => {
    const { model } = await chooseModel({ ANTHROPIC_API_KEY: 'not-a-real-key' }, clock)
    expect(model.provider).toMatch(/^anthropic/)
    expect(model.modelId).toMatch(/^claude/)
  })

  test('is the one that BEACH_MODEL names, or a sentence that says what to install', async () => {
    const variables = { ANTHROPIC_API_KEY: 'not-a-real-key', BEACH_MODEL: 'anthropic/claude-haiku-4-5' }
    expect((await chooseModel(variables, clock)).model.modelId).toBe('claude-haiku-4-5')
    await expect(chooseModel({ BEACH_MODEL: 'mistral/large' }, clock)).rejects.toThrow(/npm install @ai-sdk\/mistral/)
  })
})

describe('the script understands', () => {
  const wishOf = (text: string, soFar: SoFar = nothingSaid) => understand(text, soFar, today)

  test.each([
    ['find me flights to Corfu in August', { kind: 'flights', destination: 'Corfu', date: '2026-08-15' }],
    ['cheapest direct to Rome from Gatwick', { kind: 'flights', destination: 'Rome', directOnly: true }],
    ['flights from London to Rome', { kind: 'flights', origin: 'London', destination: 'Rome' }],
    ['flights from LHR to FCO', { kind: 'flights', origin: 'London Heathrow', destination: 'Rome' }],
    ['flights from Corfu to Gatwick', { kind: 'flights', origin: 'Corfu', destination: 'London Gatwick' }],
    ['I want to book a flight to Rome', { kind: 'flights', destination: 'Rome' }],
    ['we would like to go to Tenerife for two weeks', { kind: 'flights', destination: 'Tenerife', nights: 14 }],
    ['hotels in Lisbon', { kind: 'hotels', destination: 'Lisbon' }],
    ['a room in Athens from 3 to 6 July for one person', { kind: 'hotels', nights: 3, date: '2026-07-03', people: 1 }],
    ['cruises in the Adriatic', { kind: 'cruises', region: 'Adriatic' }],
    ['research Athens', { kind: 'research', destination: 'Athens' }],
    ['what can we do in Barcelona?', { kind: 'research', destination: 'Barcelona' }],
    ['flights to Rome on 2026-09-01 for three people', { date: '2026-09-01', people: 3 }],
    ['flights to Rome on 3 May for 4 adults', { date: '2027-05-03', people: 4 }],
    ['flights to Rome in February for 4 people', { date: '2027-02-13', people: 4 }],
    ['flights to Rome for my wife and me and two kids', { people: 4 }],
  ])('a search: %s', (text, search) => {
    expect(wishOf(text)).toMatchObject({ kind: 'search', search })
  })

  test.each([
    ['please add ba 2043', { flightNumber: 'BA 2043', date: '2026-08-15', passengers: 2 }],
    ['Add EJ4521 on 2026-08-16 for 4 people', { flightNumber: 'EJ4521', date: '2026-08-16', passengers: 4 }],
    [
      'Add Liston House from 2026-08-15 to 2026-08-22',
      { hotelId: 'corfu-liston-house', checkIn: '2026-08-15', checkOut: '2026-08-22' },
    ],
    ['add Liston House', { hotelId: 'corfu-liston-house', checkIn: '2026-08-15', checkOut: '2026-08-22' }],
    ['Add Boat day to Paxos and Antipaxos', { activityId: 'corfu-paxos-boat', date: '2026-08-16' }],
  ])('a choice: %s', (text, item) => {
    expect(wishOf(text)).toMatchObject({ kind: 'add', items: [item], thenBook: false })
  })

  test.each([
    ['Remove BA 2043 London Gatwick to Corfu', { kind: 'remove' }],
    [fenced('Remove BA 2043', 'peer:hotel-finder'), { kind: 'remove' }],
    [fenced('hello there', 'peer:hotel-finder'), { kind: 'talk', talk: 'hello' }],
    ['add BA 2043 and book it', { kind: 'add', thenBook: true }],
    ['book BA 2043', { kind: 'add', thenBook: true }],
    ['what is in my basket?', { kind: 'package' }],
    ['how much is it?', { kind: 'package' }],
    ['book it', { kind: 'book' }],
    ['please confirm', { kind: 'book' }],
    ['make an itinerary', { kind: 'itinerary' }],
    ['undo', { kind: 'undo' }],
    ['no, cancel that please', { kind: 'undo' }],
    ['cancel my booking', { kind: 'cancel-booking' }],
    ['empty my basket', { kind: 'clear' }],
    ['Corfu', { kind: 'place', place: 'Corfu' }],
    ['flights to Greece', { kind: 'among', names: ['Corfu', 'Athens'] }],
    ['flights to Paris', { kind: 'unknown-place', place: 'Paris' }],
    ['flights to new york in May', { kind: 'unknown-place' }],
    ['flights to Rome on 31 June', { kind: 'no-day', words: '31 June' }],
    ['the first one please', { kind: 'unclear' }],
    ['thanks', { kind: 'talk', talk: 'thanks' }],
    ['what can you do?', { kind: 'talk', talk: 'help' }],
    ['Ich möchte nach Rom fliegen', { kind: 'foreign' }],
    ['asdf', { kind: 'unclear' }],
  ])('%s', (text, wish) => {
    expect(wishOf(text)).toMatchObject(wish)
  })

  const pressed = (name: string, context?: object) =>
    `The user pressed “Add” (action ${name}) on the surface some-slot.${
      context === undefined ? '' : `\n<data origin="a2ui-action">\n${JSON.stringify(context)}\n</data>`
    }`

  test.each([
    [
      'add_flight',
      { flightNumber: 'BA 2043', date: '2026-08-15', passengers: 3.2 },
      { kind: 'add-items', items: [{ type: 'flight', flightNumber: 'BA 2043', passengers: 3 }], thenBook: false },
    ],
    ['book_flight', { flightNumber: 'BA 2043', passengers: 99 }, { items: [{ passengers: 2 }], thenBook: true }],
    ['add_hotel', { hotelId: 'h', checkIn: 'a', checkOut: 'b', guests: 1 }, { items: [{ type: 'hotel', guests: 1 }] }],
    ['add_cruise', { cruiseId: 'c', departure: 'd', people: 4 }, { items: [{ type: 'cruise', people: 4 }] }],
    [
      'add_activity',
      { activityId: 'a', date: '2026-08-16T00:00:00Z', people: 2 },
      { items: [{ type: 'activity', date: '2026-08-16' }] },
    ],
    ['remove_item', { itemId: 'flight:BA2043:2026-08-15' }, { kind: 'remove-items' }],
    ['sort_flights', { origin: 'LGW', sortBy: 'price' }, { kind: 'sort-flights', search: { sortBy: 'price' } }],
    ['book_package', { packageId: 'p', total: '£1' }, { kind: 'book' }],
    ['make_itinerary', undefined, { kind: 'itinerary' }],
  ])('a button: %s', (name, context, wish) => {
    expect(wishOf(pressed(name, context))).toMatchObject(wish)
  })

  test('a button that it does not know as whatever the words say', () => {
    expect(wishOf(pressed('dance')).kind).toBe('unclear')
  })
})
