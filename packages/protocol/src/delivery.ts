import { partTypeRegistry, type DeliveryDecision, type Originator, type Part } from '@cool-ai/beach-core'
import type { PartTypeEntry } from '@cool-ai/beach-core/registries'

/** What a delivery decision needs to know of a listener. */
export type Listener = Pick<Originator, 'transport' | 'deliveryClass' | 'consumes'>

const peerTransports: ReadonlySet<string> = new Set(['a2a', 'mcp'])

/** True for another agent: it reached us by an agent's protocol, or has said what it consumes. */
export function isPeer(to: Listener): boolean {
  return to.consumes !== undefined || peerTransports.has(to.transport)
}

/** What happens to a part (or to parts of a type) on its way to a listener. A type that is not registered is dropped. */
export function decideDelivery(
  part: Part | string,
  to: Listener,
  registry: { get(partType: string): PartTypeEntry | undefined } = partTypeRegistry,
): DeliveryDecision {
  const partType = typeof part === 'string' ? part : part.metadata.partType
  const entry = registry.get(partType)
  if (entry === undefined || !mayReach(entry, to)) return 'drop'
  const { deliveryClass, transport } = to
  const { transports, [deliveryClass]: usual } = entry.deliveryRules
  // A transport may be called like a method of Object.
  return transports !== undefined && Object.hasOwn(transports, transport) ? (transports[transport] ?? usual) : usual
}

/** True when a listener wants an llm-context part, so that it is worth producing one. */
export function wantsLlmContext(listeners: readonly Listener[]): boolean {
  return listeners.some((to) => to.consumes?.includes('llm-context') === true)
}

// Both are the live stream of a page: a client takes the one that works, and what it gets is the same.
const liveStreams: readonly string[] = ['sse', 'websocket']

function isAllowed(allowed: readonly string[], transport: string): boolean {
  if (allowed.includes(transport)) return true
  return liveStreams.includes(transport) && liveStreams.some((stream) => allowed.includes(stream))
}

function mayReach(entry: PartTypeEntry, to: Listener): boolean {
  const { allowedTransports } = entry
  if (allowedTransports !== undefined && !isAllowed(allowedTransports, to.transport)) return false
  if (entry.peersOnly !== true && entry.requiresPeerConsumes !== true) return true
  if (!isPeer(to)) return entry.peersOnly !== true
  return entry.requiresPeerConsumes !== true || to.consumes?.includes(entry.partType) === true
}
