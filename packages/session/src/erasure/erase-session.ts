import { isDeepStrictEqual } from 'node:util'
import {
  BeachError,
  isBeachError,
  type Originator,
  type Principal,
  type Runtime,
  type Store,
} from '@cool-ai/beach-core'
import {
  eraseCopies,
  sessionSlice,
  sliceState,
  type EventDraft,
  type LoggedEvent,
  type SessionEvent,
  type SessionLog,
  type SessionState,
} from '@cool-ai/beach-core/log'
import { atOnce, mayAccess, principalKey } from '@cool-ai/beach-core/ports'
import { leftCalls } from '../clients/answer-calls.ts'
import { deliverySlice } from '../delivery/delivery-slice.ts'
import { manifestSlice } from '../manifests/manifest-slice.ts'
import { turnSlice } from '../turn/turn-slice.ts'
import { agedEvent, doneBy, erasedEvent, goneName, isGone, originatorIn, renamed } from './erased-event.ts'

/** What is to be erased from a session's log: all content, that of some originators, or that before a time. */
export type Erasure =
  | { readonly scope: 'session' }
  | {
      readonly scope: 'originators'
      readonly originatorIds: readonly string[]
      /** Of an originator that several people write as, only what those have said whom it is true of; all when left out. */
      readonly isTheirs?: ((from: Originator) => boolean) | undefined
    }
  | { readonly scope: 'before'; readonly before: number }

export interface ErasureContext {
  readonly log: SessionLog
  readonly store: Store
  readonly runtime: Runtime
  /** Ends what runs in the session; false when nothing does. */
  readonly cancel: (session: string, by: Principal) => Promise<boolean>
}

const pageSize = 500
const keyPage = 1_000
const patienceMs = 30_000
const maxTries = 20
/** What channels and clients tell of an originator: ids and errors of a platform may name the address. */
const aboutOriginator: ReadonlySet<string> = new Set(['clientOffered', 'deliverySent', 'deliveryFailed'])

/**
 * Erases content of people from a session's log for good; the log's structure stays. Returns how many events have lost
 * something. Repeated after a crash, it goes on where it was.
 */
export async function eraseFromLog(
  context: ErasureContext,
  session: string,
  what: Erasure,
  by: Principal,
): Promise<number> {
  const { state } = await context.log.load(session)
  requireAccess(state, by)
  switch (what.scope) {
    case 'session':
      return eraseAll(context, session, by)
    case 'originators':
      return eraseOriginators(context, session, what, by)
    case 'before':
      return eraseBefore(context, session, what.before, by)
  }
}

/** Its owner may, and operators, who also find a session that was being erased. */
function requireAccess(state: SessionState, by: Principal): void {
  const { tenant, owner } = sliceState(sessionSlice, state)
  const isOperator = by.kind === 'operator' && by.tenant === tenant
  if (!isOperator && (owner === undefined || !mayAccess(owner, by))) {
    throw new BeachError('NOT_FOUND', 'There is no such session, or it is not yours.')
  }
}

async function eraseAll(context: ErasureContext, session: string, by: Principal): Promise<number> {
  const { log, runtime } = context
  for (let tries = 0; ; tries++) {
    await endWork(context, session, by)
    try {
      await log.commit(session, (state) => {
        if (sliceState(turnSlice, state).turn !== undefined) throw stillRunning()
        if (sliceState(sessionSlice, state).owner === undefined) return []
        return [{ type: 'dataErased', scope: 'session', by: who(by), payload: { originatorIds: [] } }]
      })
      break
    } catch (error) {
      // A message came in between.
      if (!isBeachError(error, 'TURN_RUNNING') || tries >= maxTries) throw error
    }
  }
  const renames = new Map<string, string>()
  await eachPage(context, session, async (events) => {
    for (const { event } of events) {
      const id = 'originatorId' in event ? event.originatorId : undefined
      if (id !== undefined && !isGone(id) && !renames.has(id)) renames.set(id, goneName(runtime))
    }
  })
  await eraseCopies(context.store, session)
  await unbindAll(context, session)
  return rewrite(context, session, by, (event) => erasedEvent(event, renames))
}

async function eraseOriginators(
  context: ErasureContext,
  session: string,
  { originatorIds, isTheirs = () => true }: Extract<Erasure, { scope: 'originators' }>,
  by: Principal,
): Promise<number> {
  const ids = new Set(originatorIds.filter((id) => !isGone(id)))
  const principals = new Set<string>()
  const found = new Set<string>()
  // A thread in which others write too stays, with what those have said.
  const shared = new Set<string>()
  await eachPage(context, session, async (events) => {
    for (const { event } of events) {
      if (!('originatorId' in event) || !ids.has(event.originatorId)) continue
      found.add(event.originatorId)
      const originator = originatorIn(event)
      if (originator === undefined) continue
      if (isTheirs(originator)) principals.add(principalKey(originator.principal))
      else shared.add(event.originatorId)
    }
  })
  for (const id of shared) found.delete(id)
  if (found.size + principals.size === 0) return 0
  const payload = { originatorIds: [...found] }
  let calls: readonly EventDraft[] = []
  const erase = (state: SessionState): EventDraft[] => {
    calls = leftCalls(state, found)
    return [{ type: 'dataErased', scope: 'originators', by: who(by), payload }, ...calls]
  }
  if (found.size > 0) {
    await context.log.commit(session, erase, { wakeAt: () => (calls.length > 0 ? atOnce : undefined) })
  }
  const renames = new Map([...found].map((id) => [id, goneName(context.runtime)]))
  return rewrite(context, session, by, (event) => {
    const from = originatorIn(event)
    const isSaid = from !== undefined || aboutOriginator.has(event.type)
    const isOfOriginator = isSaid && 'originatorId' in event && found.has(event.originatorId)
    const isOfThread = from !== undefined && shared.has(from.id) && isTheirs(from)
    const author = doneBy(event)
    const isDone = author !== undefined && principals.has(author)
    // A prompt repeats what all participants have said.
    const names = event.type === 'dataErased' || (event.type === 'actorNoted' && event.kind === 'prompt')
    return isOfOriginator || isOfThread || isDone || names ? erasedEvent(event, renames) : renamed(event, renames)
  })
}

/** What the session still needs stays, however old it is. */
async function eraseBefore(context: ErasureContext, session: string, before: number, by: Principal): Promise<number> {
  const { state } = await context.log.load(session)
  const needed = firstNeeded(state)
  const until = Math.min(before, context.log.neededSince(state) ?? before)
  return rewrite(context, session, by, (event, seq) => (event.at < until && seq < needed ? agedEvent(event) : event))
}

/** Whether something is in progress in a session, or is waited for. */
export function isBusy(log: SessionLog, state: SessionState): boolean {
  if (sliceState(turnSlice, state).turn !== undefined || firstNeeded(state) < Infinity) return true
  if (log.neededSince(state) !== undefined || log.inputRequests(state).length > 0) return true
  return log.nextWakeAt(state) !== undefined
}

/** The place from which on something is still worked on. */
function firstNeeded(state: SessionState): number {
  const { turn, mailbox } = sliceState(turnSlice, state)
  const { pending } = sliceState(deliverySlice, state)
  const manifests = Object.values(sliceState(manifestSlice, state))
  const places = [...(turn?.messages ?? []), ...mailbox, ...manifests].map(({ seq }) => seq)
  return Math.min(Infinity, ...places, ...pending.map(({ since }) => since))
}

/** Cancels what runs, and waits until it has ended. */
async function endWork(context: ErasureContext, session: string, by: Principal): Promise<void> {
  const tooLong = new AbortController()
  const cancelTimer = context.runtime.clock.timer(patienceMs, () => tooLong.abort())
  try {
    for (let tries = 0; tries < maxTries; tries++) {
      const { state, head } = await context.log.load(session)
      // Erased before: then it takes no input, and nothing runs.
      if (sliceState(sessionSlice, state).owner === undefined) return
      if (!(await context.cancel(session, by))) return
      await settled(context, session, head, tooLong.signal)
    }
  } finally {
    cancelTimer()
  }
}

async function settled({ log, store }: ErasureContext, session: string, head: number, signal: AbortSignal) {
  for await (const _ of store.tail(session, head, signal)) {
    if (sliceState(turnSlice, (await log.load(session)).state).turn === undefined) return
  }
  throw stillRunning()
}

function stillRunning(): BeachError {
  return new BeachError('TURN_RUNNING', 'A turn of the session was told to end, and has not yet. Erase again.')
}

/** Replaces the events that lose something by what is left of them. */
async function rewrite(
  context: ErasureContext,
  session: string,
  by: Principal,
  left: (event: SessionEvent, seq: number) => SessionEvent,
): Promise<number> {
  let count = 0
  await eachPage(context, session, async (events) => {
    const changed = events.flatMap(({ seq, event }) => {
      const data = left(event, seq)
      return isDeepStrictEqual(data, event) ? [] : [{ seq, data }]
    })
    count += changed.length
    if (changed.length === 0) return
    // First, since a repetition after a crash may find nothing to change here.
    await eraseCopies(context.store, session)
    await context.store.erase(session, changed)
  })
  // Once more at the end, even when nothing was left to do: deleted keys must not be found either.
  await context.store.erase(session, [])
  context.log.forget(session)
  // Other processes may have cached the erased content; this tells them to read the log again.
  const done = { type: 'dataErased', scope: 'rewritten', by: who(by) } as const
  if (count > 0) {
    await context.log.commit(session, () => [done])
    // Those that were made meanwhile; later ones find the event.
    await eraseCopies(context.store, session)
  }
  context.log.forget(session)
  return count
}

function who({ kind }: Principal): 'owner' | 'operator' {
  return kind === 'operator' ? 'operator' : 'owner'
}

async function eachPage(
  { log }: ErasureContext,
  session: string,
  take: (events: readonly LoggedEvent[]) => Promise<void>,
): Promise<void> {
  for (let after = 0; ;) {
    const page = await log.read(session, after, pageSize)
    if (page.length > 0) await take(page)
    const last = page.at(-1)
    if (last === undefined || page.length < pageSize) return
    after = last.seq
  }
}

/**
 * No key leads to the session or names it any more: keys may name people, and the next message of a person starts a new
 * session.
 */
async function unbindAll({ store }: ErasureContext, session: string): Promise<void> {
  const isNamed = naming(session)
  for (let after = ''; ;) {
    const page = await store.list('', after, keyPage)
    for (const { key, value } of page) if (isNamed(value) || isNamed(key)) await store.unbind(key)
    const last = page.at(-1)
    if (last === undefined || page.length < keyPage) return
    after = last.key
  }
}

/** Whether a text has the id as a whole, and not as a piece of another one. */
function naming(id: string): (text: string) => boolean {
  const whole = new RegExp(`(?<![A-Za-z0-9_])${id.replaceAll(/[^\w]/g, (sign) => `\\${sign}`)}(?![A-Za-z0-9_])`)
  return (text) => whole.test(text)
}
