import { isLegacyAgentCard, parseLegacyAgentCard } from '@a2a-js/sdk/compat/v0_3/client'
import { agentCardToJson } from '@cool-ai/beach-protocol/agent-card'

/**
 * An Agent Card of A2A 0.3 as one of 1.0, for agents that publish no other; whatever is none is given back as it is. Its
 * interfaces keep the version that they speak.
 */
export function fromLegacyCard(json: unknown): unknown {
  return isLegacyAgentCard(json) ? agentCardToJson(parseLegacyAgentCard(json)) : json
}
