import type { Principal } from '@cool-ai/beach-core'

/** What a user needs to use a flow; checked when it is invoked and on every event. */
export interface FlowPermissions {
  /** No anonymous users. */
  readonly auth?: boolean | undefined
  /** One of them is enough. */
  readonly roles?: readonly string[] | undefined
  /** All of them, of the principal's scopes. */
  readonly scopes?: readonly string[] | undefined
  /** All of them must be switched on. */
  readonly features?: readonly string[] | undefined
}

/** The user of a flow, and what they may do. */
export interface FlowUser {
  readonly principal: Principal
  readonly roles?: readonly string[] | undefined
  readonly features?: readonly string[] | undefined
}

export type PermissionCheck =
  | { readonly allowed: true }
  | {
      readonly allowed: false
      readonly code: 'AUTH_REQUIRED' | 'PERMISSION_DENIED'
      /** For logs and developers: names what is missing. */
      readonly reason: string
    }

/** Refuses a user who lacks a permission that a flow asks for. */
export function checkPermissions(flow: { readonly permissions?: FlowPermissions }, who: FlowUser): PermissionCheck {
  const { auth, roles = [], scopes = [], features = [] } = flow.permissions ?? {}
  const needsName = auth === true || roles.length + scopes.length > 0
  if (needsName && who.principal.kind === 'anonymous') {
    return { allowed: false, code: 'AUTH_REQUIRED', reason: 'The flow is for users who have signed in.' }
  }
  const has = (all: readonly string[] | undefined) => (name: string) => all?.includes(name) === true
  if (roles.length > 0 && !roles.some(has(who.roles))) return denied(`one of the roles ${roles.join(', ')}`)
  const scope = scopes.find((name) => !has(who.principal.scopes)(name))
  if (scope !== undefined) return denied(`the scope ${scope}`)
  const feature = features.find((name) => !has(who.features)(name))
  return feature === undefined ? { allowed: true } : denied(`the feature ${feature}`)
}

function denied(needed: string): PermissionCheck {
  return { allowed: false, code: 'PERMISSION_DENIED', reason: `The flow needs ${needed}.` }
}
