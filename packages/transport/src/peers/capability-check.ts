import { BeachError, type Part } from '@cool-ai/beach-core'
import { collectDomainData } from '@cool-ai/beach-protocol'
import type { CardCapability } from '@cool-ai/beach-protocol/agent-card'
import type { CallablePeer, Peers } from './peers.ts'
import { plainWords } from './plain-words.ts'

/** What is wrong with a value by a JSON Schema, one sentence each; throws for a schema that cannot be used. */
export type SchemaProblems = (schema: Readonly<Record<string, unknown>>, value: unknown) => readonly string[]

/** The capability of that name, which a message asks for. */
export function capabilityOf({ id, card }: CallablePeer, capability: string): CardCapability {
  const found = card.capabilities.find((candidate) => candidate.id === capability)
  if (found !== undefined) return found
  throw new BeachError('BAD_REQUEST', `The agent '${id}' has no capability of this name.`, { details: { peer: id } })
}

/** Checks what goes to a capability, or comes from it, by the schema that its card has for it. */
export class CapabilityCheck {
  readonly #peers: Peers
  readonly #problems: SchemaProblems | undefined

  constructor(peers: Peers, problems: SchemaProblems | undefined) {
    this.#peers = peers
    this.#problems = problems
  }

  /** Throws INVALID_PART for a request that the peer would not understand. A request in words only is not checked. */
  async request(peer: CallablePeer, capability: string, parts: readonly Part[], signal: AbortSignal): Promise<void> {
    const problems = await this.#check({ peer, capability, which: 'input', parts, signal })
    if (problems.length === 0) return
    // A schema is somebody else's text too.
    const named = problems.slice(0, 5).map((problem) => plainWords(problem, 200))
    const message = `The data does not fit '${capability}' of the agent '${peer.id}': ${named.join('; ')}`
    throw new BeachError('INVALID_PART', message, { details: { peer: peer.id, problems } })
  }

  /** Throws PEER_PROTOCOL for an answer that is not what the card promises. */
  async answer(peer: CallablePeer, capability: string, parts: readonly Part[], signal: AbortSignal): Promise<void> {
    const problems = await this.#check({ peer, capability, which: 'output', parts, signal })
    if (problems.length === 0) return
    const message = `The agent '${peer.id}' has answered with data that does not fit what its card says.`
    throw new BeachError('PEER_PROTOCOL', message, { details: { peer: peer.id, problems } })
  }

  async #check(asked: {
    peer: CallablePeer
    capability: string
    which: 'input' | 'output'
    parts: readonly Part[]
    signal: AbortSignal
  }): Promise<readonly string[]> {
    const { peer, capability, which, parts, signal } = asked
    const { inputSchema, outputSchema } = capabilityOf(peer, capability)
    const own = which === 'input' ? inputSchema : outputSchema
    const data = parts.filter((part) => part.metadata.partType === 'domain-data')
    if (own === undefined || this.#problems === undefined || data.length === 0) return []
    // Without a registry that resolves them, references to other documents say nothing.
    const isElsewhere = typeof own.$ref === 'string' && !own.$ref.startsWith('#')
    const schema = isElsewhere ? await this.#peers.resolveSchema?.(peer.id, capability, which, { signal }) : own
    return schema === undefined ? [] : this.#problems(schema, valueOf(data))
  }
}

function valueOf(parts: readonly Part[]): unknown {
  return parts.length === 1 ? parts[0]?.data : collectDomainData(parts)
}
