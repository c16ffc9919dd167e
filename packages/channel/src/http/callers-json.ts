import type { Clock, Principal } from '@cool-ai/beach-core'
import { readJson, type BodyLimits } from './json-body.ts'

/** The JSON of a request; that of guests counts with all that is held of unauthenticated callers. */
export function readCallersJson(
  request: Request,
  principal: Principal | undefined,
  { limits, types, clock }: { readonly limits: BodyLimits; readonly types?: readonly string[]; readonly clock: Clock },
): Promise<unknown> {
  const isKnown = principal !== undefined && principal.kind !== 'anonymous'
  return readJson(request, limits, types, { clock, isKnown })
}
