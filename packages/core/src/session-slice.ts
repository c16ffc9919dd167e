import { contentHash, defined } from './json.ts'
import type { SessionEvent } from './events.ts'
import type { Slice } from './ports/slice.ts'
import { emptyTable } from './maps.ts'
import type { Approver, Principal } from './principal.ts'
import type { Coordinates } from './state-machines/definition.ts'

/**
 * The positions of received messages, by the hash of their dedupe key: a few bytes for each, since snapshots hold all
 * of them. Two keys may share a hash, so the event itself decides whether it is the one.
 */
type ReceivedByHash = Readonly<Record<string, number | readonly number[]>>

/** Whose session it is, which host last acted for it, and what it has received. */
export interface SessionSliceState {
  readonly tenant?: string
  readonly owner?: Principal
  /** Who may decide its approvals, where it was opened with a policy of its own. */
  readonly approvers?: readonly Approver[]
  readonly epoch: number
  /** Dedupe keys in two generations of a day: each lives for at least 24 hours and at most 48. */
  readonly received: { readonly since: number; readonly current: ReceivedByHash; readonly previous: ReceivedByHash }
}

const nothingReceived: ReceivedByHash = Object.freeze({})
const day = 24 * 60 * 60 * 1_000

/** The slice that every session has. */
export const sessionSlice: Slice<SessionSliceState> = {
  ns: 'session',
  version: 3,
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

/** Without an owner; the tenant stays, so that the session cannot be opened a second time. */
function erased({ tenant, epoch }: SessionSliceState): SessionSliceState {
  return defined({ tenant, epoch, received: sessionSlice.initial.received })
}

/** The seqs of the messages that may have been received under this key before; none when it is new for sure. */
export function mayBeReceived({ received }: SessionSliceState, dedupeKey: string): readonly number[] {
  const hash = contentHash(dedupeKey)
  return [received.current, received.previous].flatMap((table) =>
    Object.hasOwn(table, hash) ? (table[hash] ?? []) : [],
  )
}

function remember(
  received: SessionSliceState['received'],
  event: Extract<SessionEvent, { type: 'messageReceived' }>,
  seq: number,
): SessionSliceState['received'] {
  const rotate = event.at - received.since >= day
  // The table grows in place: a copy for every message would make long sessions slow. No caller keeps an older state.
  const current = rotate || received.current === nothingReceived ? emptyTable<ReceivedAt>() : received.current
  add(current, contentHash(event.dedupeKey), seq)
  return {
    // A clock that was set back restarts the day: keys live no shorter for that, and not for years.
    since: rotate ? event.at : Math.min(event.at, received.since),
    previous: rotate ? received.current : received.previous,
    current,
  }
}

type ReceivedAt = ReceivedByHash[string]

function add(table: Record<string, ReceivedAt>, hash: string, seq: number): void {
  const others = Object.hasOwn(table, hash) ? table[hash] : undefined
  table[hash] = others === undefined ? seq : [...(typeof others === 'number' ? [others] : others), seq]
}

/** The coordinates that have moved away from their machines' initial states. */
export const stateSlice: Slice<Coordinates> = {
  ns: 'state',
  version: 1,
  initial: {},
  folds: ['stateChanged'],
  fold(state, event) {
    if (event.type !== 'stateChanged') return state
    return { ...state, ...Object.fromEntries(event.transitions.map(({ coordinate, to }) => [coordinate, to])) }
  },
}
