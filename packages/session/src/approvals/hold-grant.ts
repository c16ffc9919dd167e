import { sleep, type Clock } from '@cool-ai/beach-core'
import { keepAlive, yieldToEventLoop } from '@cool-ai/beach-core/runtime'

/**
 * Waits until a denial that came in the same moment as a grant has come through, by whatever way. What has reached the
 * process by the end of that time is read first, also when the process was busy all the while.
 */
export async function holdGrant(clock: Clock, ms: number): Promise<void> {
  if (ms === 0) return
  await keepAlive(sleep(clock, ms))
  for (let round = 0; round < 3; round++) await yieldToEventLoop()
}
