import { BeachError, type Part } from '@cool-ai/beach-core'
import { sliceState, type SessionState } from '@cool-ai/beach-core/log'
import { shownSurfaces } from '@cool-ai/beach-protocol'
import { surfaceSlice } from './surface-slice.ts'

/** Refuses parts of an actor that touch the surface of an approval: what people decide on is not the actor's to change. */
export function checkSurfaces(state: SessionState, parts: readonly Part[]): void {
  const touched = shownSurfaces(parts)
  if (touched.size === 0) return
  const approvals = sliceState(surfaceSlice, state).live.filter(({ approvalId }) => approvalId !== undefined)
  const own = approvals.find(({ surfaceId }) => touched.has(surfaceId))
  if (own === undefined) return
  throw new BeachError(
    'INVALID_PART',
    `The surface '${own.surfaceId}' is the one of an approval; only the system may change it. Use another id.`,
  )
}
