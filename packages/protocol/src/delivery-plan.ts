import { partTypeRegistry, type DeliveryDecision, type Part } from '@cool-ai/beach-core'
import type { PartTypeEntry } from '@cool-ai/beach-core/registries'
import { decideDelivery, type Listener } from './delivery.ts'

/** A part that goes to a listener, and how. */
export interface PlannedPart {
  readonly part: Part
  readonly decision: Exclude<DeliveryDecision, 'drop' | 'audit-only' | 'inbound-only'>
}

/** The parts that may go to a listener at all, each with its decision. */
export function planDelivery(
  parts: readonly Part[],
  to: Listener,
  registry: { get(partType: string): PartTypeEntry | undefined } = partTypeRegistry,
): PlannedPart[] {
  const planned: PlannedPart[] = []
  for (const part of parts) {
    const decision = decideDelivery(part, to, registry)
    if (decision !== 'drop' && decision !== 'audit-only' && decision !== 'inbound-only')
      planned.push({ part, decision })
  }
  return planned
}
