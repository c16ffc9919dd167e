import { setTimeout as wait } from 'node:timers/promises'

interface ProgressOptions {
  /** What has been done so far, as a number that grows. */
  readonly done: () => number
  /** How long nothing may happen. */
  readonly quietMs: number
  /** How long it may go on at most. */
  readonly maxMs: number
}

const lookMs = 200

/**
 * Waits until nothing has happened for a while, or a condition holds. On a busy machine everything takes longer, so that
 * a fixed time would tell nothing; what is stuck stays stuck.
 */
export async function untilQuiet(options: ProgressOptions, isOver: () => boolean): Promise<void> {
  const { done, quietMs, maxMs } = options
  const end = performance.now() + maxMs
  let before = done()
  for (let since = performance.now(); !isOver();) {
    const now = performance.now()
    const after = done()
    if (after !== before) since = now
    before = after
    if (now - since > quietMs || now > end) return
    await wait(lookMs)
  }
}
