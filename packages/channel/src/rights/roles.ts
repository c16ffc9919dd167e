import { BeachError, type Principal } from '@cool-ai/beach-core'
import { adminApproveScope, approveScope } from '@cool-ai/beach-core/ports'

/** The scope of operators who look. */
export const lookScope = 'inspect'
/** The scope of operators who change something. */
export const actScope = 'inspect:act'
/** The scope of operators who erase, export and revoke. */
export const adminScope = 'inspect:admin'

/** The scopes of roles, by their names. */
export type Roles = Readonly<Record<string, readonly string[]>>

const approver = [approveScope]
const reader = [lookScope]
const operator = [...reader, actScope, ...approver]
const admin = [...operator, adminScope, adminApproveScope]

/** The roles that every agent knows. */
export const defaultRoles: Roles = { reader, approver, operator, admin }

/** The roles of an agent: its own besides those that every agent knows, or in their place. */
export function checkedRoles(given: Roles = {}): Roles {
  return { ...defaultRoles, ...checkedScopes(given, 'roles') }
}

/** Names with lists of scopes, or an error that says which is none. */
export function checkedScopes(given: Roles, option: string): Roles {
  const isList = (scopes: unknown) =>
    Array.isArray(scopes) && scopes.every((scope) => typeof scope === 'string' && scope !== '')
  const wrong = Object.entries(given).find(([name, scopes]) => name === '' || !isList(scopes))
  if (wrong === undefined) return given
  const message = `\`access.${option}\` has names with lists of scopes, such as { clerk: ['orders:read'] }. '${wrong[0]}' has something else.`
  throw new BeachError('INVALID_CONFIGURATION', message)
}

const operatorScopes: ReadonlySet<string> = new Set([lookScope, actScope, adminScope])

/**
 * The principal with the scopes of its roles. A role that is not known has none. What operators may do follows from roles
 * only, whatever scopes a token of another issuer names; and an operator with roles is one at the doors for operators only,
 * not wherever the kind alone would open all sessions.
 */
export function withRoleScopes(roles: Roles, principal: Principal): Principal {
  const { kind, roles: names, scopes = [] } = principal
  if (names === undefined) {
    if (kind === 'operator' || !scopes.some((scope) => operatorScopes.has(scope))) return principal
    return { ...principal, scopes: scopes.filter((scope) => !operatorScopes.has(scope)) }
  }
  const own = scopes.filter((scope) => !operatorScopes.has(scope))
  const all = new Set([...own, ...scopesOfRoles(roles, names)])
  return { ...principal, kind: kind === 'operator' ? 'user' : kind, scopes: [...all] }
}

/** The scopes of roles; one that is not known has none. */
export function scopesOfRoles(roles: Roles, names: readonly string[]): string[] {
  return names.flatMap((name) => (Object.hasOwn(roles, name) ? (roles[name] ?? []) : []))
}

/** The operator that a principal is at the doors for operators, or an error: one of that kind, or one by its roles. */
export function requireOperator(principal: Principal, scope: string): Principal {
  const { kind, roles } = principal
  if (kind !== 'operator' && roles === undefined) throw new BeachError('FORBIDDEN', 'This is for operators only.')
  if (holdsScope(principal, scope)) return { ...principal, kind: 'operator' }
  throw new BeachError('FORBIDDEN', `This needs the scope '${scope}', which you do not have. Ask an admin for a role.`)
}

/** Whether an operator has a scope. Those without roles have the scopes of earlier releases, which had no third one. */
export function holdsScope({ roles, scopes = [] }: Principal, scope: string): boolean {
  return scopes.includes(scope) || (roles === undefined && scope === adminScope && scopes.includes(actScope))
}
