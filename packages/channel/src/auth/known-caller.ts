import { BeachError, type Principal } from '@cool-ai/beach-core'
import { z } from 'zod'

const schema = z.object({
  id: z.string().min(1),
  tenant: z.string().min(1),
  kind: z.enum(['user', 'peer', 'operator']).optional(),
  scopes: z.array(z.string().min(1)).readonly().optional(),
  roles: z.array(z.string().min(1)).readonly().optional(),
})

/** A caller who is known beforehand, and what they may do. */
export interface KnownCaller {
  readonly id: string
  readonly tenant: string
  /** A peer when left out. */
  readonly kind?: Exclude<Principal['kind'], 'anonymous'>
  readonly scopes?: readonly string[]
  readonly roles?: readonly string[] | undefined
}

/** The principal that such a caller is; settings often come from files, so they are checked. */
export function toPrincipal(caller: KnownCaller): Principal {
  const { success, data, error } = schema.safeParse(caller)
  if (success) {
    const { kind = 'peer', id, tenant, scopes = [], roles } = data
    return { kind, id, tenant, scopes, ...(roles && { roles }) }
  }
  const fields = error.issues.map(({ path }) => path.join('.')).join(', ')
  const message = `A known caller has invalid fields: ${fields}. It takes id, tenant, and optionally kind, scopes and roles.`
  throw new BeachError('INVALID_CONFIGURATION', message)
}
