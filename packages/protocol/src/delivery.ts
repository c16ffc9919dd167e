import { partTypeRegistry, type DeliveryDecision, type Originator, type Part } from '@cool-ai/beach-core'
import { peerOf } from '@cool-ai/beach-core/ports'
import type { PartTypeEntry } from '@cool-ai/beach-core/registries'
import { isForLanguageOf } from './context-languages.ts'
import { isPeerWords } from './peer-words.ts'

/** What a delivery decision needs to know of a listener. */
export type Listener = Pick<Originator, 'transport' | 'deliveryClass' | 'consumes' | 'llmContextLanguage'>

const peerTransports: ReadonlySet<string> = new Set(['a2a', 'mcp'])

/** True for another agent: it reached us by an agent's protocol, or has said what it consumes. */
export function isPeer(to: Listener): boolean {
  return to.consumes !== undefined || peerTransports.has(to.transport)
}

/**
 * What happens to a part (or to parts of a type) on its way to a listener. A type that is not registered is dropped,
 * unless a peer has said it: then it is passed on to listeners of the stream.
 */
export function decideDelivery(
  part: Part | string,
  to: Listener,
  registry: { get(partType: string): PartTypeEntry | undefined } = partTypeRegistry,
): DeliveryDecision {
  const entry = typeof part === 'string' ? registry.get(part) : entryOf(part, registry)
  if (entry === undefined || !mayReach(entry, to)) return 'drop'
  if (typeof part !== 'string' && to.deliveryClass === 'buffered' && isPeerWords(part)) return 'drop'
  if (typeof part !== 'string' && entry.partType === 'llm-context' && !isForLanguageOf(part, to)) return 'drop'
  const { deliveryClass, transport } = to
  const { transports, [deliveryClass]: byClass } = entry.deliveryRules
  // A transport may be called like a method of Object.
  return transports !== undefined && Object.hasOwn(transports, transport) ? (transports[transport] ?? byClass) : byClass
}

const passedOn: PartTypeEntry['deliveryRules'] = { streaming: 'flush', buffered: 'drop' }

function entryOf(part: Part, registry: { get(partType: string): PartTypeEntry | undefined }) {
  const { partType } = part.metadata
  const entry = registry.get(partType)
  if (entry !== undefined || peerOf(part) === undefined) return entry
  return { partType, deliveryRules: passedOn, requiresPeerConsumes: true }
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

type Reach = Pick<PartTypeEntry, 'partType' | 'allowedTransports' | 'peersOnly' | 'requiresPeerConsumes'>

function mayReach(entry: Reach, to: Listener): boolean {
  const { allowedTransports } = entry
  if (allowedTransports !== undefined && !isAllowed(allowedTransports, to.transport)) return false
  if (entry.peersOnly !== true && entry.requiresPeerConsumes !== true) return true
  if (!isPeer(to)) return entry.peersOnly !== true
  return entry.requiresPeerConsumes !== true || to.consumes?.includes(entry.partType) === true
}
