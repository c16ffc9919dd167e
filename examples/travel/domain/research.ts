import * as z from 'zod'
import { sectionNames, type SectionName } from './destination.ts'
import { theDestination } from './places.ts'

/** The data of kind `research-section`. */
export const researchSectionSchema = z.object({
  destination: z.string(),
  section: z.enum(sectionNames),
  title: z.string(),
  text: z.string(),
  source: z.object({ title: z.string(), url: z.url() }),
})

export type ResearchSection = z.infer<typeof researchSectionSchema>

/** What we know of a destination, section by section; all of them when none are named. */
export function researchSections(
  destination: string,
  sections: readonly SectionName[] = sectionNames,
): ResearchSection[] {
  const { airport, research } = theDestination(destination)
  return sectionNames
    .filter((section) => sections.includes(section))
    .map((section) => ({ destination: airport.name, section, ...research[section] }))
}

/** The slot that a section stands in, wherever it is shown: `research-corfu-culture`. */
export function researchSlot({ destination, section }: ResearchSection): string {
  return `research-${theDestination(destination).id}-${section}`
}
