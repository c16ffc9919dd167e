import { BeachError } from '@cool-ai/beach-core'
import * as z from 'zod'
import { destinations } from './data/destinations.ts'
import type { Board, Destination, Hotel } from './destination.ts'
import { isoDate, nightsBetween } from './iso-date.ts'
import { partyOf } from './party.ts'
import { findDestinations } from './places.ts'
import { seasonalPrice } from './season.ts'

export const boards = ['room only', 'bed and breakfast', 'half board', 'all inclusive'] as const satisfies Board[]

/** A hotel for a stay; prices are for all rooms of the party. */
const hotelOfferSchema = z.object({
  hotelId: z.string(),
  name: z.string(),
  destination: z.string(),
  area: z.string(),
  stars: z.int(),
  board: z.enum(boards),
  rating: z.number(),
  rooms: z.int(),
  pricePerNight: z.number(),
  totalPrice: z.number(),
  currency: z.literal('GBP'),
})

/** The data of kind `hotel-results`. */
export const hotelResultsSchema = z.object({
  stay: z.object({
    destination: z.string(),
    checkIn: z.iso.date(),
    checkOut: z.iso.date(),
    nights: z.int(),
    guests: z.int(),
  }),
  hotels: z.array(hotelOfferSchema),
})

export type HotelOffer = z.infer<typeof hotelOfferSchema>
export type HotelResults = z.infer<typeof hotelResultsSchema>

export interface HotelSearch {
  readonly destination: string
  readonly checkIn: string
  readonly checkOut: string
  readonly guests: number
  readonly minStars?: number
  readonly board?: Board
  readonly maxPricePerNight?: number
}

/** A stay of some guests: rooms are for two. */
export interface Stay {
  readonly checkIn: string
  readonly checkOut: string
  readonly guests: number
}

const maxNights = 60

/** The hotels of a place for a stay, by the rating of their guests. */
export function searchHotels(search: HotelSearch): HotelResults {
  const found = findDestinations(search.destination)
  const nights = nightsOf(search)
  const { minStars = 0, maxPricePerNight = Infinity, board } = search
  const hotels = found
    .flatMap((destination) => destination.hotels.map((hotel) => offer(hotel, destination, search)))
    .filter((hotel) => hotel.stars >= minStars && hotel.pricePerNight <= maxPricePerNight)
    .filter((hotel) => board === undefined || hotel.board === board)
    .toSorted((one, other) => other.rating - one.rating)
  const destination = found.map(({ airport }) => airport.name).join(' or ')
  const { checkIn, checkOut, guests } = search
  return { stay: { destination, checkIn, checkOut, nights, guests }, hotels }
}

/** What a hotel offers for a stay, and where it is; an error when there is no such hotel. */
export function hotelOffer(
  hotelId: string,
  stay: Stay,
): { readonly offer: HotelOffer; readonly destination: Destination } {
  for (const destination of destinations) {
    const hotel = destination.hotels.find((each) => each.hotelId === hotelId)
    if (hotel !== undefined) return { offer: offer(hotel, destination, stay), destination }
  }
  throw new BeachError('BAD_REQUEST', `There is no hotel '${hotelId}'. Give a hotelId just as search_hotels found it.`)
}

function nightsOf({ checkIn, checkOut }: Stay): number {
  const nights = nightsBetween(isoDate(checkIn, 'checkIn'), isoDate(checkOut, 'checkOut'))
  if (nights >= 1 && nights <= maxNights) return nights
  throw new BeachError(
    'BAD_REQUEST',
    `From ${checkIn} to ${checkOut} are ${nights} nights. A stay takes 1 to ${maxNights}: checkOut is the day of leaving.`,
  )
}

function offer(hotel: Hotel, destination: Destination, stay: Stay): HotelOffer {
  const { basePrice, ...shown } = hotel
  const nights = nightsOf(stay)
  const rooms = Math.ceil(partyOf(stay.guests, 'guests') / 2)
  const pricePerNight = seasonalPrice(basePrice, stay.checkIn) * rooms
  return {
    ...shown,
    destination: destination.airport.name,
    rooms,
    pricePerNight,
    totalPrice: pricePerNight * nights,
    currency: 'GBP',
  }
}
