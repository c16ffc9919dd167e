import * as z from 'zod'
import { maxPartySize } from '../party.ts'

/** A number of people, as models are asked for it. */
export function peopleInput(description: string): z.ZodInt {
  return z.int().min(1).max(maxPartySize).describe(description)
}

/** How long a tool that only looks things up may take. */
export const lookupTimeoutMs = 10_000
