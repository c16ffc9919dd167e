import { BeachError } from '@cool-ai/beach-core'

/** The most people that travel together. */
export const maxPartySize = 9

/** The number of people when it is one that can travel together, else an error that says so. */
export function partyOf(count: number, name: string): number {
  if (Number.isInteger(count) && count >= 1 && count <= maxPartySize) return count
  throw new BeachError('BAD_REQUEST', `The number of ${name} must be a whole number from 1 to ${maxPartySize}.`)
}
