import { isDeepStrictEqual } from 'node:util'

/** What is new in `after`, or other than it was, key by key. */
export function changedKeys(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(after).filter(([key, value]) => value !== before[key] && !isDeepStrictEqual(value, before[key])),
  )
}
