import { plainWords, type CallablePeer, type Peers } from '@cool-ai/beach-channel/peers'
import { BeachError, isBeachError, type Logger, type Part } from '@cool-ai/beach-core'
import { collectDomainData } from '@cool-ai/beach-protocol'
import type { CardCapability } from '@cool-ai/beach-protocol/agent-card'
import { foreignSchemaProblems } from '@cool-ai/beach-protocol/json-schema'

/** What is wrong with a value by a JSON Schema, one sentence each; throws for a schema that cannot be used. */
export type SchemaProblems = (schema: Readonly<Record<string, unknown>>, value: unknown) => readonly string[]

/** What the checks of capabilities need. */
export interface CapabilityCheckOptions {
  readonly peers: Peers
  readonly logger: Logger
  /** Checks data by a schema; with limits on what a schema may ask for, unless given. */
  readonly schemaProblems?: SchemaProblems | undefined
  readonly resolveSchemas?: boolean | undefined
}

/** The capability of that name, which a message asks for. */
export function capabilityOf({ id, card }: CallablePeer, capability: string): CardCapability {
  const found = card.capabilities.find((candidate) => candidate.id === capability)
  if (found !== undefined) return found
  throw new BeachError('BAD_REQUEST', `The agent '${id}' has no capability of this name.`, { details: { peer: id } })
}

/** Checks what goes to a capability, or comes from it, by the schema that its card has for it. */
export class CapabilityCheck {
  readonly #options: CapabilityCheckOptions

  constructor(options: CapabilityCheckOptions) {
    this.#options = options
  }

  /** Throws INVALID_PART for a request that the peer would not understand. A request in words only is not checked. */
  async request(peer: CallablePeer, capability: string, parts: readonly Part[], signal: AbortSignal): Promise<void> {
    const problems = await this.#check({ peer, capability, which: 'input', parts, signal })
    if (problems.length === 0) return
    // A schema is foreign text too.
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
    if (own === undefined || data.length === 0) return []
    const isElsewhere = typeof own.$ref === 'string' && !own.$ref.startsWith('#')
    const schema = isElsewhere ? await this.#resolved(peer.id, capability, which, signal) : own
    if (schema === undefined) return []
    const { schemaProblems = defaultProblems, logger } = this.#options
    try {
      return schemaProblems(schema, valueOf(data))
    } catch (error) {
      // A schema that cannot be used says nothing: it is the peer's own, and so is the data.
      if (!isBeachError(error, 'INVALID_CONFIGURATION')) throw error
      logger.log('warn', 'the schema of a capability is not checked', { peer: peer.id, capability, which, error })
      return []
    }
  }

  /** A schema in a document of its own; unless they are fetched, such references say nothing. */
  async #resolved(peer: string, capability: string, which: 'input' | 'output', signal: AbortSignal) {
    const { peers, resolveSchemas = false } = this.#options
    return resolveSchemas ? peers.resolveSchema?.(peer, capability, which, { signal }) : undefined
  }
}

const defaultProblems: SchemaProblems = (schema, value) => foreignSchemaProblems(schema, value, 'the data')

function valueOf(parts: readonly Part[]): unknown {
  return parts.length === 1 ? parts[0]?.data : collectDomainData(parts)
}
