import { fields, finite, listOfFields, text } from '@cool-ai/beach-page/page/scene'

export interface Hotel {
  readonly hotelId: string
  readonly name: string
  readonly place: string
  readonly destination?: string | undefined
  readonly stars?: number | undefined
  readonly rating?: number | undefined
  readonly board?: string | undefined
  readonly nights?: number | undefined
  /** The days of the stay. */
  readonly checkIn?: string | undefined
  readonly checkOut?: string | undefined
  readonly people?: number | undefined
  readonly perNight: number
  readonly total: number
  readonly currency?: string | undefined
}

export type HotelOrder = 'rating' | 'price'

/** The hotels in data of kind `hotel-results`; undefined when it is something else. */
export function hotelsIn(data: unknown): readonly Hotel[] | undefined {
  const { stay, hotels } = fields(data)
  const given = fields(stay)
  const [nights, checkIn, checkOut] = [finite(given.nights), text(given.checkIn), text(given.checkOut)]
  const people = finite(given.guests)
  const rows = listOfFields(hotels)
  if (rows === undefined || rows.length === 0) return undefined
  const found = rows.flatMap((row): Hotel[] => {
    const hotelId = text(row.hotelId)
    const name = text(row.name)
    const perNight = finite(row.pricePerNight)
    const total = finite(row.totalPrice)
    if (hotelId === undefined || name === undefined || perNight === undefined || total === undefined) return []
    const [stars, rating, board, currency] = [
      finite(row.stars),
      finite(row.rating),
      text(row.board),
      text(row.currency),
    ]
    return [
      {
        hotelId,
        name,
        perNight,
        total,
        destination: text(row.destination),
        place: [text(row.area), text(row.destination)].filter(Boolean).join(', '),
        stars,
        rating,
        board,
        nights,
        checkIn,
        checkOut,
        people,
        currency,
      },
    ]
  })
  return found.length === rows.length ? found : undefined
}

/** The best rated or the cheapest first. */
export function sortedHotels(hotels: readonly Hotel[], order: HotelOrder): readonly Hotel[] {
  return hotels.toSorted((one, other) =>
    order === 'price' ? one.total - other.total : (other.rating ?? 0) - (one.rating ?? 0),
  )
}
