import * as z from 'zod'
import { bookingSchema } from './booking.ts'
import { cruiseResultsSchema } from './cruises.ts'
import { flightResultsSchema } from './flights.ts'
import { hotelResultsSchema } from './hotels.ts'
import { packageSchema } from './package.ts'
import { researchSectionSchema } from './research.ts'

/** The domain data of this agent, by its kind. */
const travelDataSchemas = {
  'flight-results': flightResultsSchema,
  'hotel-results': hotelResultsSchema,
  'cruise-results': cruiseResultsSchema,
  'research-section': researchSectionSchema,
  package: packageSchema,
  booking: bookingSchema,
} as const

export type TravelKind = keyof typeof travelDataSchemas

/** The schema of what a tool answers with: the data, ready for a domain-data part, and its kind. */
export function resultSchema<Kind extends TravelKind>(kind: Kind) {
  return z.object({ kind: z.literal(kind), data: travelDataSchemas[kind] })
}
