import type { Store } from '@cool-ai/beach-core'
import type { Page } from '@cool-ai/beach-core/ports'
import { logEntries } from './audit-chain.ts'
import type { ShownEntry } from './audit-log.ts'

type Earlier = Omit<ShownEntry, 'n' | 'hash' | 'id'>

const hoursAtOnce = 50

/** The record of operators of releases before 0.7, newest first: a log for each hour, without a chain. Nothing is added to it. */
export async function earlierEntries(
  store: Pick<Store, 'list' | 'read'>,
  tenant: string,
  after: string | undefined,
  limit: number,
): Promise<Page<ShownEntry>> {
  const prefix = `audit:${encodeURIComponent(tenant)}:`
  const [from = '', below = ''] = after?.split('.') ?? []
  const items: ShownEntry[] = []
  // The hour itself, and those before it.
  let at = from === '' ? undefined : prefix + String(Number(from) - 1)
  for (;;) {
    const hours = await store.list(prefix, at, hoursAtOnce)
    for (const { key, value: log } of hours) {
      const hour = key.slice(prefix.length)
      const entries = await logEntries(store, log)
      const wanted = hour === from ? entries.filter(({ seq }) => seq < Number(below)) : entries
      for (const { seq, data } of wanted.toReversed()) {
        if (items.length === limit) return { items, next: items.at(-1)?.id ?? after }
        items.push({ ...(data as Earlier), id: `${hour}.${seq}` })
      }
      at = key
    }
    if (hours.length < hoursAtOnce) return { items }
  }
}
