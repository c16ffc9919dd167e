import { expect, test } from 'vitest'
import { destinations } from './data/destinations.ts'
import { hotelOffer, hotelResultsSchema, searchHotels } from './hotels.ts'

const stay = { checkIn: '2026-08-15', checkOut: '2026-08-22', guests: 2 }

test('every destination has hotels, best rated first, whose totals are nights times price', () => {
  for (const { airport } of destinations) {
    const { stay: found, hotels } = hotelResultsSchema.parse(searchHotels({ ...stay, destination: airport.name }))
    expect(found).toEqual({
      destination: airport.name,
      checkIn: '2026-08-15',
      checkOut: '2026-08-22',
      nights: 7,
      guests: 2,
    })
    expect(hotels.length).toBeGreaterThanOrEqual(3)
    expect(hotels.map(({ rating }) => rating)).toEqual(hotels.map(({ rating }) => rating).toSorted((a, b) => b - a))
    for (const hotel of hotels) expect(hotel.totalPrice).toBe(hotel.pricePerNight * 7)
  }
})

test('two share a room, and three take two', () => {
  const two = hotelOffer('corfu-liston-house', stay).offer
  const three = hotelOffer('corfu-liston-house', { ...stay, guests: 3 }).offer
  expect([two.rooms, three.rooms]).toEqual([1, 2])
  expect(three.totalPrice).toBe(2 * two.totalPrice)
})

test('summer is dearer than winter', () => {
  const winter = hotelOffer('corfu-liston-house', { checkIn: '2026-02-01', checkOut: '2026-02-08', guests: 2 }).offer
  expect(hotelOffer('corfu-liston-house', stay).offer.pricePerNight).toBeGreaterThan(winter.pricePerNight)
})

test('stars, board and price narrow the search', () => {
  const found = searchHotels({ ...stay, destination: 'Corfu', minStars: 4, maxPricePerNight: 200 }).hotels
  expect(found.length).toBeGreaterThan(0)
  for (const { stars, pricePerNight } of found) expect([stars >= 4, pricePerNight <= 200]).toEqual([true, true])
  expect(searchHotels({ ...stay, destination: 'Corfu', board: 'half board' }).hotels).toHaveLength(1)
})

test('a country gives the hotels of all its places', () => {
  const { hotels } = searchHotels({ ...stay, destination: 'Greece' })
  expect(new Set(hotels.map(({ destination }) => destination))).toEqual(new Set(['Corfu', 'Athens']))
})

test.each([
  ['2026-08-15', '2026-08-15', 0],
  ['2026-08-15', '2026-08-14', -1],
  ['2026-08-15', '2026-12-15', 122],
])('a stay from %s to %s is refused', (checkIn, checkOut, nights) => {
  expect(() => searchHotels({ destination: 'Corfu', checkIn, checkOut, guests: 2 })).toThrow(`are ${nights} nights`)
})

test('a hotel that does not exist is refused', () => {
  expect(() => hotelOffer('corfu-ritz', stay)).toThrow(/^There is no hotel 'corfu-ritz'\./)
})
