import { BeachError } from '@cool-ai/beach-core'
import type { AgentCardInput } from '@cool-ai/beach-protocol/agent-card'

/** Refuses a transport that asks for scopes without auth: its callers can have none. */
export function checkScopes({
  auth,
  requiredScopes = [],
}: Pick<AgentCardInput['transports'][number], 'auth' | 'requiredScopes'>): void {
  if (requiredScopes.length === 0 || (auth !== undefined && auth.type !== 'none')) return
  const message = `No caller can have the scope ${requiredScopes.join(', ')} on a transport without auth. Change one of the two.`
  throw new BeachError('INVALID_CONFIGURATION', message)
}
