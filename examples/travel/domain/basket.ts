import { BeachError } from '@cool-ai/beach-core'
import * as z from 'zod'
import { basketItemSchema, itemIdOf, type BasketItem } from './basket-item.ts'
import { bookingOf, bookingSchema, type Booking } from './booking.ts'
import { packageOf, type Package } from './package.ts'
import { packageLine } from './package-line.ts'

/** What a session has chosen, and what it has booked, each under the key of the call that booked it. */
export const basketSchema = z.object({
  items: z.array(basketItemSchema),
  bookings: z.array(z.object({ key: z.string(), booking: bookingSchema })),
})

export type Basket = z.infer<typeof basketSchema>

export const emptyBasket: Basket = { items: [], bookings: [] }

const maxItems = 30

/** The basket with the items; one that was in it already, for other people or nights, is replaced. */
export function withItems(basket: Basket, added: readonly BasketItem[]): Basket {
  const items = new Map(basket.items.map((item) => [itemIdOf(item), item]))
  for (const item of added) items.set(packageLine(item).itemId, item)
  if (items.size <= maxItems) return { ...basket, items: [...items.values()] }
  throw new BeachError('BAD_REQUEST', `A basket takes at most ${maxItems} items. Remove some first.`)
}

/** The basket without the items of these ids, all of which must be in it. */
export function withoutItems(basket: Basket, itemIds: readonly string[]): Basket {
  const there = basket.items.map(itemIdOf)
  const unknown = itemIds.find((itemId) => !there.includes(itemId))
  if (unknown === undefined)
    return { ...basket, items: basket.items.filter((item) => !itemIds.includes(itemIdOf(item))) }
  const known = there.length === 0 ? 'It is empty.' : `In it are: ${there.join(', ')}.`
  throw new BeachError('BAD_REQUEST', `The basket has no item '${unknown}'. ${known}`)
}

/** What was approved for booking. */
export interface BookingOrder {
  /** Of the call: the same key books once, whatever has become of the basket since. */
  readonly key: string
  readonly packageId: string
  readonly total: string
}

/** The basket after booking all that is in it, if that is still what was approved. */
export function booked(basket: Basket, order: BookingOrder): Basket {
  if (bookingUnder(basket, order.key) !== undefined) return basket
  const ordered = orderedPackage(basket, order)
  return { items: [], bookings: [...basket.bookings, { key: order.key, booking: bookingOf(ordered, order.key) }] }
}

/** The package that the basket holds, if it is the one that is ordered. */
export function orderedPackage(basket: Basket, order: Omit<BookingOrder, 'key'>): Package {
  if (basket.items.length === 0) throw nothingToBook(basket)
  const current = packageOf(basket.items)
  if (current.packageId === order.packageId && current.total === order.total) return current
  throw new BeachError(
    'BAD_REQUEST',
    `This is not what the basket holds. That is ${current.packageId} at ${current.total}: show it to the user and ask again.`,
  )
}

export function bookingUnder(basket: Basket, key: string): Booking | undefined {
  return basket.bookings.find((each) => each.key === key)?.booking
}

function nothingToBook({ bookings }: Basket): BeachError {
  const last = bookings.at(-1)?.booking.reference
  const before = last === undefined ? 'Add something first.' : `What was in it is booked as ${last}.`
  return new BeachError('BAD_REQUEST', `The basket is empty. ${before}`)
}
