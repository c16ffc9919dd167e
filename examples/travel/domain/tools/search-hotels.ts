import { defineTool, type AnyTool } from '@cool-ai/beach-llm'
import * as z from 'zod'
import { dayInput } from '../day-input.ts'
import { boards, searchHotels } from '../hotels.ts'
import { isoDate } from '../iso-date.ts'
import { hotelSlot } from '../slots.ts'
import { upcoming } from '../today.ts'
import { resultSchema } from '../travel-data.ts'
import { lookupTimeoutMs, peopleInput } from './tool-inputs.ts'

/** Finds hotels for a stay. */
export function searchHotelsTool(today: () => string): AnyTool {
  return defineTool({
    name: 'search_hotels',
    description:
      'Finds hotels at a destination for a stay, best rated first. pricePerNight and totalPrice are in pounds for all ' +
      'rooms together; a room is for two. To put a hotel into the basket, give its hotelId and the days to ' +
      'assemble_package.',
    inputSchema: z.object({
      destination: z.string().min(1).describe('A city or country, such as Corfu or Greece.'),
      checkIn: dayInput('The first day, as YYYY-MM-DD.'),
      checkOut: dayInput('The day of leaving, as YYYY-MM-DD.'),
      guests: peopleInput('How many people stay.').default(2),
      minStars: z.int().min(1).max(5).exactOptional(),
      board: z.enum(boards).exactOptional(),
      maxPricePerNight: z.number().positive().exactOptional().describe('In pounds, for all rooms together.'),
    }),
    outputSchema: resultSchema('hotel-results'),
    handler: (search) => {
      upcoming(isoDate(search.checkIn, 'checkIn'), today())
      const data = searchHotels(search)
      return { kind: 'hotel-results' as const, slotKey: hotelSlot(data), data }
    },
    idempotent: true,
    tags: ['hotel-search'],
    timeoutMs: lookupTimeoutMs,
  })
}
