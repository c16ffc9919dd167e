import { BeachError } from '@cool-ai/beach-core'
import * as z from 'zod'
import { destinations } from './data/destinations.ts'
import type { Activity, Destination } from './destination.ts'

/** The data of kind `activity-results`: what can be done at a destination, on any day. */
export const activityResultsSchema = z.object({
  destination: z.string(),
  date: z.iso.date().exactOptional().describe('The day that is asked about.'),
  people: z.int().exactOptional(),
  activities: z.array(
    z.object({
      activityId: z.string(),
      name: z.string(),
      meetingPoint: z.string(),
      startsAt: z.string(),
      minutes: z.int(),
      pricePerPerson: z.number(),
    }),
  ),
})

export type ActivityResults = z.infer<typeof activityResultsSchema>

/** An activity and where it is; an error when there is no such activity. */
export function activityOf(activityId: string): { readonly activity: Activity; readonly destination: Destination } {
  for (const destination of destinations) {
    const activity = destination.activities.find((each) => each.activityId === activityId)
    if (activity !== undefined) return { activity, destination }
  }
  throw new BeachError(
    'BAD_REQUEST',
    `There is no activity '${activityId}'. Give an activityId just as research_destination found it.`,
  )
}
