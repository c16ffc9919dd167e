import type { Exchange } from '@cool-ai/example-kit/script-words'
import { activityResultsSchema, type ActivityResults } from '../domain/activities.ts'
import type { Board } from '../domain/destination.ts'
import { bookingSchema, type Booking } from '../domain/booking.ts'
import { cruiseResultsSchema, type CruiseResults } from '../domain/cruises.ts'
import { flightResultsSchema, type FlightResults } from '../domain/flights.ts'
import { hotelResultsSchema, type HotelResults } from '../domain/hotels.ts'
import { nightsBetween } from '../domain/iso-date.ts'
import { packageSchema, type Package } from '../domain/package.ts'

/** A search as far as it was said. */
export interface Search {
  readonly kind?: 'flights' | 'hotels' | 'cruises' | 'research' | undefined
  readonly origin?: string | undefined
  readonly destination?: string | undefined
  readonly region?: string | undefined
  readonly date?: string | undefined
  readonly nights?: number | undefined
  readonly people?: number | undefined
  readonly directOnly?: boolean | undefined
  readonly minStars?: number | undefined
  readonly board?: Board | undefined
}

/** A list that was shown, from which the traveller can choose. */
export type Shown =
  | { readonly kind: 'flights'; readonly data: FlightResults }
  | { readonly kind: 'hotels'; readonly data: HotelResults }
  | { readonly kind: 'cruises'; readonly data: CruiseResults }
  | { readonly kind: 'activities'; readonly data: ActivityResults }

interface SeenFlight {
  readonly number: string
  readonly date: string
  readonly people?: number | undefined
}

/** What the conversation has come to. */
export interface SoFar {
  readonly search: Search
  /** The list that was shown last. */
  readonly shown?: Shown | undefined
  /** Flights of all lists that were shown, the latest first, each with its day and the party that it was shown for. */
  readonly seen: readonly SeenFlight[]
  /** The packages that were shown, as they became; what was undone is gone from them. */
  readonly packages: readonly Package[]
  /** What was undone last, until something else is changed. */
  readonly undone?: Package | undefined
  /** Whether the traveller's last message takes a change back. */
  readonly undoes?: boolean
  /** Whether the traveller's last message asks about what was shown, which stays what is talked about. */
  readonly asks?: boolean
  readonly booking?: Booking | undefined
  /** What the last answer was about. */
  readonly last?: Shown['kind'] | 'package' | 'booking' | undefined
  /** Texts of the agent's answers. */
  readonly answers: readonly string[]
  readonly lastExchange?: Exchange | undefined
}

const maxSeen = 100

export const nothingSaid: SoFar = { search: {}, seen: [], packages: [], answers: [] }

/** The conversation with one more exchange: what was found counts, whatever was asked for. */
export function withAnswer(soFar: SoFar, exchange: Exchange): SoFar {
  const { parts } = exchange
  const answers = [...soFar.answers, ...parts.map(({ text }) => text)]
  const before: SoFar = {
    ...soFar,
    answers,
    last: soFar.asks === true ? soFar.last : undefined,
    lastExchange: exchange,
  }
  return parts.reduce<SoFar>((known, { data }) => withData(known, data), before)
}

function withData(soFar: SoFar, data: unknown): SoFar {
  if (data === undefined) return soFar
  const flights = flightResultsSchema.safeParse(data).data
  if (flights !== undefined) {
    const { origin, destination, date, passengers: people, directOnly } = flights.search ?? {}
    const found = { ...soFar.search, kind: 'flights' as const, origin, destination, date, people, directOnly }
    const search = flights.search === undefined ? soFar.search : found
    const seen = flights.flights.map(({ flightNumber: number, departure }) => {
      return { number, date: departure.slice(0, 10), people }
    })
    const all = [...seen, ...soFar.seen].slice(0, maxSeen)
    return { ...soFar, search, seen: all, shown: { kind: 'flights', data: flights }, last: 'flights' }
  }
  const hotels = hotelResultsSchema.safeParse(data).data
  if (hotels !== undefined) {
    const { destination, checkIn: date, checkOut, guests: people } = hotels.stay
    const nights = nightsBetween(date, checkOut)
    const search = { ...soFar.search, kind: 'hotels' as const, destination, date, people, nights }
    return { ...soFar, search, shown: { kind: 'hotels', data: hotels }, last: 'hotels' }
  }
  const cruises = cruiseResultsSchema.safeParse(data).data
  if (cruises !== undefined) {
    const { region = soFar.search.region } = cruises.search
    return {
      ...soFar,
      search: { ...soFar.search, kind: 'cruises', region },
      shown: { kind: 'cruises', data: cruises },
      last: 'cruises',
    }
  }
  const activities = activityResultsSchema.safeParse(data).data
  if (activities !== undefined) {
    const search = { ...soFar.search, kind: 'research' as const, destination: activities.destination }
    return { ...soFar, search, shown: { kind: 'activities', data: activities }, last: 'activities' }
  }
  const booking = bookingSchema.safeParse(data).data
  if (booking !== undefined) return { ...soFar, booking, packages: [], undone: undefined, last: 'booking' }
  const chosen = packageSchema.safeParse(data).data
  if (chosen !== undefined) return { ...soFar, ...withPackage(soFar, chosen), last: 'package' }
  // A list that was too long to be remembered: what was shown before it is not what the traveller looks at.
  return { ...soFar, shown: undefined, last: undefined }
}

/** Looking at a package is no change of it, and after an undo the next one takes back what was changed before. */
function withPackage({ packages, undone, undoes }: SoFar, now: Package): Pick<SoFar, 'packages' | 'undone'> {
  const was = packages.at(-1)
  if (was?.packageId === now.packageId) return { packages, undone }
  if (undoes !== true) return { packages: [...packages, now], undone: undefined }
  return { packages: packages.length < 2 ? [] : [...packages.slice(0, -2), now], undone: was }
}

/** The package as it is now. */
export function packageNow({ packages }: SoFar): Package | undefined {
  return packages.at(-1)
}

/** What was added to the package last. */
export function addedLast({ packages }: SoFar): Package['items'] {
  const before = packages.at(-2)?.items ?? []
  return (packages.at(-1)?.items ?? []).filter(({ itemId }) => !before.some((item) => item.itemId === itemId))
}

/** What was added to the package last, or changed in it. */
export function changedLast({ packages }: SoFar): Package['items'] {
  const before = packages.at(-2)?.items ?? []
  return (packages.at(-1)?.items ?? []).filter(({ itemId, totalPence, details }) => {
    return !before.some((item) => item.itemId === itemId && item.totalPence === totalPence && item.details === details)
  })
}
