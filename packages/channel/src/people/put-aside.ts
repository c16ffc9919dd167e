import type { Store } from '@cool-ai/beach-core'
import type { Page, SessionQuery } from '@cool-ai/beach-core/ports'
import { eachKey } from './each-key.ts'
import { asideKey, asidePrefix, inboxName, waitingKey, type InboxEntry } from './inbox-entry.ts'

/** A message that came in, was acknowledged, and could not be dealt with. */
export interface PutAside {
  readonly transport: string
  readonly id: string
  readonly from: string
  readonly at: number
  /** The message as its channel has read it. */
  readonly message: unknown
}

const usualPage = 50
const largestPage = 200

/** Those of a tenant, page by page. */
export async function listPutAside(
  store: Pick<Store, 'list'>,
  tenant: string,
  { after, limit = usualPage }: SessionQuery,
): Promise<Page<PutAside>> {
  const most = Math.min(limit, largestPage)
  const items: PutAside[] = []
  let last: string | undefined
  for await (const { key, value } of eachKey(store, asidePrefix, after && asidePrefix + after)) {
    const [transport = '', owner] = key.slice(asidePrefix.length).split(':')
    if (owner !== encodeURIComponent(tenant)) continue
    if (items.length === most) return { items, ...(last !== undefined && { next: last.slice(asidePrefix.length) }) }
    const { id, lane, at, item } = JSON.parse(value) as InboxEntry<unknown>
    items.push({ transport, id, from: lane, at, message: item })
    last = key
  }
  return { items }
}

/** Which message is meant. */
export interface PutAsideName {
  readonly tenant: string
  readonly transport: string
  readonly id: string
}

/** Lets its channel try once more, within a minute; false when there is no such message. */
export async function putBack(store: Store, { tenant, transport, id }: PutAsideName): Promise<boolean> {
  const name = inboxName(transport, tenant)
  const value = await valueOf(store, asideKey(name, id))
  if (value === undefined) return false
  await store.bind(waitingKey(name, id), value)
  await store.unbind(asideKey(name, id))
  return true
}

/** Throws it away; false when there is no such message. */
export async function discard(store: Store, { tenant, transport, id }: PutAsideName): Promise<boolean> {
  const key = asideKey(inboxName(transport, tenant), id)
  if ((await valueOf(store, key)) === undefined) return false
  await store.unbind(key)
  return true
}

async function valueOf(store: Store, key: string): Promise<string | undefined> {
  const [found] = await store.list(key, undefined, 1)
  return found?.key === key ? found.value : undefined
}
