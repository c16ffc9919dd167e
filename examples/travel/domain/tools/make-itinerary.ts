import type { ArtifactStore, Clock } from '@cool-ai/beach-core'
import { defineTool, type ToolDefinition } from '@cool-ai/beach-llm'
import { artifactSchema, type ArtifactReference } from '@cool-ai/beach-protocol'
import * as z from 'zod'
import type { BasketStore } from '../basket-store.ts'
import { itineraryCalendar } from '../itinerary-calendar.ts'
import { itineraryHtml } from '../itinerary-html.ts'
import { itineraryOf } from '../itinerary.ts'
import { maxPartySize } from '../party.ts'

const line = z.string().trim().min(1).max(120)

const inputSchema = z.object({
  reference: z
    .string()
    .exactOptional()
    .describe('Of a booking. When left out: what is in the basket, or else what was booked last.'),
  title: line.exactOptional().describe('The heading, such as A week in Corfu.'),
  travellers: z.array(line).max(maxPartySize).exactOptional().describe('The names of the travellers.'),
})

const outputSchema = z.object({ artifacts: z.array(artifactSchema) })

export interface MakeItineraryOptions {
  readonly baskets: BasketStore
  readonly artifacts: ArtifactStore
  readonly tenant: string
  readonly clock: Clock
}

/** Writes an itinerary: a page to print, and a calendar to import. */
export function makeItinerary({
  baskets,
  artifacts,
  tenant,
  clock,
}: MakeItineraryOptions): ToolDefinition<z.infer<typeof inputSchema>, z.infer<typeof outputSchema>> {
  return defineTool({
    name: 'make_itinerary',
    description:
      'Makes two files of a booking or of what is in the basket: an itinerary to print (HTML) and a calendar to ' +
      'import (.ics). Give each of the returned artifacts to the user as an artifact part, with its data unchanged.',
    inputSchema,
    outputSchema,
    async handler(choice, { session, signal }) {
      const itinerary = itineraryOf(await baskets.load(session.sessionId, signal), choice)
      const name = `itinerary-${itinerary.items[0]?.start.slice(0, 10)}`
      const put = async (text: string, ending: string, mimeType: string): Promise<ArtifactReference> => {
        const about = { name: `${name}.${ending}`, mimeType, tenant, session: session.sessionId }
        const kept = await artifacts.put(new TextEncoder().encode(text), about, signal)
        return { artifactId: kept.artifactId, name: kept.name, mimeType: kept.mimeType, sizeBytes: kept.sizeBytes }
      }
      const page = await put(itineraryHtml(itinerary), 'html', 'text/html; charset=utf-8')
      const calendar = await put(itineraryCalendar(itinerary, clock.now()), 'ics', 'text/calendar; charset=utf-8')
      return { artifacts: [page, calendar] }
    },
    idempotent: true,
    tags: ['package-assembly'],
    timeoutMs: 30_000,
  })
}
