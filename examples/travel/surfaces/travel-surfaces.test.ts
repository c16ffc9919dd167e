import { SimulatedClock } from '@cool-ai/beach-core'
import { surfaceToHtml, surfaceToText, validateA2ui } from '@cool-ai/beach-a2ui'
import { a2uiMessages, declaredActions, surfaceProblems, type DeclaredAction } from '@cool-ai/beach-protocol'
import { describe, expect, test } from 'vitest'
import { bookingOf } from '../domain/booking.ts'
import { searchCruises } from '../domain/cruises.ts'
import { searchFlights } from '../domain/flights.ts'
import { searchHotels } from '../domain/hotels.ts'
import { packageOf } from '../domain/package.ts'
import { theDestination } from '../domain/places.ts'
import { actions } from './actions.ts'
import { travelSurfaces } from './travel-surfaces.ts'

const templates = travelSurfaces(new SimulatedClock(Date.UTC(2026, 5, 6)))
const search = { origin: 'London', destination: 'Corfu', date: '2026-08-15', passengers: 3 }
const basket = packageOf([
  { type: 'flight', flightNumber: 'BA 2043', date: '2026-08-15', passengers: 2 },
  { type: 'hotel', hotelId: 'corfu-liston-house', checkIn: '2026-08-15', checkOut: '2026-08-22', guests: 2 },
])
const { activities } = theDestination('Corfu')
const kinds = {
  'flight-results': { ...searchFlights(search), search },
  'hotel-results': searchHotels({ destination: 'Corfu', checkIn: '2026-08-15', checkOut: '2026-08-22', guests: 3 }),
  'cruise-results': searchCruises({ from: '2026-08-01' }),
  'activity-results': { destination: 'Corfu', activities },
  package: basket,
  booking: bookingOf(basket, 'key'),
}
type Kind = keyof typeof kinds

function surfaceFor(kind: string, data: unknown, slotKey = 'some-slot') {
  return templates.surfaceFor({ data, metadata: { partType: 'domain-data', kind, slotKey } })
}

function actionsOf(kind: Kind): DeclaredAction[] {
  return a2uiMessages(surfaceFor(kind, kinds[kind])?.data).flatMap((message) => declaredActions(message))
}

describe.each(Object.keys(kinds) as Kind[])('the surface of %s', (kind) => {
  test('is valid, stands in the slot of its data, and every button says what it is for', () => {
    const surface = surfaceFor(kind, kinds[kind])
    expect(surface?.metadata).toEqual({ partType: 'a2ui-surface', slotKey: 'some-slot' })
    expect(validateA2ui(surface?.data)).toMatchObject({ valid: true, problems: [] })
    expect(surfaceProblems({ data: surface?.data, metadata: { partType: 'a2ui-surface' } })).toEqual([])
    const found = actionsOf(kind)
    expect(found.length).toBeGreaterThan(0)
    for (const { name, label } of found) {
      expect(Object.values(actions)).toContain(name)
      expect(label).toBeDefined()
    }
  })

  test('is not made of something else', () => {
    expect(surfaceFor(kind, { flights: 'none' })).toBeUndefined()
  })
})

test('what a button is about is fixed; when and for how many is the user’s to say', () => {
  const [sort, , , add, book] = actionsOf('flight-results')
  expect(sort).toMatchObject({ name: 'sort_flights', fixed: { ...search, sortBy: 'price' }, bound: [] })
  expect(add).toMatchObject({ name: 'add_flight', fixed: { date: '2026-08-15' }, bound: ['passengers'] })
  expect(book).toMatchObject({ name: 'book_flight', fixed: add?.fixed, bound: ['passengers'] })
  expect(book?.label).toMatch(/^Book: \S+/)
  const [activity] = actionsOf('activity-results')
  expect(activity).toMatchObject({ fixed: { activityId: activities[0]?.activityId }, bound: ['date', 'people'] })
  const [, , total] = actionsOf('package')
  expect(total).toMatchObject({ name: 'book_package', fixed: { packageId: basket.packageId, total: basket.total } })
})

test('nothing found is nothing shown, and an empty basket says so', () => {
  expect(surfaceFor('flight-results', { route: { origin: 'a', destination: 'b' }, flights: [] })).toBeUndefined()
  expect(JSON.stringify(surfaceFor('package', packageOf([]))?.data)).toContain('Your basket is empty.')
})

test.each(['package', 'booking'] as const)('in mail and on phones a %s says when its items are', (kind) => {
  const messages = surfaceFor(kind, kinds[kind])?.data
  for (const shown of [surfaceToText(messages), surfaceToHtml(messages)]) {
    expect(shown).toMatch(/Sat 15 Aug \d\d:\d\d, British Airways, direct, 2 passengers, £/)
    expect(shown).toContain('Sat 15 Aug to Sat 22 Aug, 7 nights')
  }
})
