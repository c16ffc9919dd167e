import * as z from 'zod'
import { dayInput } from './day-input.ts'
import { compact } from './flight-schedule.ts'
import { maxPartySize } from './party.ts'

const people = z.int().min(1).max(maxPartySize)

/** What can be put into a basket: a reference to something that a search has found, for a day and a number of people. */
export const basketItemSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('flight'),
    flightNumber: z.string().describe('As search_flights found it, such as BA 2043.'),
    date: dayInput('The day of departure.'),
    passengers: people,
  }),
  z.object({
    type: z.literal('hotel'),
    hotelId: z.string().describe('As search_hotels found it.'),
    checkIn: dayInput('The first day.'),
    checkOut: dayInput('The day of leaving.'),
    guests: people,
  }),
  z.object({
    type: z.literal('activity'),
    activityId: z.string().describe('As research_destination found it.'),
    date: dayInput('The day of the activity.'),
    people,
  }),
  z.object({
    type: z.literal('cruise'),
    cruiseId: z.string().describe('As search_cruises found it.'),
    departure: dayInput('The day of departure.'),
    people,
  }),
])

export type BasketItem = z.infer<typeof basketItemSchema>

/** Says which thing on which day an item is; the number of people is not part of it. */
export function itemIdOf(item: BasketItem): string {
  switch (item.type) {
    case 'flight':
      return `flight:${compact(item.flightNumber)}:${item.date}`
    case 'hotel':
      return `hotel:${item.hotelId}:${item.checkIn}`
    case 'activity':
      return `activity:${item.activityId}:${item.date}`
    case 'cruise':
      return `cruise:${item.cruiseId}:${item.departure}`
  }
}

/** The day on which an item begins. */
export function startOf(item: BasketItem): string {
  switch (item.type) {
    case 'flight':
    case 'activity':
      return item.date
    case 'hotel':
      return item.checkIn
    case 'cruise':
      return item.departure
  }
}
