import type { Clock, Logger, Part, TurnStateRegistry } from '@cool-ai/beach-core'
import { buildEnvelope, surfaceOf, type SurfaceTemplateRegistry } from '@cool-ai/beach-protocol'

export interface CollectOptions {
  readonly turnStates: TurnStateRegistry
  readonly templates?: SurfaceTemplateRegistry
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * What the collector adds to a step: the surface of each approval request, so that it can be answered where it is seen,
 * and, when the turn emits its envelope, the surfaces that templates make of all its data.
 */
export function collect(
  step: { sessionId: string; turnId: string; turnState: string; parts: readonly Part[] },
  before: readonly Part[],
  options: CollectOptions,
): Part[] {
  const { parts, ...place } = step
  if (options.turnStates.get(step.turnState)?.emitsEnvelope !== true) {
    return parts
      .filter((part) => part.metadata.partType === 'approval-request')
      .flatMap((part) => surfaceOf(part, options))
  }
  const envelope = buildEnvelope({ ...place, mailbox: before, parts }, options)
  const said = new Set([...before, ...parts].map((part) => part.data))
  return envelope.parts.filter((part) => part.metadata.partType === 'a2ui-surface' && !said.has(part.data))
}
