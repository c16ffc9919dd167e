/** An airport, and by which words people find it. */
export interface Airport {
  readonly code: string
  /** As it is shown: the city, and which of its airports when there are several. */
  readonly name: string
  readonly country: string
  /** Further words for it: other spellings, the airport's own name, the region. */
  readonly aliases: readonly string[]
  /** An IANA time zone. */
  readonly zone: string
  readonly latitude: number
  readonly longitude: number
}

export type Board = 'room only' | 'bed and breakfast' | 'half board' | 'all inclusive'

/** A hotel; prices are in whole pounds for a room of two, before the season's factor. */
export interface Hotel {
  readonly hotelId: string
  readonly name: string
  readonly area: string
  readonly stars: number
  readonly basePrice: number
  readonly board: Board
  /** Of guests, out of ten. */
  readonly rating: number
}

/** Something to do that can be booked, on any day, in whole pounds per person. */
export interface Activity {
  readonly activityId: string
  readonly name: string
  readonly meetingPoint: string
  /** Local time, such as `09:30`. */
  readonly startsAt: string
  readonly minutes: number
  readonly pricePerPerson: number
}

/** The sections of a destination's research, in the order in which they are told. */
export const sectionNames = ['culture', 'logistics', 'activities', 'itinerary'] as const

export type SectionName = (typeof sectionNames)[number]

interface ResearchNote {
  readonly title: string
  readonly text: string
  readonly source: { readonly title: string; readonly url: string }
}

/** A place to go, with everything that we know of it. */
export interface Destination {
  readonly id: string
  readonly airport: Airport
  readonly hotels: readonly Hotel[]
  readonly activities: readonly Activity[]
  readonly research: Readonly<Record<SectionName, ResearchNote>>
}
