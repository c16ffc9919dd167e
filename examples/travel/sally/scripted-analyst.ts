import type { TextModel } from '@cool-ai/beach-protocol'
import { flightResultsSchema, type Flight } from '../domain/flights.ts'
import { hotelResultsSchema } from '../domain/hotels.ts'
import { cruiseResultsSchema } from '../domain/cruises.ts'
import { packageSchema } from '../domain/package.ts'
import { bookingSchema } from '../domain/booking.ts'
import { inPounds } from '../domain/money.ts'

/** Writes for other agents' models what an answer means where there is no model to do it: from its facts alone. */
export const scriptedAnalyst: TextModel = {
  async generate({ text }) {
    return factsIn(text).map(analysisOf).filter(Boolean).join('\n')
  },
}

/** The data that the translator puts between its marks, one line each; what was cut off is left out. */
function factsIn(text: string): unknown[] {
  const [, lines = ''] = /<facts>\n([\s\S]*)\n<\/facts>/.exec(text) ?? []
  return lines.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as unknown]
    } catch {
      return []
    }
  })
}

function analysisOf(data: unknown): string {
  const flights = flightResultsSchema.safeParse(data).data
  if (flights !== undefined) {
    const { origin, destination } = flights.route
    return `Flights ${origin} to ${destination}: ${compared(flights.flights, flightName, ({ pricePerPerson }) => pricePerPerson, 'a person')} ${directOnes(flights.flights)}`
  }
  const hotels = hotelResultsSchema.safeParse(data).data
  if (hotels !== undefined) {
    const { destination, nights } = hotels.stay
    const found = compared(
      hotels.hotels,
      ({ name }) => name,
      ({ totalPrice }) => totalPrice,
      `for ${nights} nights`,
    )
    return `Hotels in ${destination}: ${found} Prices are for all rooms of the party.`
  }
  const cruises = cruiseResultsSchema.safeParse(data).data
  if (cruises !== undefined) {
    return `Cruises: ${compared(
      cruises.cruises,
      ({ name, ship }) => `${name} on ${ship}`,
      ({ pricePerPerson }) => pricePerPerson,
      'a person',
    )}`
  }
  const booking = bookingSchema.safeParse(data).data
  if (booking !== undefined) return `Booked and confirmed as ${booking.reference} for ${booking.total} in all.`
  const basket = packageSchema.safeParse(data).data
  if (basket !== undefined)
    return `The basket has ${basket.items.length} of ${basket.total} in all; nothing is booked yet.`
  return ''
}

function flightName({ airline, flightNumber }: Flight): string {
  return `${airline} ${flightNumber}`
}

function directOnes(flights: readonly Flight[]): string {
  const direct = flights.filter(({ stops }) => stops === 0)
  return `${direct.length} of ${flights.length} are direct. Prices are of this search and may change until it is booked.`
}

/** How many there are, and how they differ in price. */
function compared<Offer>(
  offers: readonly Offer[],
  nameOf: (offer: Offer) => string,
  priceOf: (offer: Offer) => number,
  per: string,
): string {
  const [cheapest, ...others] = offers.toSorted((one, other) => priceOf(one) - priceOf(other))
  if (cheapest === undefined) return 'none was found.'
  const last = others.at(-1)
  const low = `${nameOf(cheapest)} at ${inPounds(priceOf(cheapest) * 100)} ${per}`
  if (last === undefined) return `one option, ${low}.`
  const apart = inPounds((priceOf(last) - priceOf(cheapest)) * 100)
  return `${offers.length} options; the cheapest is ${low}, ${apart} below the dearest, ${nameOf(last)}.`
}
