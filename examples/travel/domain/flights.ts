import { BeachError } from '@cool-ai/beach-core'
import * as z from 'zod'
import { destinations } from './data/destinations.ts'
import { origins } from './data/origins.ts'
import type { Airport } from './destination.ts'
import { findService, servicesBetween, type Service } from './flight-schedule.ts'
import { isoDate, monthOf } from './iso-date.ts'
import { partyOf } from './party.ts'
import { airportsOf } from './places.ts'
import { seasonFactor } from './season.ts'
import { seeded } from './seeded.ts'
import { localTime, momentOf } from './zoned-time.ts'

/** A flight on a day; times are local where they happen. */
const flightSchema = z.object({
  flightNumber: z.string(),
  airline: z.string(),
  departure: z.iso.datetime({ local: true }),
  arrival: z.iso.datetime({ local: true }),
  pricePerPerson: z.number().nonnegative(),
  currency: z.literal('GBP'),
  stops: z.int().nonnegative(),
  from: z.string().exactOptional().describe('The airport of departure, when the route has several.'),
  to: z.string().exactOptional().describe('The airport of arrival, when the route has several.'),
})

/** The orders in which flights can be asked for. */
export const flightOrders = ['price', 'departure', 'duration'] as const

const flightSearchSchema = z.object({
  origin: z.string(),
  destination: z.string(),
  date: z.iso.date(),
  passengers: z.int(),
  directOnly: z.boolean().exactOptional(),
  sortBy: z.enum(flightOrders).exactOptional(),
})

/** The data of kind `flight-results`. */
export const flightResultsSchema = z.object({
  route: z.object({ origin: z.string(), destination: z.string() }),
  flights: z.array(flightSchema),
  search: flightSearchSchema.exactOptional().describe('What was searched for, so that it can be searched again.'),
})

export type Flight = z.infer<typeof flightSchema>
export type FlightResults = z.infer<typeof flightResultsSchema>

export type FlightSearch = Readonly<z.infer<typeof flightSearchSchema>>

/** The flights of a day in the order that is asked for, or direct ones first and then by price. */
export function searchFlights(search: FlightSearch): FlightResults {
  partyOf(search.passengers, 'passengers')
  const date = isoDate(search.date)
  const from = airportsOf(search.origin, 'origin')
  const to = airportsOf(search.destination, 'destination')
  const found = from.flatMap((origin) => to.flatMap((destination) => servicesBetween(origin, destination)))
  if (found.length === 0) throw noRoute(from, to)
  const flights = found
    .filter(({ stops }) => search.directOnly !== true || stops === 0)
    .toSorted(byDuration)
    .map((service) => ({
      ...flightOn(service, date),
      ...(from.length > 1 && { from: service.from.name }),
      ...(to.length > 1 && { to: service.to.name }),
    }))
    .toSorted(orders[search.sortBy ?? 'usual'])
  return { route: { origin: names(from), destination: names(to) }, flights }
}

const orders: Readonly<Record<(typeof flightOrders)[number] | 'usual', (one: Flight, other: Flight) => number>> = {
  usual: (one, other) => one.stops - other.stops || one.pricePerPerson - other.pricePerPerson,
  price: (one, other) => one.pricePerPerson - other.pricePerPerson,
  departure: (one, other) => Date.parse(one.departure) - Date.parse(other.departure),
  // How long they take is only known of services, which are in that order already.
  duration: () => 0,
}

function byDuration(one: Service, other: Service): number {
  return one.minutes - other.minutes
}

/** The service of that number and its flight on that day; an error when there is none. */
export function flightOf(flightNumber: string, date: string): { readonly service: Service; readonly flight: Flight } {
  const service = findService(flightNumber)
  if (service !== undefined) return { service, flight: flightOn(service, isoDate(date)) }
  throw new BeachError(
    'BAD_REQUEST',
    `There is no flight '${flightNumber}'. Give a flightNumber just as search_flights found it.`,
  )
}

function flightOn(service: Service, date: string): Flight {
  const departure = `${date}T${service.departs}:00`
  const arrives = momentOf(departure, service.from.zone) + service.minutes * 60_000
  return {
    flightNumber: service.flightNumber,
    airline: service.airline,
    departure,
    arrival: localTime(arrives, service.to.zone),
    pricePerPerson: service.fares[monthOf(date)] ?? fareOn(service, date),
    currency: 'GBP',
    stops: service.stops,
  }
}

function fareOn({ flightNumber, baseFare }: Service, date: string): number {
  const demand = 0.85 + 0.3 * seeded(`fare ${flightNumber} ${date}`)
  return Math.round(baseFare * seasonFactor(date) * demand)
}

function names(airports: readonly Airport[]): string {
  return airports.map(({ name }) => name).join(' or ')
}

function listed(airports: readonly Airport[]): string {
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(airports.map(({ name }) => name))
}

function noRoute(from: readonly Airport[], to: readonly Airport[]): BeachError {
  const home = listed(origins)
  const away = listed(destinations.map(({ airport }) => airport))
  return new BeachError(
    'BAD_REQUEST',
    `Nothing flies from ${names(from)} to ${names(to)}. Flights go between ${home} and ${away}, both ways.`,
  )
}
