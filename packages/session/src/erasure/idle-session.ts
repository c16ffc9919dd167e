import type { Store } from '@cool-ai/beach-core'
import { sessionSlice, sliceState, type LoggedEvent, type SessionLog } from '@cool-ai/beach-core/log'
import type { SessionActivity } from '@cool-ai/beach-core/ports'
import { pendingApprovals, turnSlice } from '../turn/turn-slice.ts'
import { isBusy } from './erase-session.ts'

/** The state of a session for retention; undefined for one that does not exist. */
export async function sessionActivity(log: SessionLog, session: string): Promise<SessionActivity | undefined> {
  const { state, head } = await log.load(session)
  const { tenant, owner } = sliceState(sessionSlice, state)
  const last = await lastEvent(log, session, head)
  if (tenant === undefined || last === undefined) return undefined
  const { turn } = sliceState(turnSlice, state)
  return {
    tenant,
    owner,
    lastAt: last.event.at,
    isEmpty: last.event.type === 'sessionOpened',
    isBusy: isBusy(log, state),
    pendingApprovals: turn === undefined ? [] : pendingApprovals(turn).map(({ approvalId }) => approvalId),
  }
}

/**
 * Closes a session, so that it accepts nothing more, if nothing is in progress and nothing has happened since a time.
 * True when it is closed, also if it was before.
 */
export async function closeIdle(log: SessionLog, session: string, before: number): Promise<boolean> {
  const { state, head } = await log.load(session)
  if (sliceState(sessionSlice, state).owner === undefined) return true
  const last = await lastEvent(log, session, head)
  if (last === undefined || last.event.at >= before) return false
  let isClosed = false
  await log.commit(session, (now, place) => {
    // A writer in between needs it.
    isClosed = place === head && !isBusy(log, now)
    return isClosed ? [{ type: 'dataErased', scope: 'session', by: 'operator', payload: { originatorIds: [] } }] : []
  })
  return isClosed
}

/** Forgets the log of a session without an owner. */
export async function dropClosed(log: SessionLog, store: Store, session: string): Promise<void> {
  const { state } = await log.load(session)
  if (sliceState(sessionSlice, state).owner !== undefined) return
  await store.drop(session)
  log.forget(session)
}

async function lastEvent(log: SessionLog, session: string, head: number): Promise<LoggedEvent | undefined> {
  return head === 0 ? undefined : (await log.read(session, head - 1, 1)).at(0)
}
