import { BeachError, type Principal } from '@cool-ai/beach-core'
import type { AgentCardInput } from '@cool-ai/beach-protocol/agent-card'

/** Refuses a principal that lacks one of the scopes; the error names those that are missing. */
export function requireScopes(principal: Principal, required: readonly string[] = []): void {
  const missing = required.filter((scope) => principal.scopes?.includes(scope) !== true)
  if (missing.length === 0) return
  const message = `This needs the scope ${missing.join(', ')}, which you do not have. Ask the operator who gave you access.`
  throw new BeachError('FORBIDDEN', message, { details: { missing } })
}

/** Refuses a transport that asks for scopes without auth: its callers can have none. */
export function checkScopes({
  auth,
  requiredScopes = [],
}: Pick<AgentCardInput['transports'][number], 'auth' | 'requiredScopes'>): void {
  if (requiredScopes.length === 0 || (auth !== undefined && auth.type !== 'none')) return
  const message = `No caller can have the scope ${requiredScopes.join(', ')} on a transport without auth. Change one of the two.`
  throw new BeachError('INVALID_CONFIGURATION', message)
}
