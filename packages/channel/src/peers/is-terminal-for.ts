import { turnStates, type TurnStateRegistry } from '@cool-ai/beach-core'
import type { ReadAgentCard } from '@cool-ai/beach-protocol/agent-card'

/**
 * Whether a turn of this peer is over in this state. Never for a state that is not known here: the peer may be of a
 * later version, and will come to one that is. A state that only this application knows counts if the card names it.
 */
export function isTerminalFor(
  card: Pick<ReadAgentCard, 'beach'>,
  turnState: string,
  registry: TurnStateRegistry = turnStates,
): boolean {
  const entry = registry.get(turnState)
  if (entry === undefined) return false
  const isShared = entry.isCanonical || (card.beach?.turnStates?.includes(turnState) ?? false)
  return isShared && entry.isTerminal
}
