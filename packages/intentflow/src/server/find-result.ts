import type { StoredResult } from './flows-state.ts'

/**
 * The ids that lists of results have had, by the last result of a list. A list that goes on takes them over, so that an
 * event need not be looked for among hundreds of others that it is not.
 */
const seen = new WeakMap<StoredResult, Set<string>>()

/** The result of an event among those that are kept: of one for that instance, or for none. */
export function findResult(
  results: readonly StoredResult[],
  eventId: string,
  instanceId: string | undefined,
): StoredResult | undefined {
  if (!idsOf(results).has(eventId)) return undefined
  // It may be one that is not kept any more, or of a list that has gone on.
  return results.findLast((result) => result.eventId === eventId && result.instanceId === instanceId)
}

const nothing: ReadonlySet<string> = new Set()

function idsOf(results: readonly StoredResult[]): ReadonlySet<string> {
  const last = results.at(-1)
  if (last === undefined) return nothing
  const before = results.at(-2)
  const known = seen.get(last) ?? (before && seen.get(before))
  const ids = known === undefined || known.size > 2 * results.length + 100 ? allIds(results) : known.add(last.eventId)
  seen.set(last, ids)
  return ids
}

function allIds(results: readonly StoredResult[]): Set<string> {
  return new Set(results.map(({ eventId }) => eventId))
}
