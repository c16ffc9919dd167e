import type { Store } from '@cool-ai/beach-core'
import type { Page, SessionQuery } from '@cool-ai/beach-core/ports'
import { eachKey } from './each-key.ts'
import { parkedKey, parkedPrefix, inboxName, waitingKey, type InboxEntry } from './inbox-entry.ts'

/** A message that came in, was acknowledged, and could not be handled. */
export interface ParkedMessage {
  readonly transport: string
  readonly id: string
  readonly from: string
  readonly at: number
  /** The message as its channel has read it. */
  readonly message: unknown
}

const defaultPageSize = 50
const maxPageSize = 200

/** The parked messages of a tenant, page by page. */
export async function listPutAside(
  store: Pick<Store, 'list'>,
  tenant: string,
  { after, limit = defaultPageSize }: SessionQuery,
): Promise<Page<ParkedMessage>> {
  const max = Math.min(limit, maxPageSize)
  const items: ParkedMessage[] = []
  let last: string | undefined
  for await (const { key, value } of eachKey(store, parkedPrefix, after && parkedPrefix + after)) {
    const [transport = '', owner] = key.slice(parkedPrefix.length).split(':')
    if (owner !== encodeURIComponent(tenant)) continue
    if (items.length === max) return { items, next: last?.slice(parkedPrefix.length) }
    const { id, lane, at, item } = JSON.parse(value) as InboxEntry<unknown>
    items.push({ transport, id, from: lane, at, message: item })
    last = key
  }
  return { items }
}

/** Identifies a parked message. */
export interface ParkedMessageName {
  readonly tenant: string
  readonly transport: string
  readonly id: string
}

/** Lets its channel try once more, within a minute; false when there is no such message. */
export async function requeue(store: Store, { tenant, transport, id }: ParkedMessageName): Promise<boolean> {
  const name = inboxName(transport, tenant)
  const value = await valueOf(store, parkedKey(name, id))
  if (value === undefined) return false
  await store.bind(waitingKey(name, id), value)
  await store.unbind(parkedKey(name, id))
  return true
}

/** Deletes it; false when there is no such message. */
export async function discard(store: Store, { tenant, transport, id }: ParkedMessageName): Promise<boolean> {
  const key = parkedKey(inboxName(transport, tenant), id)
  if ((await valueOf(store, key)) === undefined) return false
  await store.unbind(key)
  return true
}

async function valueOf(store: Store, key: string): Promise<string | undefined> {
  const [found] = await store.list(key, undefined, 1)
  return found?.key === key ? found.value : undefined
}
