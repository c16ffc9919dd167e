import type { Principal, Runtime } from '@cool-ai/beach-core'
import { raceAbort } from '@cool-ai/beach-core/runtime'
import type { Hydrated } from '../definition/index.ts'
import type { RegisteredFlow } from '../registry/index.ts'
import { FlowError, isFlowError } from '../schemas/index.ts'
import type { ActiveFlows } from '../state/index.ts'
import { inTime } from './in-time.ts'

/** For what and for whom props are found out. */
export interface HydrationCall {
  readonly session: string
  readonly entities: Readonly<Record<string, unknown>>
  readonly by: Principal
  readonly flows: ActiveFlows
  readonly parentInstanceId?: string
  readonly signal: AbortSignal
}

const hydrateWithinMs = 30_000

/** Finds out the props of a flow; without a hydrator what was said is what it is shown with. */
export async function hydrate(
  { hydrator, flow }: RegisteredFlow,
  { session, entities, by, flows, parentInstanceId, signal }: HydrationCall,
  runtime: Runtime,
): Promise<Hydrated<unknown>> {
  if (hydrator === undefined) return { props: entities }
  const context = {
    activeFlows: flows,
    ...focusOf(flows),
    ...(parentInstanceId !== undefined && { parentInstanceId }),
    now: runtime.clock.now(),
  }
  try {
    return await inTime(runtime.clock, hydrateWithinMs, signal, (within) =>
      raceAbort(hydrator.hydrate({ entities, session, principal: by, context, signal: within }), within),
    )
  } catch (error) {
    if (signal.aborted || isFlowError(error)) throw error
    runtime.logger.log('warn', 'a flow could not be hydrated', { session, intentId: flow.intentId, error })
    throw new FlowError('HYDRATION_FAILED', undefined, { cause: error })
  }
}

/** The flow that changed last is the one that the user was in. */
function focusOf(flows: ActiveFlows): { readonly focusedInstanceId?: string } {
  const [last] = Object.entries(flows).toSorted(([, a], [, b]) => b.updatedAt - a.updatedAt)
  return last === undefined ? {} : { focusedInstanceId: last[0] }
}
