import { isDeepStrictEqual } from 'node:util'
import type { EventDraft, SessionEvent, SessionState } from '@cool-ai/beach-core/log'
import { sliceState } from '@cool-ai/beach-core/log'
import type { NotRecorded } from '@cool-ai/beach-core/ports'
import {
  filledDrafts,
  manifestSlice,
  missingSlots,
  type OpenManifest,
  type SlotEntry,
} from '../manifests/manifest-slice.ts'
import { pendingApprovals, pendingCalls, turnSlice, type OpenTurn } from '../turn/turn-slice.ts'
import { deliverySlice } from '../delivery/delivery-slice.ts'
import { isForeign, type RecordedRequest, type Recording } from './recording.ts'

interface ChangedContext {
  readonly state: () => Promise<SessionState>
  /** The log of the replay. */
  readonly replayed: () => Recording
  /** Notes what the record does not have; returns it as an error. */
  readonly lacks: (kind: NotRecorded['kind'], name: string, args?: unknown) => Error
}

/**
 * What came from outside after a place of the record, for a replay that no longer follows it: each list when all before
 * it has had its effect. What no longer applies is left out, such as the decision on a request that was not made.
 */
export async function* changedInputs(
  record: Recording,
  from: number,
  turns: number,
  context: ChangedContext,
): AsyncGenerator<readonly SessionEvent[]> {
  yield []
  yield* answers(record, context)
  const { events } = record
  let begun = 0
  for (let place = from; place < events.length; place++) {
    const event = events[place]
    if (event === undefined) return
    if (event.type === 'turnStarted' && ++begun > turns) return
    if (!isForeign(event)) continue
    const input = applied(event, await context.state())
    if (input === undefined) continue
    // What a message has led to in the same commit comes with it.
    const inputs = [input]
    while (event.type === 'messageReceived' && isOfMessage(events[place + 1]))
      inputs.push(events[++place] as SessionEvent)
    yield inputs
    yield* answers(record, context)
  }
}

/** What the replay waits for in the end, and what the record has no decision on. */
export async function undecided(context: Pick<ChangedContext, 'state' | 'replayed'>): Promise<RecordedRequest[]> {
  const { turn } = sliceState(turnSlice, await context.state())
  const pending = new Set(turn && pendingApprovals(turn).map(({ approvalId }) => approvalId))
  return context.replayed().requests.filter(({ request }) => pending.has(request.approvalId))
}

/** Results of work and decisions that the replay waits for now, as far as the record has them. */
async function* answers(record: Recording, context: ChangedContext): AsyncGenerator<readonly SessionEvent[]> {
  const { state, replayed, lacks } = context
  for (;;) {
    const now = await state()
    const filled = Object.values(sliceState(manifestSlice, now)).flatMap((manifest) => {
      return missingSlots(manifest).flatMap((slot) => resultsOf(record, manifest, slot, lacks))
    })
    const { turn } = sliceState(turnSlice, now)
    const decided =
      turn === undefined ? [] : [...decisionsFor(record, turn, replayed), ...resultsForClients(record, turn, context)]
    if (filled.length + decided.length === 0) return
    yield [...filled, ...decided]
  }
}

function applied(event: SessionEvent, state: SessionState): SessionEvent | undefined {
  const { turn } = sliceState(turnSlice, state)
  switch (event.type) {
    case 'cancelRequested':
      return turn?.turnId === event.turnId ? event : undefined
    case 'deliverySent':
    case 'deliveryFailed':
    case 'deliveryRetried': {
      const { pending } = sliceState(deliverySlice, state)
      return pending.some(({ deliveryId }) => deliveryId === event.deliveryId) ? event : undefined
    }
    // Taken where they are asked for.
    case 'approvalDecided':
    case 'toolFinished':
    case 'slotStarted':
    case 'slotSaid':
    case 'slotFilled':
    case 'manifestSettled':
    case 'approvalFollowedUp':
    case 'deliveryQueued':
    case 'dataErased':
      return undefined
    default:
      return event
  }
}

function isOfMessage(event: SessionEvent | undefined): boolean {
  if (event === undefined || !isForeign(event)) return false
  return ['stateChanged', 'stateTransitionRejected', 'sliceEvent', 'clientOffered'].includes(event.type)
}

/** The decisions on the same calls. */
function decisionsFor(record: Recording, turn: OpenTurn, replayed: ChangedContext['replayed']): SessionEvent[] {
  const pending = pendingApprovals(turn)
  if (pending.length === 0) return []
  const { requests: asked } = replayed()
  return pending.flatMap(({ approvalId }): SessionEvent[] => {
    const own = asked.find(({ request }) => request.approvalId === approvalId)
    const alike = record.requests.filter(({ request }) => own !== undefined && isSameCall(request, own.request))
    const ids = new Set(alike.map(({ request }) => request.approvalId))
    const made = record.events.find((event) => event.type === 'approvalDecided' && ids.has(event.approvalId))
    return made?.type === 'approvalDecided' && isForeign(made) ? [{ ...made, turnId: turn.turnId, approvalId }] : []
  })
}

function isSameCall(one: RecordedRequest['request'], other: RecordedRequest['request']): boolean {
  return one.toolName === other.toolName && isDeepStrictEqual(one.args, other.args)
}

/** What clients gave for the same calls; a call that the record does not have has failed, as those of other tools. */
function resultsForClients(record: Recording, turn: OpenTurn, { replayed, lacks }: ChangedContext): SessionEvent[] {
  const { turnId } = turn
  return pendingCalls(turn).flatMap(({ callId, hash, name, client = '' }): SessionEvent[] => {
    const { finished } = record.callsLike(hash).at(-1) ?? {}
    if (finished !== undefined) return [{ ...finished, turnId, callId }]
    // Its client had not answered when the record ended.
    if (record.callsOf(hash).length > 0) return []
    const value = lacks('tool', name, replayed().call(callId)?.started.payload?.args).message
    const failed = { type: 'toolFinished', turnId, callId, outcome: 'failed', client, payload: { value } } as const
    return [{ ...failed, id: `ev_${callId}`, v: 1, at: record.events.at(-1)?.at ?? 0 }]
  })
}

/** The result of the same work with the same arguments; of other work there is none. */
function resultsOf(
  record: Recording,
  manifest: OpenManifest,
  slot: SlotEntry,
  lacks: ChangedContext['lacks'],
): SessionEvent[] {
  const found = filledLike(record, manifest, slot)
  if (found === undefined) lacks('work', slot.work)
  const reason = found?.payload?.reason ?? 'Not recorded: the session has no result of this work.'
  const part = found?.payload?.part
  const isOk = found?.outcome === 'ok' && part !== undefined
  const outcome = found === undefined || found.outcome === 'ok' ? 'failed' : found.outcome
  const drafts: EventDraft[] = filledDrafts(manifest, slot, isOk ? { outcome: 'ok', part } : { outcome, reason })
  return drafts.map((draft): SessionEvent => ({ ...draft, id: `ev_${slot.slot}`, v: 1, at: found?.at ?? 0 }))
}

function filledLike({ events }: Recording, { manifestId, name }: OpenManifest, { slot, work }: SlotEntry) {
  const opened = events.filter((event) => event.type === 'manifestOpened' && event.name === name)
  const own =
    opened.find((event) => event.type === 'manifestOpened' && event.manifestId === manifestId) ?? opened.at(-1)
  if (own?.type !== 'manifestOpened' || !own.slots.some((one) => one.slot === slot && one.work === work))
    return undefined
  return events
    .flatMap((event) => (event.type === 'slotFilled' ? [event] : []))
    .find((event) => event.manifestId === own.manifestId && event.slot === slot)
}
