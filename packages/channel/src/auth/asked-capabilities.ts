import { BeachError, type Principal } from '@cool-ai/beach-core'
import { BEACH_EXTENSION_URI, type AgentCardInput, type CardCapability } from '@cool-ai/beach-protocol/agent-card'
import { requireScopes } from './scopes.ts'

/** A message that may say in its metadata, or in that of its parts, which capability it is for. */
export interface AskingMessage {
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
  readonly parts?: readonly { readonly metadata?: Readonly<Record<string, unknown>> | undefined }[]
}

/** A2A has no field for it; the first is ours in A2A's manner, the others are in use elsewhere. */
const keys = [`${BEACH_EXTENSION_URI}/capability`, 'capability', 'skillId']

/** The ids of the capabilities that a message asks for; none when it does not say. */
export function askedCapabilities({ metadata, parts = [] }: AskingMessage): string[] {
  const asked = new Set<string>()
  for (const given of [metadata, ...parts.map((part) => part.metadata)]) {
    if (given === undefined) continue
    for (const key of keys) for (const id of idsIn(given[key], key)) asked.add(id)
  }
  return [...asked]
}

/** Refuses a message that asks for a capability that the agent has not, or that this principal lacks the scopes for. */
export function requireCapabilities(
  capabilities: readonly Pick<CardCapability, 'id' | 'requiredScopes'>[],
  message: AskingMessage,
  principal: Principal,
): void {
  for (const id of askedCapabilities(message)) {
    const capability = capabilities.find((candidate) => candidate.id === id)
    if (capability === undefined) {
      const known = capabilities.map((one) => one.id).join(', ') || 'none'
      throw new BeachError('BAD_REQUEST', `This agent has no capability '${id.slice(0, 100)}'. It has: ${known}.`)
    }
    requireScopes(principal, capability.requiredScopes)
  }
}

/**
 * The same where a name need not be one of the agent's: only the scopes of the agent's own capabilities are checked.
 */
export function requireAskedScopes(
  capabilities: readonly Pick<CardCapability, 'id' | 'requiredScopes'>[],
  message: AskingMessage,
  principal: Principal,
): void {
  const asked = askedCapabilities(message)
  for (const { id, requiredScopes } of capabilities) if (asked.includes(id)) requireScopes(principal, requiredScopes)
}

/** What the cards say that the agent can do; a capability of several needs the scopes of all. */
export function mergedCapabilities(
  cards: readonly Pick<AgentCardInput, 'capabilities'>[],
): Pick<CardCapability, 'id' | 'requiredScopes'>[] {
  const scopes = new Map<string, readonly string[]>()
  for (const { id, requiredScopes = [] } of cards.flatMap(({ capabilities }) => capabilities)) {
    scopes.set(id, [...new Set([...(scopes.get(id) ?? []), ...requiredScopes])])
  }
  return [...scopes].map(([id, requiredScopes]) => ({ id, requiredScopes }))
}

function idsIn(value: unknown, key: string): string[] {
  if (value === undefined || value === null) return []
  const ids: unknown[] = Array.isArray(value) ? value : [value]
  if (ids.every((id) => typeof id === 'string')) return ids
  // A name that cannot be read here must not be read by an actor later.
  throw new BeachError('BAD_REQUEST', `The metadata's '${key}' is not the id of a capability.`)
}
