import type { Principal, Store } from '@cool-ai/beach-core'
import { sliceState, type SessionLog } from '@cool-ai/beach-core/log'
import { atOnce, type DeadLetterEntry, type Page, type SessionQuery } from '@cool-ai/beach-core/ports'
import { deliverySlice } from './delivery-slice.ts'
import { deadLetterKey, deadLetterPrefix } from './send-deliveries.ts'

interface DeadLetterContext {
  readonly store: Store
  readonly log: SessionLog
}

/** Sends a dead letter again; false when there is none, or its originator has left. */
export async function redeliver(
  session: string,
  deliveryId: string,
  by: Principal,
  { store, log }: DeadLetterContext,
): Promise<boolean> {
  const { events } = await log.commit(
    session,
    (state) => {
      const { dead: letters, originators } = sliceState(deliverySlice, state)
      const dead = letters.find((delivery) => delivery.deliveryId === deliveryId)
      // An originator that has left gets nothing more.
      if (dead === undefined || !Object.hasOwn(originators, dead.originatorId)) return []
      return [{ type: 'deliveryRetried', deliveryId, originatorId: dead.originatorId, payload: { by } }]
    },
    { wakeAt: atOnce },
  )
  // Sent again, or no longer known: either way it is no dead letter any more.
  await store.unbind(deadLetterKey(by.tenant, session, deliveryId))
  return events.length > 0
}

/** The dead letters of an operator's tenant, page by page. */
export async function listDeadLetters(
  query: SessionQuery,
  { tenant }: Principal,
  { store, log }: DeadLetterContext,
): Promise<Page<DeadLetterEntry>> {
  const limit = Math.min(Math.max(query.limit ?? 50, 1), 200)
  const rows = await store.list(deadLetterPrefix(tenant), query.after, limit + 1)
  const items = await Promise.all(
    rows.slice(0, limit).map(async ({ key, value }) => {
      return entryOf(log, value, key.slice(deadLetterKey(tenant, value, '').length))
    }),
  )
  const last = rows[limit - 1]
  return rows.length > limit && last !== undefined ? { items, next: last.key } : { items }
}

async function entryOf(log: SessionLog, sessionId: string, deliveryId: string): Promise<DeadLetterEntry> {
  const { state } = await log.load(sessionId)
  const found = sliceState(deliverySlice, state).dead.find((delivery) => delivery.deliveryId === deliveryId)
  if (found === undefined) return { sessionId, deliveryId }
  const { originatorId, turnId, attempts, nextAt: at, reason } = found
  return { sessionId, deliveryId, letter: { originatorId, turnId, attempts, at, reason } }
}
