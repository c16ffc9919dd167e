import * as z from 'zod'
import { activityResultsSchema } from './activities.ts'
import { bookingSchema } from './booking.ts'
import { cruiseResultsSchema } from './cruises.ts'
import { flightResultsSchema } from './flights.ts'
import { hotelResultsSchema } from './hotels.ts'
import { packageSchema } from './package.ts'
import { researchSectionSchema } from './research.ts'

/** The domain data of this agent, by its kind. */
export const travelDataSchemas = {
  'flight-results': flightResultsSchema,
  'hotel-results': hotelResultsSchema,
  'cruise-results': cruiseResultsSchema,
  'research-section': researchSectionSchema,
  'activity-results': activityResultsSchema,
  package: packageSchema,
  booking: bookingSchema,
} as const

export type TravelKind = keyof typeof travelDataSchemas

export type TravelData<Kind extends TravelKind> = z.infer<(typeof travelDataSchemas)[Kind]>

/** The schema of what a tool answers with: the data, ready for a domain-data part, its kind, and where it stands. */
export function resultSchema<Kind extends TravelKind>(kind: Kind) {
  return z.object({ kind: z.literal(kind), slotKey: z.string(), data: travelDataSchemas[kind] })
}
