import type { Clock, Principal } from '@cool-ai/beach-core'
import { inTime } from './in-time.ts'
import { readJson, type BodyLimits } from './json-body.ts'

const guestBodyMs = 15_000

/** The JSON of somebody's request; for that of guests nobody waits long. */
export function readCallersJson(
  request: Request,
  principal: Principal | undefined,
  { limits, types, clock }: { readonly limits: BodyLimits; readonly types?: readonly string[]; readonly clock: Clock },
): Promise<unknown> {
  const body = readJson(request, limits, types)
  const isGuest = principal === undefined || principal.kind === 'anonymous'
  return isGuest ? inTime(body, clock, guestBodyMs) : body
}
