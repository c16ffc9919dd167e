/** Who is calling, once authenticated. A session belongs to one principal of one tenant. */
export interface Principal {
  readonly kind: 'anonymous' | 'user' | 'peer' | 'operator'
  readonly id: string
  readonly tenant: string
  /** What it may do beyond talking, such as `booking:write`. */
  readonly scopes?: readonly string[]
}

/** True when `by` may see what belongs to `owner`: the owner itself, or an operator of the same tenant. */
export function mayAccess(owner: Principal, by: Principal): boolean {
  if (owner.tenant !== by.tenant) return false
  return by.kind === 'operator' || (owner.kind === by.kind && owner.id === by.id)
}

/** The principal as one word for keys and logs; parts are escaped, so no two principals share it. */
export function principalKey(principal: Principal): string {
  return `${encodeURIComponent(principal.kind)}~${encodeURIComponent(principal.id)}`
}

/** Who may decide a session's approvals: its owner, any operator of the tenant, a principal by name, or principals with a scope. */
export type Approver =
  | 'owner'
  | 'operator'
  | { readonly kind: Principal['kind']; readonly id: string }
  | { readonly scope: string }

/** True when one of the approvers is `by`. */
export function mayApprove(approvers: readonly Approver[], owner: Principal, by: Principal): boolean {
  if (owner.tenant !== by.tenant) return false
  return approvers.some((approver) => {
    if (approver === 'owner') return owner.kind === by.kind && owner.id === by.id
    if (approver === 'operator') return by.kind === 'operator'
    if ('scope' in approver) return by.scopes?.includes(approver.scope) === true
    return approver.kind === by.kind && approver.id === by.id
  })
}
