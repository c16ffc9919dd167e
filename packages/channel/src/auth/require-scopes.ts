import { BeachError, type Principal } from '@cool-ai/beach-core'

/** Refuses a principal that lacks one of the scopes; the error names those that are missing. */
export function requireScopes(principal: Principal, required: readonly string[] = []): void {
  const missing = required.filter((scope) => principal.scopes?.includes(scope) !== true)
  if (missing.length === 0) return
  const message = `This needs the scope ${missing.join(', ')}, which you do not have. Ask the operator who gave you access.`
  throw new BeachError('FORBIDDEN', message, { details: { missing } })
}
