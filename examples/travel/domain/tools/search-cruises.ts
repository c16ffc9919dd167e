import { defineTool, type AnyTool } from '@cool-ai/beach-llm'
import * as z from 'zod'
import { dayInput } from '../day-input.ts'
import { searchCruises } from '../cruises.ts'
import { cruiseTypes } from '../data/cruises.ts'
import { isoDate } from '../iso-date.ts'
import { cruiseSlot } from '../slots.ts'
import { upcoming } from '../today.ts'
import { resultSchema } from '../travel-data.ts'
import { lookupTimeoutMs, peopleInput } from './tool-inputs.ts'

/** Finds cruises by where and when they go. */
export function searchCruisesTool(today: () => string): AnyTool {
  return defineTool({
    name: 'search_cruises',
    description:
      'Finds cruises that leave within some days, by region, port and type, cheapest first, with up to three departures ' +
      'of each. Prices are in pounds per person. To put a cruise into the basket, give its cruiseId and departure to ' +
      'assemble_package.',
    inputSchema: z.object({
      from: dayInput('The earliest departure, as YYYY-MM-DD.'),
      to: dayInput('The latest departure; 60 days after the earliest when left out.').exactOptional(),
      region: z
        .string()
        .min(1)
        .exactOptional()
        .describe('A sea or country, such as Adriatic, Mediterranean or Greece.'),
      port: z.string().min(1).exactOptional().describe('A port of call, such as Dubrovnik.'),
      type: z.enum(cruiseTypes).exactOptional(),
      maxNights: z.int().min(1).exactOptional(),
      people: peopleInput('How many people travel.').exactOptional(),
    }),
    outputSchema: resultSchema('cruise-results'),
    handler: (search) => {
      upcoming(isoDate(search.from, 'from'), today())
      const data = searchCruises(search)
      return { kind: 'cruise-results' as const, slotKey: cruiseSlot(data), data }
    },
    idempotent: true,
    tags: ['cruise-search'],
    timeoutMs: lookupTimeoutMs,
  })
}
