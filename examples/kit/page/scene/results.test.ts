import { describe, expect, test } from 'vitest'
import { answerBlocks } from '@cool-ai/beach-page/page/scene'
import { basketFold, basketIn, bookingIn, isEmptyPackage } from './basket.ts'
import { flightsIn, sortedFlights } from './flights.ts'
import { hotelsIn, sortedHotels } from './hotels.ts'
import { said } from '@cool-ai/beach-client/view/parts.test-helper'
import { weekIn } from './week.ts'

const flight = (flightNumber: string, price: number, departs: string, arrives: string) => ({
  flightNumber,
  airline: 'Air',
  departure: `2026-08-15T${departs}:00`,
  arrival: `2026-08-15T${arrives}:00`,
  pricePerPerson: price,
  currency: 'GBP',
  stops: 0,
})
const results = {
  route: { origin: 'London Gatwick', destination: 'Corfu' },
  flights: [flight('A', 187, '08:45', '14:20'), flight('B', 94, '06:15', '12:00'), flight('C', 157, '12:25', '20:05')],
}

describe('flights', () => {
  test.each([
    ['given', 'ABC'],
    ['price', 'BCA'],
    ['departure', 'BAC'],
    ['duration', 'ABC'],
  ] as const)('by %s', (order, expected) => {
    const sorted = sortedFlights(flightsIn(results) ?? [], order)
    expect(sorted.map(({ flightNumber }) => flightNumber).join('')).toBe(expected)
  })

  test('have the route of the search unless they name their own', () => {
    const [one, two] =
      flightsIn({ ...results, flights: [results.flights[0], { ...results.flights[1], from: 'LHR' }] }) ?? []
    expect([one?.from, two?.from, one?.to]).toEqual(['London Gatwick', 'LHR', 'Corfu'])
  })

  test.each([
    ['no object', 'x'],
    ['no flights', { flights: [] }],
    ['one without a price', { flights: [...results.flights, { ...results.flights[0], pricePerPerson: '94' }] }],
    ['something that is no flight', { flights: [null] }],
  ])('are not found in %s', (_, data) => {
    expect(flightsIn(data)).toBeUndefined()
  })
})

test('hotels by rating or price', () => {
  const hotel = (hotelId: string, rating: number, totalPrice: number) => ({
    hotelId,
    name: hotelId,
    area: 'Old Town',
    destination: 'Corfu',
    rating,
    pricePerNight: totalPrice / 7,
    totalPrice,
  })
  const hotels = hotelsIn({ stay: { nights: 7 }, hotels: [hotel('a', 8, 700), hotel('b', 9, 900)] }) ?? []
  expect(hotels[0]).toMatchObject({ place: 'Old Town, Corfu', nights: 7 })
  expect(sortedHotels(hotels, 'rating').map(({ hotelId }) => hotelId)).toEqual(['b', 'a'])
  expect(sortedHotels(hotels, 'price').map(({ hotelId }) => hotelId)).toEqual(['a', 'b'])
  expect(hotelsIn({ hotels: [{ name: 'x' }] })).toBeUndefined()
})

describe('the basket', () => {
  const item = { itemId: 'flight:1', type: 'flight', title: 'BA 2043', totalPence: 37_400 }
  const filled = { items: [item], total: '£374.00' }
  const packaged = (data: unknown) => said('domain-data', { data, kind: 'package' })

  test('is the last package that was told of, and the same object until there is another', () => {
    const basketOf = basketFold()
    expect(basketOf([])).toBeUndefined()
    const parts = [packaged({ items: [], total: '£0.00' }), packaged(filled)]
    const basket = basketOf(parts)
    expect(basket).toMatchObject({ total: '£374.00', items: [{ title: 'BA 2043' }] })
    expect(basketOf([...parts, said('response', { text: 'ok' })])).toBe(basket)
  })

  test('is gone when it was emptied, or booked', () => {
    expect(basketFold()([packaged(filled), packaged({ items: [], total: '£0.00' })])).toBeUndefined()
    const booking = said('domain-data', { data: { ...filled, reference: 'ET-1' }, kind: 'booking' })
    expect(basketFold()([packaged(filled), booking])).toBeUndefined()
    expect(bookingIn(booking.data)?.reference).toBe('ET-1')
    expect(bookingIn(filled)).toBeUndefined()
  })

  test('is this agent’s own: what another one keeps is only shown', () => {
    const metadata = { partType: 'domain-data', origin: { peer: 'travel' } }
    const theirs = said('domain-data', { data: filled, kind: 'package', metadata })
    expect(basketFold()([theirs])).toBeUndefined()
    expect(basketFold()([packaged(filled), theirs])?.total).toBe('£374.00')
  })

  test('is shown when there is something in it', () => {
    expect([{ items: [], total: '£0.00' }, filled, {}].map((data) => isEmptyPackage(packaged(data)))).toEqual([
      true,
      false,
      false,
    ])
    const empty = packaged({ items: [], total: '£0.00' })
    const parts = [said('response', { text: 'Empty.' }), empty]
    expect(answerBlocks(parts, false, { isHidden: isEmptyPackage }).map(({ kind }) => kind)).toEqual(['text'])
  })

  test('is not read from what is none', () => {
    expect(basketIn({ items: [{ title: 'x' }], total: '£1' })).toBeUndefined()
    expect(basketIn({ items: [item] })).toBeUndefined()
  })
})

test('a week by its days', () => {
  const entries = [
    { date: '2026-08-15', time: '06:15', title: 'Flight', source: 'ExampleTravel' },
    { date: '2026-08-15', title: 'Pack' },
    { date: '2026-08-16', title: 'Rest' },
  ]
  expect(weekIn({ from: '2026-08-10', entries })?.days.map(({ entries: all }) => all.length)).toEqual([2, 1])
  expect(weekIn({ from: '2026-08-10', entries: [{ title: 'x' }] })).toBeUndefined()
})

test('of what another agent has found its surface is shown, if there is one, and the form of this page otherwise', () => {
  const of = (peer: string, slotKey = 'peers.a.found') => ({ metadata: { partType: '', origin: { peer }, slotKey } })
  const data = (peer: string) => {
    const { metadata } = of(peer)
    return said('domain-data', {
      data: results,
      metadata: { ...metadata, partType: 'domain-data', kind: 'flight-results' },
    })
  }
  const surface = (peer: string) => {
    const { metadata } = of(peer)
    const created = { createSurface: { surfaceId: 'peer:a:found' } }
    return said('a2ui-surface', { data: [created], metadata: { ...metadata, partType: 'a2ui-surface' } })
  }
  const kinds = (...parts: Parameters<typeof answerBlocks>[0]) =>
    answerBlocks(parts, false, { forms: { 'flight-results': true } }).map(({ kind }) => kind)
  expect(kinds(data('a'), surface('a'))).toEqual(['surface'])
  expect(kinds(data('a'))).toEqual(['data'])
  // What another one shows in the same place is not the surface of this data.
  expect(kinds(data('a'), surface('b'))).toEqual(['data'])
  // The agent's own data has the form of this page.
  const own = said('domain-data', { data: results, kind: 'flight-results', slotKey: 'found' })
  const shown = said('a2ui-surface', { data: [{ createSurface: { surfaceId: 'found' } }], slotKey: 'found' })
  expect(kinds(own, shown)).toEqual(['data'])
})
