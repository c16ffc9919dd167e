import { createHash } from 'node:crypto'
import { z } from 'zod'

/** One entry of the record, chained to the one before it by its hash. */
export interface AuditEntry {
  /** Its place in the record of its tenant, from 1. */
  readonly n: number
  readonly at: number
  /** An operator or a guest by kind and id, a person by a pseudonym. */
  readonly by: string
  readonly kind: 'look' | 'act' | 'refused'
  readonly what: string
  readonly session?: string | undefined
  readonly detail?: string | undefined
  /** The hash of the entry before. */
  readonly prev: string
  readonly hash: string
}

/** An entry as it is stored. */
export const storedEntry = z.object({
  n: z.number().int().positive(),
  at: z.number(),
  by: z.string(),
  kind: z.enum(['look', 'act', 'refused']),
  what: z.string(),
  session: z.string().optional(),
  detail: z.string().optional(),
  prev: z.string(),
  hash: z.string(),
})

/** What the first entry of a tenant is chained to. */
export function firstHash(tenant: string): string {
  return sha256(`beach audit ${tenant}`)
}

/** The hash of an entry: over all that it says, and so over all entries before it. */
export function hashOf({ n, at, by, kind, what, session, detail, prev }: Omit<AuditEntry, 'hash'>): string {
  return sha256(JSON.stringify([prev, n, at, by, kind, what, session ?? null, detail ?? null]))
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
