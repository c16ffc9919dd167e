import type { Store } from '@cool-ai/beach-core'

const prefix = 'upkeep:'
const maxGapMs = 3 * 24 * 60 * 60 * 1_000

/**
 * Puts on record that the upkeep runs now. False when it has not run in the last three days: either no process was
 * there, or the clock was set. Then nothing goes in this run, so that a clock that is wrong for less than a day costs no
 * data.
 */
export async function noteRun(store: Store, now: number): Promise<boolean> {
  const key = `${prefix}${now}`
  const earlier = await store.list(prefix)
  await store.bind(key, String(now))
  for (const other of earlier) if (other.key !== key) await store.unbind(other.key)
  return earlier.some(({ value }) => Number(value) <= now && Number(value) >= now - maxGapMs)
}
