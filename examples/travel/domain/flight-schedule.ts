import { carriersBetween, type Airline } from './data/airlines.ts'
import { destinations } from './data/destinations.ts'
import { knownServices, type KnownService } from './data/known-services.ts'
import { origins } from './data/origins.ts'
import type { Airport } from './destination.ts'
import { seeded } from './seeded.ts'

/** A flight that goes every day. */
export interface Service {
  readonly flightNumber: string
  readonly airline: string
  readonly from: Airport
  readonly to: Airport
  /** Local time, such as `08:45`. */
  readonly departs: string
  readonly minutes: number
  readonly stops: number
  /** Whole pounds, before the season's factor. */
  readonly baseFare: number
  /** Fares that are fixed for a month, by its number. */
  readonly fares: Readonly<Record<number, number>>
}

/** Every flight there is, out and back; the schedule is the same in every process. */
export const services: readonly Service[] = [...schedule()]

/** The services between two airports. */
export function servicesBetween(from: Airport, to: Airport): Service[] {
  return services.filter((service) => service.from === from && service.to === to)
}

/** A service by its number, however it is written. */
export function findService(flightNumber: string): Service | undefined {
  return byNumber.get(compact(flightNumber))
}

/** A flight number without spaces and case: what two ways of writing it have in common. */
export function compact(flightNumber: string): string {
  return flightNumber.replaceAll(/[\s-]/g, '').toUpperCase()
}

const byNumber = new Map(services.map((service) => [compact(service.flightNumber), service]))

function* schedule(): Generator<Service> {
  const pairs = new Map<string, number>()
  for (const origin of origins) {
    for (const { airport } of destinations) {
      for (const { airline, stops } of carriersBetween(origin.code, airport.code)) {
        const pair = pairs.get(airline.prefix) ?? 0
        pairs.set(airline.prefix, pair + 1)
        yield* bothWays(airline, stops, origin, airport, airline.firstNumber + 2 * pair)
      }
    }
  }
}

function bothWays(airline: Airline, stops: number, origin: Airport, destination: Airport, number: number): Service[] {
  const known = knownServices[`${airline.prefix.trim()} ${origin.code}-${destination.code}`]
  const first = known?.number ?? number
  return [
    oneWay(airline, stops, origin, destination, first, known),
    oneWay(airline, stops, destination, origin, first + 1),
  ]
}

function oneWay(
  airline: Airline,
  stops: number,
  from: Airport,
  to: Airport,
  number: number,
  known?: KnownService,
): Service {
  const flightNumber = `${airline.prefix}${number}`
  const distance = distanceKm(from, to)
  const inTheAir = 45 + distance / 12
  return {
    flightNumber,
    airline: airline.name,
    from,
    to,
    stops,
    departs: known?.departs ?? departureTime(flightNumber),
    minutes: known?.minutes ?? toFives(inTheAir * (1 + 0.15 * stops) + 95 * stops),
    baseFare: (30 + distance * 0.04) * airline.fareFactor,
    fares: known?.fares ?? {},
  }
}

/** Between six in the morning and a quarter to seven in the evening, so that all arrive at a bearable hour. */
function departureTime(flightNumber: string): string {
  const minutes = toFives(6 * 60 + seeded(`departs ${flightNumber}`) * 765)
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
}

function toFives(minutes: number): number {
  return Math.round(minutes / 5) * 5
}

function distanceKm(from: Airport, to: Airport): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180
  const north = radians(to.latitude - from.latitude)
  const east = radians(to.longitude - from.longitude)
  const chord =
    Math.sin(north / 2) ** 2 +
    Math.cos(radians(from.latitude)) * Math.cos(radians(to.latitude)) * Math.sin(east / 2) ** 2
  return 12_742 * Math.asin(Math.sqrt(chord))
}
