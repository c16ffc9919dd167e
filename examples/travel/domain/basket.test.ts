import { describe, expect, test } from 'vitest'
import { booked, bookingUnder, emptyBasket, withItems, withoutItems } from './basket.ts'
import type { BasketItem } from './basket-item.ts'
import { packageOf, packageSchema } from './package.ts'

const flight: BasketItem = { type: 'flight', flightNumber: 'BA 2043', date: '2026-08-15', passengers: 2 }
const hotel: BasketItem = {
  type: 'hotel',
  hotelId: 'corfu-liston-house',
  checkIn: '2026-08-15',
  checkOut: '2026-08-22',
  guests: 2,
}
const activity: BasketItem = { type: 'activity', activityId: 'corfu-paxos-boat', date: '2026-08-17', people: 2 }
const cruise: BasketItem = { type: 'cruise', cruiseId: 'ionian-classic', departure: '2026-08-23', people: 2 }

describe('a package', () => {
  test('is at one price in whole pence, in the order of the journey', () => {
    const found = packageSchema.parse(packageOf([cruise, hotel, activity, flight]))
    expect(found.items.map(({ type }) => type)).toEqual(['flight', 'hotel', 'activity', 'cruise'])
    for (const { quantity, unitPence, totalPence } of found.items) expect(totalPence).toBe(quantity * unitPence)
    expect(found.totalPence).toBe(found.items.reduce((sum, { totalPence }) => sum + totalPence, 0))
    expect(found.items[0]).toEqual({
      itemId: 'flight:BA2043:2026-08-15',
      type: 'flight',
      title: 'BA 2043 London Gatwick to Corfu',
      details: 'British Airways, direct, 2 passengers',
      place: 'London Gatwick airport (LGW)',
      start: '2026-08-15T08:45:00',
      end: '2026-08-15T14:20:00',
      startZone: 'Europe/London',
      endZone: 'Europe/Athens',
      quantity: 2,
      unitPence: 18_700,
      totalPence: 37_400,
    })
  })

  test('has an id that changes with its contents, not with the order in which they were chosen', () => {
    expect(packageOf([flight, hotel]).packageId).toBe(packageOf([hotel, flight]).packageId)
    expect(packageOf([flight]).packageId).not.toBe(packageOf([{ ...flight, passengers: 3 }]).packageId)
  })

  test('of nothing costs nothing', () => {
    expect(packageOf([])).toMatchObject({ items: [], totalPence: 0, total: '£0.00' })
  })
})

describe('a basket', () => {
  test('takes an item once, with the number of people that was said last', () => {
    const basket = withItems(withItems(emptyBasket, [flight, hotel]), [
      { ...flight, flightNumber: 'ba2043', passengers: 4 },
    ])
    expect(packageOf(basket.items).items.map(({ quantity }) => quantity)).toEqual([4, 7])
  })

  test.each<BasketItem>([
    { ...flight, flightNumber: 'XX 1' },
    { ...hotel, hotelId: '../corfu' },
    { ...activity, activityId: '__proto__' },
    { ...cruise, departure: '2026-08-24' },
    { ...flight, date: '2026-02-30' },
    { ...flight, passengers: 0 },
  ])('refuses what does not exist: %j', (item) => {
    expect(() => withItems(emptyBasket, [hotel, item])).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }))
  })

  test('gives items back, and says what it holds when asked for another', () => {
    const basket = withItems(emptyBasket, [flight, hotel])
    expect(withoutItems(basket, ['flight:BA2043:2026-08-15']).items).toEqual([hotel])
    expect(() => withoutItems(basket, ['flight:BA1:2026-08-15'])).toThrow(
      "The basket has no item 'flight:BA1:2026-08-15'. In it are: flight:BA2043:2026-08-15, hotel:corfu-liston-house:2026-08-15.",
    )
    expect(() => withoutItems(emptyBasket, ['x'])).toThrow('It is empty.')
  })

  test('takes thirty items and no more', () => {
    const items = Array.from({ length: 31 }, (_, day): BasketItem => ({
      ...activity,
      date: `2026-08-${String(day + 1).padStart(2, '0')}`,
    }))
    expect(withItems(emptyBasket, items.slice(0, 30)).items).toHaveLength(30)
    expect(() => withItems(emptyBasket, items)).toThrow('at most 30 items')
  })
})

describe('booking', () => {
  const basket = withItems(emptyBasket, [flight, hotel])
  const { packageId, total } = packageOf(basket.items)

  test('takes everything out of the basket, and the same key books once', () => {
    const once = booked(basket, { key: 'k1', packageId, total })
    expect(once.items).toEqual([])
    expect(bookingUnder(once, 'k1')).toMatchObject({ status: 'confirmed', total, items: packageOf(basket.items).items })
    expect(booked(once, { key: 'k1', packageId, total })).toEqual(once)
    expect(bookingUnder(once, 'k1')?.reference).toMatch(/^ET-[A-Z2-9]{8}$/)
  })

  test('gives each key its own reference, the same every time', () => {
    const reference = (key: string) => bookingUnder(booked(basket, { key, packageId, total }), key)?.reference
    expect(reference('k1')).toBe(reference('k1'))
    expect(reference('k1')).not.toBe(reference('k2'))
  })

  test('is refused when the basket or its total is not what was approved', () => {
    const other = withItems(basket, [activity])
    expect(() => booked(other, { key: 'k', packageId, total })).toThrow('This is not what the basket holds.')
    expect(() => booked(basket, { key: 'k', packageId, total: '£1.00' })).toThrow(`at ${total}: show it to the user`)
  })

  test('of an empty basket is refused, and says what was booked before', () => {
    expect(() => booked(emptyBasket, { key: 'k', packageId, total })).toThrow(
      'The basket is empty. Add something first.',
    )
    const once = booked(basket, { key: 'k1', packageId, total })
    expect(() => booked(once, { key: 'k2', packageId, total })).toThrow(/What was in it is booked as ET-/)
  })
})
