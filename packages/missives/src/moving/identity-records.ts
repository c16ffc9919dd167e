import type { IdentityEvent } from '../identities/identity-store.ts'

/** A part of what a store of identities holds, as it moves to another one. Joins that wait for their code do not move. */
export type IdentityRecord =
  | { readonly kind: 'address'; readonly tenant: string; readonly address: string; readonly person: string }
  /** The changes are numbered in their order. */
  | { readonly kind: 'identityEvent'; readonly number: number; readonly tenant: string; readonly event: IdentityEvent }
