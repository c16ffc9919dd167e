import { BeachError } from '@cool-ai/beach-core'
import type { Basket } from './basket.ts'
import type { PackageLine } from './package-line.ts'
import { packageOf } from './package.ts'

/** A journey to be written down. */
export interface Itinerary {
  readonly title: string
  /** The booking's reference, or the package's id while nothing is booked. */
  readonly reference: string
  readonly isBooked: boolean
  readonly travellers: readonly string[]
  readonly items: readonly PackageLine[]
  readonly total: string
}

export interface ItineraryChoice {
  /** Of a booking; when left out it is what the basket holds, or else what was booked last. */
  readonly reference?: string
  readonly title?: string
  readonly travellers?: readonly string[]
}

/** The itinerary of a booking, or of what is in the basket. */
export function itineraryOf(basket: Basket, { reference, title, travellers = [] }: ItineraryChoice): Itinerary {
  const chosen = chosenFrom(basket, reference)
  return { ...chosen, title: title ?? `Your journey from ${chosen.items[0]?.start.slice(0, 10)}`, travellers }
}

function chosenFrom(basket: Basket, reference: string | undefined): Omit<Itinerary, 'title' | 'travellers'> {
  if (reference === undefined && basket.items.length > 0) {
    const { packageId, items, total } = packageOf(basket.items)
    return { reference: packageId, isBooked: false, items, total }
  }
  const bookings = basket.bookings.map(({ booking }) => booking)
  const booking = reference === undefined ? bookings.at(-1) : bookings.find((each) => each.reference === reference)
  if (booking !== undefined) {
    return { reference: booking.reference, isBooked: true, items: booking.items, total: booking.total }
  }
  const known =
    bookings.length === 0 ? 'Nothing is booked' : `Booked are: ${bookings.map((each) => each.reference).join(', ')}`
  throw new BeachError(
    'BAD_REQUEST',
    reference === undefined
      ? 'There is nothing to make an itinerary of: the basket is empty and nothing is booked.'
      : `There is no booking '${reference}'. ${known}.`,
  )
}
