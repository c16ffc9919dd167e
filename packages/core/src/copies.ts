import type { BoundKey, Store } from './ports/store.ts'

/** Content of a session that stands in another log too. */
export interface Copy {
  readonly session: string
  readonly tenant: string
  /** Whose words it may have, as `principalKey` names them. */
  readonly principal: string
  /** The log that it stands in. */
  readonly log: string
  /** How much later its seq is than the log's first: a log that moves to another store may get other seqs. */
  readonly after: number
}

/** What a key says of a copy: where it stands, and what stays of it once it is erased. */
interface NotedCopy extends Pick<Copy, 'log' | 'after'> {
  readonly left: unknown
}

const prefix = 'copy:'
const pageSize = 200

/** Notes a copy, so that erasing its session or its person leaves only `left` of it. */
export async function noteCopy(store: Store, copy: Copy, left: unknown): Promise<void> {
  const { log, after } = copy
  await store.bind(keyOf(copy), JSON.stringify({ log, after, left } satisfies NotedCopy))
}

/** Forgets that there was a copy. */
export async function forgetCopy(store: Store, copy: Copy): Promise<void> {
  await store.unbind(keyOf(copy))
}

/** Erases all that was copied from a session. */
export async function eraseCopies(store: Store, session: string): Promise<void> {
  for (;;) {
    const page = await store.list(`${prefix}${session}:`, undefined, pageSize)
    for (const key of page) await eraseCopy(store, key)
    if (page.length < pageSize) return
  }
}

/** Erases the copy that a key tells of. */
export async function eraseCopy(store: Store, { key, value }: Pick<BoundKey, 'key' | 'value'>): Promise<void> {
  const { log, after, left } = JSON.parse(value) as NotedCopy
  const [first] = await store.read(log, 0, 1)
  // Not there any more: then nothing is left of it.
  if (first !== undefined) await store.erase(log, [{ seq: first.seq + after, data: left }])
  await store.unbind(key)
}

/** Of which tenant and person the copy is that a key tells of; undefined for other keys. */
export function ownerOfCopy(key: string): Pick<Copy, 'tenant' | 'principal'> | undefined {
  if (!key.startsWith(prefix)) return undefined
  const [, , tenant = '', principal = ''] = key.split(':')
  return { tenant: decodeURIComponent(tenant), principal }
}

function keyOf({ session, tenant, principal, log, after }: Copy): string {
  return `${prefix}${session}:${encodeURIComponent(tenant)}:${principal}:${log}:${after}`
}
