import type { Store } from '@cool-ai/beach-core'
import { encryptionPrefix, type MainKeys, type TenantKeys } from '@cool-ai/beach-core/encryption'
import type { StoredEvent } from '@cool-ai/beach-core/ports'
import { DataKeys, destroyed, type DataKey } from './data-keys.ts'
import { dataKeyOf, isSealed, openedEvent, sealEvent, withKey, withoutKey } from './sealed-event.ts'
import { isValueSealed, sealValue } from './sealed-value.ts'

/** What was encrypted that was not, or by a key that is no longer in use. */
export interface Resealed {
  readonly logs: number
  readonly events: number
  readonly values: number
}

const pageSize = 200

/**
 * Encrypts what was stored before the data was encrypted. What is done is left alone, so it goes on where it was cut off;
 * agents that have the keys may run meanwhile.
 */
export async function resealStore(store: Store, tenants: TenantKeys, signal?: AbortSignal): Promise<Resealed> {
  const keys = new DataKeys(store, tenants)
  let [logs, events] = [0, 0]
  for (let after: string | undefined; ;) {
    const page = (await store.logs?.(after, pageSize)) ?? []
    for (const log of page) {
      signal?.throwIfAborted()
      const count = await resealLog(store, keys, log)
      events += count
      if (count > 0) logs++
    }
    after = page.at(-1)
    if (page.length < pageSize) break
  }
  return { logs, events, values: await resealValues(store, tenants.main, signal) }
}

async function resealLog(store: Store, keys: DataKeys, log: string): Promise<number> {
  let count = 0
  let key: DataKey | undefined
  let wrapped: string | undefined
  for (let after = 0; ;) {
    const page = await store.read(log, after, pageSize)
    const [first] = page
    if (after === 0 && first !== undefined) {
      wrapped = dataKeyOf(first.data)
      if (wrapped === undefined) ({ key, wrapped } = await keys.fresh(log, first.data))
      else {
        key = await keys.keyIn(log, first.data)
        wrapped = (await keys.rewrapped(log, first.data)) ?? wrapped
      }
    }
    const before = key
    if (before === undefined) return count
    const carried = after === 0 ? wrapped : undefined
    const changed = page.flatMap((event, index) => resealed(event, before, index === 0 ? carried : undefined))
    if (changed.length > 0) await store.erase(log, changed)
    count += changed.length
    after = page.at(-1)?.seq ?? after
    if (page.length < pageSize) return count
  }
}

/** The event as it is to be stored; none when it is so already. */
function resealed({ seq, data }: StoredEvent, key: DataKey, wrapped: string | undefined): StoredEvent[] {
  const isDone = isSealed(data) ? key.isNewest(data.sealed) : false
  const text = isSealed(data) && !isDone ? key.open('event', data.sealed) : undefined
  const plain = isSealed(data) ? openedEvent(data, text) : withoutKey(data)
  const sealed = isDone ? data : sealEvent(plain, (content) => key.seal('event', content))
  const hasKey = wrapped === undefined || wrapped === destroyed || dataKeyOf(data) === wrapped
  // What cannot be opened any more goes.
  const isKept = isDone || (!isSealed(data) && sealed === plain)
  if (isKept && hasKey) return []
  return [{ seq, data: wrapped === undefined ? sealed : withKey(sealed, wrapped) }]
}

async function resealValues(store: Store, main: MainKeys, signal?: AbortSignal): Promise<number> {
  let count = 0
  for (let after: string | undefined; ;) {
    const page = await store.list('', after, pageSize)
    for (const { key, value } of page) {
      signal?.throwIfAborted()
      if (key.startsWith(encryptionPrefix) || isValueSealed(value)) continue
      // One that another process has changed meanwhile was written by it as it should be.
      if ((await store.replace?.(key, value, sealValue(main, key, value))) === true) count++
    }
    after = page.at(-1)?.key
    if (page.length < pageSize) return count
  }
}
