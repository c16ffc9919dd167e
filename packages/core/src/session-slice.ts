import type { SessionEvent } from './events.ts'
import type { Slice } from './ports/slice.ts'
import type { Approver, Principal } from './principal.ts'
import { emptyTable } from './table.ts'

/** A message that was received, remembered so that its duplicate is recognised. */
export interface Received {
  readonly seq: number
  readonly messageId: string
  readonly contentHash: string
}

type ReceivedByKey = Readonly<Record<string, Received>>

/** Whose session it is, which host last acted for it, and what it has received. */
export interface SessionSliceState {
  readonly tenant?: string
  readonly owner?: Principal
  /** Who may decide its approvals, where it was opened with a policy of its own. */
  readonly approvers?: readonly Approver[]
  readonly epoch: number
  /** Dedupe keys in two generations of a day: each lives for at least 24 hours and at most 48. */
  readonly received: { readonly since: number; readonly current: ReceivedByKey; readonly previous: ReceivedByKey }
}

const nothingReceived: ReceivedByKey = Object.freeze({})
const day = 24 * 60 * 60 * 1_000

/** The slice that every session has. */
export const sessionSlice: Slice<SessionSliceState> = {
  ns: 'session',
  version: 2,
  initial: { epoch: 0, received: { since: 0, current: nothingReceived, previous: nothingReceived } },
  fold(state, event, seq) {
    const next = event.epoch !== undefined && event.epoch > state.epoch ? { ...state, epoch: event.epoch } : state
    switch (event.type) {
      case 'sessionOpened':
        return { ...next, tenant: event.tenant, ...event.payload }
      case 'dataErased':
        return event.scope === 'session' ? erased(next) : next
      case 'messageReceived':
        return event.dedupeKey === undefined ? next : { ...next, received: remember(next.received, event, seq) }
      default:
        return next
    }
  },
}

/** Nobody's any more; the tenant stays, so that the session cannot be opened a second time. */
function erased({ tenant, epoch }: SessionSliceState): SessionSliceState {
  return { ...(tenant !== undefined && { tenant }), epoch, received: sessionSlice.initial.received }
}

/** The message that was received under this key before, if any. */
export function alreadyReceived(state: SessionSliceState, dedupeKey: string): Received | undefined {
  const { current, previous } = state.received
  if (Object.hasOwn(current, dedupeKey)) return current[dedupeKey]
  return Object.hasOwn(previous, dedupeKey) ? previous[dedupeKey] : undefined
}

function remember(
  received: SessionSliceState['received'],
  event: Extract<SessionEvent, { type: 'messageReceived' }>,
  seq: number,
): SessionSliceState['received'] {
  const rotate = event.at - received.since >= day
  const entry: Received = { seq, messageId: event.messageId, contentHash: event.contentHash }
  // The table grows in place: a copy for every message would make long sessions slow. Nobody keeps an older state.
  const current = rotate || received.current === nothingReceived ? emptyTable<Received>() : received.current
  // Defined, not assigned: a key such as `__proto__` is data here.
  Object.defineProperty(current, event.dedupeKey ?? '', {
    value: entry,
    enumerable: true,
    configurable: true,
    writable: true,
  })
  return {
    // A clock that was set back begins the day again: keys live no shorter by that, and not for years.
    since: rotate ? event.at : Math.min(event.at, received.since),
    previous: rotate ? received.current : received.previous,
    current,
  }
}
