import { fields, finite, listOfFields, text } from '@cool-ai/beach-page/page/scene'

/** A flight as it is shown; times are local where they happen. */
export interface Flight {
  readonly flightNumber: string
  readonly airline: string
  readonly departure: string
  readonly arrival: string
  readonly price: number
  readonly currency?: string | undefined
  readonly stops?: number | undefined
  readonly from: string
  readonly to: string
  /** For how many it was searched. */
  readonly people?: number | undefined
}

export type FlightOrder = 'given' | 'price' | 'departure' | 'duration'

/** The flights in data of kind `flight-results`; undefined when it is something else. */
export function flightsIn(data: unknown): readonly Flight[] | undefined {
  const { route, flights, search } = fields(data)
  const { origin, destination } = fields(route)
  const people = finite(fields(search).passengers)
  const rows = listOfFields(flights)
  if (rows === undefined || rows.length === 0) return undefined
  const found = rows.flatMap((row): Flight[] => {
    const flightNumber = text(row.flightNumber)
    const departure = text(row.departure)
    const arrival = text(row.arrival)
    const price = finite(row.pricePerPerson)
    if (flightNumber === undefined || departure === undefined || arrival === undefined || price === undefined) return []
    const currency = text(row.currency)
    const stops = finite(row.stops)
    return [
      {
        flightNumber,
        airline: text(row.airline) ?? '',
        departure,
        arrival,
        price,
        from: text(row.from) ?? text(origin) ?? '',
        to: text(row.to) ?? text(destination) ?? '',
        currency,
        stops,
        people,
      },
    ]
  })
  // A table shows all of it when the cards would leave something out.
  return found.length === rows.length ? found : undefined
}

/** The flights by what counts for the reader; those that are equal in it stay in the order in which they came. */
export function sortedFlights(flights: readonly Flight[], order: FlightOrder): readonly Flight[] {
  return flights.toSorted((one, other) => rank(one, order) - rank(other, order))
}

function rank({ price, departure, arrival }: Flight, order: FlightOrder): number {
  switch (order) {
    case 'given':
      return 0
    case 'price':
      return price
    case 'departure':
      return localMs(departure)
    case 'duration':
      // Local times of two zones. All flights of a search cross the same ones, so the order is right, the difference not.
      return localMs(arrival) - localMs(departure)
  }
}

function localMs(local: string): number {
  const at = Date.parse(`${local}Z`)
  return Number.isNaN(at) ? Number.POSITIVE_INFINITY : at
}
