import type { Clock } from '@cool-ai/beach-core'
import { SurfaceTemplateRegistry } from '@cool-ai/beach-protocol'
import { todayIn } from '../domain/today.ts'
import { travelDataSchemas, type TravelData, type TravelKind } from '../domain/travel-data.ts'
import { bookingSurface, packageSurface } from './basket-surfaces.ts'
import { flightSurface } from './flight-surface.ts'
import { researchSurface } from './research-surface.ts'
import { activitySurface, cruiseSurface, hotelSurface } from './stay-surfaces.ts'

/** The surfaces of this agent's data, each named after the slot that its data stands in. */
export function travelSurfaces(clock: Clock): SurfaceTemplateRegistry {
  const templates = new SurfaceTemplateRegistry()
  const add = <Kind extends TravelKind>(
    kind: Kind,
    template: (data: TravelData<Kind>, surfaceId: string) => unknown,
  ): void => {
    templates.register(kind, (given, { slotKey }) => {
      // A model may have changed it on the way.
      const { data } = travelDataSchemas[kind].safeParse(given)
      return data === undefined ? undefined : template(data as TravelData<Kind>, slotKey ?? kind)
    })
  }
  add('flight-results', flightSurface)
  add('hotel-results', hotelSurface)
  add('cruise-results', cruiseSurface)
  add('activity-results', (data, surfaceId) => activitySurface(data, surfaceId, todayIn(clock)))
  add('research-section', researchSurface)
  add('package', packageSurface)
  add('booking', bookingSurface)
  return templates
}
