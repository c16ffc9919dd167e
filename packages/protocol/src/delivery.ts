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

/** The rows of the delivery table, in the order in which they are looked at: the first that applies decides. */
export type DeliveryRow =
  | 'unknown-part-type'
  | 'transport-not-allowed'
  | 'peers-only'
  | 'not-consumed'
  | 'peer-words'
  | 'other-language'
  | 'transport-rule'
  | 'class-rule'

/** What the table needs to know of a part type. */
type Ruled = Pick<
  PartTypeEntry,
  'partType' | 'deliveryRules' | 'allowedTransports' | 'peersOnly' | 'requiresPeerConsumes'
>

type Entries = { get(partType: string): PartTypeEntry | undefined }

/**
 * What happens to a part (or to parts of a type) on its way to a listener. A type that is not registered is dropped,
 * unless a peer has said it: then it is passed on to listeners of the stream.
 */
export function decideDelivery(
  part: Part | string,
  to: Listener,
  registry: Entries = partTypeRegistry,
): DeliveryDecision {
  const entry = typeof part === 'string' ? registry.get(part) : entryOf(part, registry)
  return entry === undefined ? 'drop' : decisionOf(rowOf(part, entry, to), entry, to)
}

/** The decision on a part with the row that made it, in words too: for operators who ask why a part was not sent. */
export function explainDelivery(
  part: Part,
  to: Listener,
  registry: Entries = partTypeRegistry,
): { readonly decision: DeliveryDecision; readonly row: DeliveryRow; readonly because: string } {
  const { partType } = part.metadata
  const entry = entryOf(part, registry)
  if (entry === undefined) {
    const because = `The part type '${partType}' is not registered.`
    return { decision: 'drop', row: 'unknown-part-type', because }
  }
  const row = rowOf(part, entry, to)
  const decision = decisionOf(row, entry, to)
  return { decision, row, because: inWords(row, decision, entry, to) }
}

function rowOf(part: Part | string, entry: Ruled, to: Listener): DeliveryRow {
  const { allowedTransports } = entry
  if (allowedTransports !== undefined && !isAllowed(allowedTransports, to.transport)) return 'transport-not-allowed'
  const isForPeers = entry.peersOnly === true || entry.requiresPeerConsumes === true
  const barrier = isForPeers ? peerBarrier(entry, to) : undefined
  if (barrier !== undefined) return barrier
  if (typeof part !== 'string') {
    if (to.deliveryClass === 'buffered' && isPeerWords(part)) return 'peer-words'
    if (entry.partType === 'llm-context' && !isForLanguageOf(part, to)) return 'other-language'
  }
  // A transport may be called like a method of Object.
  const { transports } = entry.deliveryRules
  const hasOwn = transports !== undefined && Object.hasOwn(transports, to.transport)
  return hasOwn && transports[to.transport] !== undefined ? 'transport-rule' : 'class-rule'
}

function decisionOf(row: DeliveryRow, { deliveryRules }: Ruled, to: Listener): DeliveryDecision {
  if (row === 'class-rule') return deliveryRules[to.deliveryClass]
  return row === 'transport-rule' ? (deliveryRules.transports?.[to.transport] ?? 'drop') : 'drop'
}

function inWords(row: DeliveryRow, decision: DeliveryDecision, entry: Ruled, to: Listener): string {
  const { partType, allowedTransports = [] } = entry
  switch (row) {
    case 'unknown-part-type':
      return `The part type '${partType}' is not registered.`
    case 'transport-not-allowed':
      return `'${partType}' goes by ${allowedTransports.join(', ')} only, and this listener is reached by ${to.transport}.`
    case 'peers-only':
      return `'${partType}' is for other agents only.`
    case 'not-consumed':
      return `The Agent Card of this peer does not list '${partType}' in what it consumes.`
    case 'peer-words':
      return 'A peer has said it, and a buffered listener gets what the agent itself answers.'
    case 'other-language':
      return `It is not in the language that this listener asked for (${to.llmContextLanguage ?? 'the default'}).`
    case 'transport-rule':
      return `The rule of '${partType}' for the transport ${to.transport} is '${decision}'.`
    case 'class-rule':
      return `The rule of '${partType}' for ${to.deliveryClass} listeners is '${decision}'.`
  }
}

const passedOn: PartTypeEntry['deliveryRules'] = { streaming: 'flush', buffered: 'drop' }

function entryOf(part: Part, registry: Entries): Ruled | undefined {
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

/** The row that keeps a part type for peers from a listener, whatever its rules are. */
function peerBarrier(entry: Ruled, to: Listener): DeliveryRow | undefined {
  if (!isPeer(to)) return entry.peersOnly === true ? 'peers-only' : undefined
  const isWanted = entry.requiresPeerConsumes !== true || to.consumes?.includes(entry.partType) === true
  return isWanted ? undefined : 'not-consumed'
}
