import { BeachError } from '@cool-ai/beach-core'
import type { AgentCardJson } from './card-json.ts'

/** The one way to write a JSON value by RFC 8785: names in order, nothing between them. */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string' && !value.isWellFormed()) {
    throw new BeachError('BAD_JSON', 'The card has half of a surrogate pair, which is not a character.')
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return `{${members.map(([name, member]) => `${canonicalJson(name)}:${canonicalJson(member)}`).join(',')}}`
}

/** What is signed of a card: all of it but the signatures. */
export function canonicalCard({ signatures: _, ...json }: AgentCardJson): string {
  return canonicalJson(json)
}
