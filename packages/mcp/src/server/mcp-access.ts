import type { AgentContext } from '@cool-ai/beach-channel'
import { isMcpByHttp } from '@cool-ai/beach-channel/peers'
import { accessRequirements, type AccessRequirements } from '@cool-ai/beach-channel/auth'
import type { ProtectedResource } from './protected-resource.ts'

/** What `/mcp` asks of its callers: what its transport in the card says. Where the card has none, as much as A2A asks. */
export function mcpAccess(
  { card, defaultAuth }: Pick<AgentContext, 'card' | 'defaultAuth'>,
  tokens: ProtectedResource | undefined,
): AccessRequirements {
  const transports = card?.transports ?? []
  const own = transports.filter(isMcpByHttp)
  if (tokens !== undefined) {
    return accessRequirements([...own, { auth: { type: 'oauth2' }, requiredScopes: tokens.requiredScopes ?? [] }])
  }
  if (card === undefined) return accessRequirements(defaultAuth === undefined ? [] : [{ auth: defaultAuth }])
  return accessRequirements(own.length === 0 ? transports.filter(({ protocol }) => protocol === 'a2a') : own)
}
