import type { ActivityResults } from './activities.ts'
import type { Booking } from './booking.ts'
import type { CruiseResults } from './cruises.ts'
import type { FlightSearch } from './flights.ts'
import type { HotelResults } from './hotels.ts'

// Where results stand: the same search again takes the place of what it found before, another one has its own.

export function flightSlot({ origin, destination, date }: FlightSearch): string {
  return slot('flights', origin, destination, date)
}

export function hotelSlot({ stay }: HotelResults): string {
  return slot('hotels', stay.destination, stay.checkIn, stay.checkOut)
}

export function cruiseSlot({ search }: CruiseResults): string {
  const { from, region, port, type } = search
  return slot('cruises', ...[region, port, type].filter((word) => word !== undefined), from)
}

export function activitySlot({ destination }: ActivityResults): string {
  return slot('activities', destination)
}

/** There is one basket, as it is now. */
export const basketSlot = 'basket'

export function bookingSlot({ reference }: Booking): string {
  return slot('booking', reference)
}

function slot(...words: readonly string[]): string {
  return words
    .join('-')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 120)
}
