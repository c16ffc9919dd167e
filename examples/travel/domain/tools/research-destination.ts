import { defined } from '@cool-ai/beach-core/runtime'
import { sleep, type AuthoredPart, type Clock } from '@cool-ai/beach-core'
import { defineTool, type ToolDefinition } from '@cool-ai/beach-llm'
import { pointerTo, type Citation, type Progress } from '@cool-ai/beach-protocol'
import * as z from 'zod'
import { dayInput } from '../day-input.ts'
import { sectionNames } from '../destination.ts'
import { isoDate } from '../iso-date.ts'
import { theDestination } from '../places.ts'
import { researchSections, researchSectionSchema, researchSlot, type ResearchSection } from '../research.ts'
import { activitySlot } from '../slots.ts'
import { todayIn, upcoming } from '../today.ts'
import { resultSchema } from '../travel-data.ts'
import { peopleInput } from './tool-inputs.ts'

const inputSchema = z.object({
  destination: z.string().min(1).describe('One city or island, such as Corfu.'),
  sections: z.array(z.enum(sectionNames)).min(1).exactOptional().describe('All of them when left out.'),
  date: dayInput('A day of the journey, for the activities.').exactOptional(),
  people: peopleInput('How many people travel.').exactOptional(),
})

const outputSchema = resultSchema('activity-results').extend({
  destination: z.string(),
  sections: z.array(researchSectionSchema),
})

/** Tells about a destination, section by section, with its sources. */
export function researchDestination({
  clock,
  sectionMs,
}: {
  clock: Clock
  sectionMs: number
}): ToolDefinition<z.infer<typeof inputSchema>, z.infer<typeof outputSchema>> {
  return defineTool({
    name: 'research_destination',
    description:
      'Researches a destination: culture, logistics, activities and a sample itinerary. The user sees the progress and ' +
      'each section with its source as it is found, so do not repeat them: sum up what matters for this journey. The ' +
      'result also has activities that can be booked, as data of a kind of its own: offer them as a domain-data part, ' +
      'and give an activityId and a day to assemble_package when one is chosen.',
    inputSchema,
    outputSchema,
    async handler({ destination, sections, date, people }, { emit, signal }) {
      const found = researchSections(destination, sections)
      const { airport, activities } = theDestination(destination)
      const total = found.length
      await emit([progress({ label: `Research on ${airport.name}`, done: 0, total, unit: 'sections' })])
      for (const [index, section] of found.entries()) {
        if (sectionMs > 0) await sleep(clock, sectionMs, signal)
        signal.throwIfAborted()
        const done = progress({ label: `Research on ${airport.name}`, done: index + 1, total, unit: 'sections' })
        await emit([sectionPart(section), citation(section), done])
      }
      const day = date === undefined ? undefined : upcoming(isoDate(date), todayIn(clock))
      const data = defined({ destination: airport.name, date: day, people, activities: [...activities] })
      return { destination: airport.name, sections: found, kind: 'activity-results', slotKey: activitySlot(data), data }
    },
    idempotent: true,
    tags: ['destination-research'],
    timeoutMs: 60_000,
  })
}

function sectionPart(section: ResearchSection): AuthoredPart {
  const metadata = { partType: 'domain-data', kind: 'research-section', slotKey: researchSlot(section) }
  return { data: section, metadata }
}

function citation(section: ResearchSection): AuthoredPart {
  const data: Citation = { path: pointerTo(pointerTo('', researchSlot(section)), 'text'), ...section.source }
  return { data, metadata: { partType: 'citation' } }
}

function progress(data: Progress): AuthoredPart {
  return { data, metadata: { partType: 'progress' } }
}
