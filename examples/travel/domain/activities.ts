import { BeachError } from '@cool-ai/beach-core'
import { destinations } from './data/destinations.ts'
import type { Activity, Destination } from './destination.ts'

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
