import { systemClock, type ArtifactStore, type Clock } from '@cool-ai/beach-core'
import type { AnyTool } from '@cool-ai/beach-llm'
import type { BasketStore } from '../basket-store.ts'
import { todayIn } from '../today.ts'
import { assemblePackage } from './assemble-package.ts'
import { bookPackage } from './book-package.ts'
import { makeItinerary } from './make-itinerary.ts'
import { researchDestination } from './research-destination.ts'
import { searchCruisesTool } from './search-cruises.ts'
import { searchFlightsTool } from './search-flights.ts'
import { searchHotelsTool } from './search-hotels.ts'

export interface TravelToolsOptions {
  readonly baskets: BasketStore
  readonly artifacts: ArtifactStore
  /** Whose artifacts the itineraries are. */
  readonly tenant: string
  /** The machine's clock when left out. */
  readonly clock?: Clock | undefined
  /** How long the research of a section takes; no time at all when left out. */
  readonly sectionMs?: number | undefined
}

/** All that the travel agent can do; each tool's tags name the capabilities of its card. */
export function travelTools(options: TravelToolsOptions): AnyTool[] {
  const { baskets, artifacts, tenant, clock = systemClock, sectionMs = 0 } = options
  const today = () => todayIn(clock)
  return [
    searchFlightsTool(today),
    searchHotelsTool(today),
    searchCruisesTool(today),
    researchDestination({ clock, sectionMs }),
    assemblePackage(baskets, today),
    bookPackage(baskets, today),
    makeItinerary({ baskets, artifacts, tenant, clock }),
  ]
}
