import { AgentCard, canonicalizeAgentCard } from '@a2a-js/sdk'
import { isPlainObject } from '../plain-value.ts'
import { a2aCardSchema, withoutNulls } from './a2a-card.ts'
import { canonicalCard } from './canonical-card.ts'
import { agentCardToJson, type AgentCardJson } from './card-json.ts'
import { parseCard } from './card-problems.ts'

/** A signature as a card carries it. */
export interface Signature {
  readonly protected: string
  readonly signature: string
}

/** What may have been signed of a card. */
export interface Payload {
  readonly text: string
  /** False when it leaves out some of what the card says. */
  readonly isComplete: boolean
}

/** The signatures of a card, and what each of them may be over. */
export function readSigned(
  json: unknown,
  allowPartial: boolean,
): { readonly signatures: readonly Signature[]; readonly payloads: readonly Payload[] } {
  if (!isPlainObject(json) || json.signatures === undefined) return { signatures: [], payloads: [] }
  const { signatures = [] } = parseCard(a2aCardSchema, withoutNulls(json))
  // What was given, not what the schema has made of it: all of it must have been signed.
  const { signatures: _, ...card } = json
  const complete = completeTexts(card)
  const partial = allowPartial ? sdkTexts(card).filter((text) => !complete.includes(text)) : []
  return {
    signatures: signatures.map((entry) => ({ protected: entry.protected, signature: entry.signature })),
    payloads: [
      ...complete.map((text) => ({ text, isComplete: true })),
      ...partial.map((text) => ({ text, isComplete: false })),
    ],
  }
}

// A2A signs a card without what says nothing, so a copy that spells it out is still the same card; the SDK also leaves
// out what is required and says nothing.
function completeTexts(card: AgentCardJson): string[] {
  const own = AgentCard.fromJSON(card)
  const written = [agentCardToJson(own), AgentCard.toJSON(own) as AgentCardJson]
  const texts = [card, ...written.filter((json) => isCovered(card, json))].map((json) => canonicalCard(json))
  return [...new Set(texts)]
}

/** Whether everything that the one value says stands in the other too. */
function isCovered(one: unknown, other: unknown): boolean {
  if (one === null || one === '' || one === false) return true
  if (typeof one !== 'object') return one === other
  const names = Object.keys(one)
  if (names.length === 0) return true
  if (typeof other !== 'object' || other === null) return false
  return names.every((name) => isCovered(one[name as keyof typeof one], other[name as keyof typeof other]))
}

// What the SDK signs depends on whether it is given JSON or its own form of a card.
function sdkTexts(card: AgentCardJson): string[] {
  const own = AgentCard.fromJSON(card)
  return [canonicalizeAgentCard(card as unknown as AgentCard), canonicalizeAgentCard(own)]
}
