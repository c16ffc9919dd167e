import { fields, text, type PeerNames } from '@cool-ai/beach-client/view'

/** What an agent says of itself to the pages that may have a conversation with it. */
export interface AgentAbout {
  readonly name: string
  /** Things to say first. */
  readonly suggestions: readonly string[]
  /** What the agents that it asks are called, by their ids. */
  readonly peers: PeerNames
}

/** Reads what an agent says of itself; an agent of another release may say more, or less. */
export function readAbout(given: unknown): AgentAbout {
  const about = fields(given)
  const suggestions: readonly unknown[] = Array.isArray(about.suggestions) ? about.suggestions : []
  return {
    name: text(about.name) ?? 'Chat',
    suggestions: suggestions.flatMap((one) => text(one) ?? []),
    peers: Object.fromEntries(
      Object.entries(fields(about.peers)).flatMap(([id, name]) => (text(name) ? [[id, String(name)]] : [])),
    ),
  }
}
