import { BeachError, type Clock } from '@cool-ai/beach-core'

/** What is read of a request, if it comes in time; the answer to one that does not ends its connection. */
export async function inTime<Value>(reading: Promise<Value>, clock: Clock, ms: number): Promise<Value> {
  let cancel = () => {}
  const late = new Promise<never>((_, reject) => {
    cancel = clock.timer(ms, () => {
      const message = `The body did not come within ${ms / 1_000} seconds.`
      reject(new BeachError('BAD_REQUEST', message, { details: { close: true } }))
    })
  })
  try {
    return await Promise.race([reading, late])
  } finally {
    cancel()
  }
}
