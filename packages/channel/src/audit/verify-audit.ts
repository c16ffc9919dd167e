import type { Store } from '@cool-ai/beach-core'
import { auditedTenants, chainLogs, entriesPerLog, logEntries, logName } from './audit-chain.ts'
import { firstHash, hashOf, storedEntry } from './audit-entry.ts'

/** A place where the record is not as it was written. */
export interface AuditProblem {
  /** The entry's place in the record. */
  readonly n: number
  /** The log that it is stored in, and its seq there. */
  readonly log: string
  readonly seq?: number | undefined
  readonly problem: string
}

/** What there is to say of the record of one tenant. */
export interface VerifiedAudit {
  readonly tenant: string
  readonly entries: number
  /** The last entry: a reader that keeps it elsewhere can tell later whether the record was cut or written anew. */
  readonly head: { readonly n: number; readonly hash: string }
  /** The first place that is wrong; what comes after it cannot be told. */
  readonly problem?: AuditProblem | undefined
}

/** Reads the records of all tenants, or of one, and finds the first entry of each that is not as it was written. */
export async function verifyAudit(
  store: Pick<Store, 'list' | 'read'>,
  { tenant, expected }: { readonly tenant?: string | undefined; readonly expected?: string | undefined } = {},
): Promise<VerifiedAudit[]> {
  const tenants = tenant === undefined ? await auditedTenants(store) : [tenant]
  const results: VerifiedAudit[] = []
  for (const each of tenants) results.push(await verified(store, each, expected))
  return results
}

async function verified(
  store: Pick<Store, 'list' | 'read'>,
  tenant: string,
  expected: string | undefined,
): Promise<VerifiedAudit> {
  const logs = (await chainLogs(store, tenant)).toReversed()
  let head = { n: 0, hash: firstHash(tenant) }
  let isMet = expected === undefined || expected === head.hash
  const wrong = (log: string, problem: string, seq?: number): VerifiedAudit => ({
    tenant,
    entries: head.n,
    head,
    problem: { n: head.n + 1, log, seq, problem },
  })
  for (let log = 0; log <= Math.max(logs.at(-1) ?? 0, 0); log++) {
    const name = logName(tenant, log)
    if (logs.length > 0 && logs[log] !== log) return wrong(name, 'the log of these entries is missing')
    const events = await logEntries(store, name)
    for (const { seq, data } of events) {
      const parsed = storedEntry.safeParse(data)
      if (!parsed.success) return wrong(name, 'this is not an entry of the record', seq)
      const entry = parsed.data
      if (entry.n !== head.n + 1) return wrong(name, `entry ${entry.n} stands here: entries were removed or added`, seq)
      if (entry.prev !== head.hash) return wrong(name, 'the entry before it was changed', seq)
      if (entry.hash !== hashOf(entry)) return wrong(name, 'this entry was changed', seq)
      head = { n: entry.n, hash: entry.hash }
      isMet ||= entry.hash === expected
    }
    const isLast = log === (logs.at(-1) ?? 0)
    if (!isLast && events.length !== entriesPerLog) return wrong(name, 'the last entries of this log were removed')
  }
  if (!isMet) return wrong(logName(tenant, logs.at(-1) ?? 0), 'the entry with the expected hash is not in the record')
  return { tenant, entries: head.n, head }
}
