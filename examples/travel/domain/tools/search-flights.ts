import { defineTool, type AnyTool } from '@cool-ai/beach-llm'
import * as z from 'zod'
import { dayInput } from '../day-input.ts'
import { flightOrders, searchFlights } from '../flights.ts'
import { isoDate } from '../iso-date.ts'
import { airportsOf } from '../places.ts'
import { flightSlot } from '../slots.ts'
import { upcoming } from '../today.ts'
import { resultSchema } from '../travel-data.ts'
import { lookupTimeoutMs, peopleInput } from './tool-inputs.ts'

/** Finds the flights of a day. */
export function searchFlightsTool(today: () => string): AnyTool {
  return defineTool({
    name: 'search_flights',
    description:
      'Finds the flights of one day between an airport in the United Kingdom and a destination, in either direction. ' +
      'Prices are in pounds per person, times are local. For a round trip search once for each direction. When origins ' +
      'or destinations has several names, the place was not clear: ask the user which one, or compare them. To offer a ' +
      'flight in a package, give its flightNumber and day to assemble_package.',
    inputSchema: z.object({
      origin: z.string().min(1).describe('A city, airport or airport code, such as Gatwick, LGW or London.'),
      destination: z.string().min(1).describe('A city, airport, airport code or country, such as Corfu or CFU.'),
      date: dayInput('The day of departure, as YYYY-MM-DD.'),
      passengers: peopleInput('How many people fly.').default(1),
      directOnly: z.boolean().exactOptional().describe('True for flights without stops only.'),
      sortBy: z.enum(flightOrders).exactOptional().describe('Direct ones first, then by price, when left out.'),
    }),
    outputSchema: resultSchema('flight-results').extend({
      passengers: z.int(),
      origins: z.array(z.string()),
      destinations: z.array(z.string()),
    }),
    handler: (search) => {
      upcoming(isoDate(search.date), today())
      return {
        kind: 'flight-results' as const,
        slotKey: flightSlot(search),
        data: { ...searchFlights(search), search },
        passengers: search.passengers,
        origins: airportsOf(search.origin, 'origin').map(({ name }) => name),
        destinations: airportsOf(search.destination, 'destination').map(({ name }) => name),
      }
    },
    idempotent: true,
    tags: ['flight-search'],
    timeoutMs: lookupTimeoutMs,
  })
}
