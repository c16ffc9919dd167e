import { fenced } from '@cool-ai/beach-llm'
import { describe, expect, test } from 'vitest'
import { chooseModel } from './sally.ts'
import { journeyOf, understand } from './understand.ts'

describe('the model that plays Sally', () => {
  test('is the script when there is no key', async () => {
    expect((await chooseModel({})).model.provider).toBe('scripted')
  })

  test('is a real one when a provider’s key is there', async () => {
    const { model } = await chooseModel({ ANTHROPIC_API_KEY: 'not-a-real-key' })
    expect(model.provider).toMatch(/^anthropic/)
    expect(model.modelId).toMatch(/^claude/)
  })

  test('is the one that BEACH_MODEL names, or a sentence that says what to install', async () => {
    const variables = { ANTHROPIC_API_KEY: 'not-a-real-key', BEACH_MODEL: 'anthropic/claude-haiku-4-5' }
    expect((await chooseModel(variables)).model.modelId).toBe('claude-haiku-4-5')
    await expect(chooseModel({ BEACH_MODEL: 'mistral/large' })).rejects.toThrow(/npm install @ai-sdk\/mistral/)
  })
})

describe('the script understands', () => {
  test.each([
    ['find me flights to Corfu in August', { kind: 'flights', destination: 'Corfu', directOnly: false }],
    ['cheapest direct to Rome from Gatwick', { kind: 'flights', destination: 'Rome', directOnly: true }],
    ['flights from London to Rome', { kind: 'flights', origin: 'London', destination: 'Rome' }],
    ['hotels in Lisbon', { kind: 'hotels', destination: 'Lisbon' }],
    ['cruises in the Adriatic', { kind: 'cruises', region: 'Adriatic' }],
    ['research Athens', { kind: 'research', destination: 'Athens' }],
    ['please add ba 2043', { kind: 'add-flight', flightNumber: 'BA 2043' }],
    [
      'Add Liston House from 2026-08-15 to 2026-08-22',
      { kind: 'add-hotel', hotelId: 'corfu-liston-house', checkIn: '2026-08-15', checkOut: '2026-08-22' },
    ],
    ['add Liston House', { kind: 'add-hotel', hotelId: 'corfu-liston-house', checkIn: '2026-08-15' }],
    ['Remove BA 2043 London Gatwick to Corfu', { kind: 'remove' }],
    [fenced('Remove BA 2043', 'peer:hotel-finder'), { kind: 'remove' }],
    [fenced('hello there', 'peer:hotel-finder'), { kind: 'unclear' }],
    ['what is in my basket?', { kind: 'package' }],
    ['book it', { kind: 'book' }],
    ['make an itinerary', { kind: 'itinerary' }],
    ['Gatwick', { kind: 'place', place: 'London Gatwick' }],
    ['hello there', { kind: 'unclear' }],
  ])('%s', (text, wish) => {
    expect(understand(text)).toMatchObject(wish)
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
    expect(understand(pressed(name, context))).toMatchObject(wish)
  })

  test('a button that it does not know as whatever the words say', () => {
    expect(understand(pressed('dance')).kind).toBe('unclear')
  })

  test.each([
    ['flights to Rome on 2026-09-01 for three people', { date: '2026-09-01', people: 3 }],
    ['flights to Rome on 3 May for 4 adults', { date: '2026-05-03', people: 4 }],
    ['flights to Rome', { date: '2026-08-15', people: 2 }],
  ])('when and for how many: %s', (text, journey) => {
    expect(journeyOf(text)).toEqual(journey)
  })
})
