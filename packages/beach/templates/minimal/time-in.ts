import { defineTool } from '@cool-ai/beach-llm'
import { z } from 'zod'

const zones: Readonly<Record<string, string>> = {
  lisbon: 'Europe/Lisbon',
  london: 'Europe/London',
  'new york': 'America/New_York',
  tokyo: 'Asia/Tokyo',
}

/** A tool: its schema is checked before the handler runs, and its result goes back to the model. */
export const timeIn = defineTool({
  name: 'time_in',
  description: 'The time in a city.',
  inputSchema: z.object({ city: z.string() }),
  handler: ({ city }) => {
    const timeZone = zones[city.toLowerCase()]
    if (timeZone === undefined) return { unknown: city, known: Object.keys(zones) }
    return { city, time: new Date().toLocaleTimeString('en-GB', { timeZone, timeStyle: 'short' }) }
  },
})
