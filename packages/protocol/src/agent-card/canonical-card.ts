import { canonicalJson } from './canonical-json.ts'
import type { AgentCardJson } from './card-json.ts'

/** What is signed of a card: all of it but the signatures. */
export function canonicalCard({ signatures: _, ...json }: AgentCardJson): string {
  return canonicalJson(json)
}
