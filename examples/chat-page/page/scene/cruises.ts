import { fields, finite, listOfFields, text } from './fields.ts'

export interface Cruise {
  readonly cruiseId: string
  readonly name: string
  readonly ship: string
  readonly ports: readonly string[]
  readonly nights?: number
  readonly departure: string
  readonly price: number
  readonly currency?: string
}

export type CruiseOrder = 'price' | 'departure'

/** The cruises in data of kind `cruise-results`; undefined when it is something else. */
export function cruisesIn(data: unknown): readonly Cruise[] | undefined {
  const rows = listOfFields(fields(data).cruises)
  if (rows === undefined || rows.length === 0) return undefined
  const found = rows.flatMap((row): Cruise[] => {
    const cruiseId = text(row.cruiseId)
    const name = text(row.name)
    const departure = text(row.departure)
    const price = finite(row.pricePerPerson)
    if (cruiseId === undefined || name === undefined || departure === undefined || price === undefined) return []
    const [nights, currency] = [finite(row.nights), text(row.currency)]
    return [
      {
        cruiseId,
        name,
        departure,
        price,
        ship: text(row.ship) ?? '',
        ports: Array.isArray(row.ports) ? row.ports.filter((port) => typeof port === 'string') : [],
        ...(nights !== undefined && { nights }),
        ...(currency !== undefined && { currency }),
      },
    ]
  })
  return found.length === rows.length ? found : undefined
}

/** The cheapest or the earliest first. */
export function sortedCruises(cruises: readonly Cruise[], order: CruiseOrder): readonly Cruise[] {
  return cruises.toSorted((one, other) => {
    if (order === 'price') return one.price - other.price
    return one.departure < other.departure ? -1 : one.departure > other.departure ? 1 : 0
  })
}
