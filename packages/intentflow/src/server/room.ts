import { FlowError } from '../schemas/index.ts'
import { flowCounts } from './flows-state.ts'
import type { EventBatch } from './event-batch.ts'

// A turn that has not said what it prepared by then never will.
const preparedMs = 10 * 60 * 1_000

/** Refuses one more flow where as many are open, or about to be, as there may be. */
export function checkRoom({ state, context }: EventBatch, maxFlows: number): void {
  const { flows, prepared, work } = state
  const coming = [
    ...prepared.filter(({ at = 0 }) => context.now - at < preparedMs),
    ...work.filter(({ kind }) => kind === 'hydrate'),
  ]
  if (Object.keys(flows).length + coming.length < maxFlows) return
  const message = `${maxFlows} flows are open in this conversation. Complete or dismiss one first.`
  throw new FlowError('RATE_LIMITED', message, { retryAfter: 60 })
}

/** Refuses more work where too much waits already. */
export function checkWork({ state }: EventBatch): void {
  if (state.work.length < flowCounts.work) return
  throw new FlowError('RATE_LIMITED', 'Too much is being worked on in this conversation. Wait a moment.', {
    retryAfter: 5,
  })
}
