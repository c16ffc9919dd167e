import { BeachError } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import * as z from 'zod'
import { cruises, cruiseTypes, type Cruise, type CruiseType } from './data/cruises.ts'
import { addDays, isoDate, nightsBetween } from './iso-date.ts'
import { matchesPlace } from './places.ts'
import { seasonalPrice } from './season.ts'

/** A cruise on a day of departure. */
const cruiseOfferSchema = z.object({
  cruiseId: z.string(),
  name: z.string(),
  region: z.string(),
  type: z.enum(cruiseTypes),
  line: z.string(),
  ship: z.string(),
  ports: z.array(z.string()),
  nights: z.int(),
  departure: z.iso.date(),
  pricePerPerson: z.number(),
  currency: z.literal('GBP'),
})

/** The data of kind `cruise-results`. */
export const cruiseResultsSchema = z.object({
  search: z.object({
    from: z.iso.date(),
    to: z.iso.date(),
    region: z.string().exactOptional(),
    port: z.string().exactOptional(),
    type: z.enum(cruiseTypes).exactOptional(),
    people: z.int().exactOptional(),
  }),
  cruises: z.array(cruiseOfferSchema),
})

export type CruiseOffer = z.infer<typeof cruiseOfferSchema>
export type CruiseResults = z.infer<typeof cruiseResultsSchema>

export interface CruiseSearch {
  readonly from: string
  /** Sixty days after `from` when left out. */
  readonly to?: string
  readonly region?: string | undefined
  readonly port?: string | undefined
  readonly type?: CruiseType | undefined
  readonly maxNights?: number
  readonly people?: number | undefined
}

const maxDays = 366
const maxDepartures = 3
const maxOffers = 10

/** The cruises that leave within some time, with the first departures of each, by price. */
export function searchCruises(search: CruiseSearch): CruiseResults {
  const { region, port, type, maxNights = Infinity, people } = search
  const from = isoDate(search.from, 'from')
  const to = search.to === undefined ? addDays(from, 60) : isoDate(search.to, 'to')
  const days = nightsBetween(from, to)
  if (days < 0 || days > maxDays) {
    throw new BeachError('BAD_REQUEST', `Search from a day to a later one, at most ${maxDays} days, not ${days}.`)
  }
  const found = cruises
    .filter(
      (cruise) => region === undefined || matchesPlace(region, [cruise.region, ...cruise.aliases, ...cruise.ports]),
    )
    .filter((cruise) => port === undefined || cruise.ports.some((each) => matchesPlace(port, [each])))
    .filter((cruise) => (type === undefined || cruise.type === type) && cruise.nights <= maxNights)
  if (found.length === 0) throw noCruise()
  const offers = found.flatMap((cruise) =>
    departures(cruise, from, to)
      .slice(0, maxDepartures)
      .map((departure) => offer(cruise, departure)),
  )
  return {
    search: defined({ from, to, region, port, type, people }),
    cruises: offers.toSorted((one, other) => one.pricePerPerson - other.pricePerPerson).slice(0, maxOffers),
  }
}

/** A cruise on a day; an error when there is no such cruise, or it does not leave on that day. */
export function cruiseOffer(cruiseId: string, departure: string): CruiseOffer {
  const day = isoDate(departure, 'departure')
  const cruise = cruises.find((each) => each.cruiseId === cruiseId)
  if (cruise === undefined) {
    throw new BeachError(
      'BAD_REQUEST',
      `There is no cruise '${cruiseId}'. Give a cruiseId just as search_cruises found it.`,
    )
  }
  if (departures(cruise, day, day).length === 1) return offer(cruise, day)
  const next = departures(cruise, day, addDays(day, maxDays))[0]
  throw new BeachError('BAD_REQUEST', `${cruise.name} does not leave on ${day}. The next departure is on ${next}.`)
}

function departures({ departs }: Cruise, from: string, to: string): string[] {
  const found: string[] = []
  for (let year = Number(from.slice(0, 4)); year <= Number(to.slice(0, 4)); year++) {
    for (const month of departs.months) for (const day of departs.days) found.push(`${year}-${two(month)}-${two(day)}`)
  }
  return found.filter((date) => date >= from && date <= to)
}

function offer({ basePrice, aliases: _aliases, departs: _departs, ...cruise }: Cruise, departure: string): CruiseOffer {
  return {
    ...cruise,
    ports: [...cruise.ports],
    departure,
    pricePerPerson: seasonalPrice(basePrice, departure),
    currency: 'GBP',
  }
}

function noCruise(): BeachError {
  const regions = [...new Set(cruises.map(({ region }) => region))].join(', ')
  const ports = [...new Set(cruises.flatMap(({ ports: all }) => all))].join(', ')
  return new BeachError(
    'BAD_REQUEST',
    `No cruise is like that. Regions are: ${regions}. Ports are: ${ports}. Types are: ${cruiseTypes.join(', ')}.`,
  )
}

function two(number: number): string {
  return String(number).padStart(2, '0')
}
