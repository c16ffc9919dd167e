import type { ActionPayload } from '../schemas/action-payload.ts'
import type { ErrorPayload } from '../schemas/server-payloads.ts'
import type { ActiveFlows, FlowInstance } from '../state/flow-instance.ts'
import type { FlowConnection } from './flow-connection.ts'
import { viewOf, type Expected, type ShownFlow, type OptimisticTables } from './optimism.ts'

/** All that a view needs, at one moment; it never changes. What did not change is the same object as before. */
export interface FlowsSnapshot {
  /** The flows that are active, in the order in which they began; those of high priority last. */
  readonly flows: readonly ShownFlow[]
  readonly connection: FlowConnection
  /** How many events have no answer of the server yet. */
  readonly waiting: number
  /** Actions that the server has asked for and that are not done. */
  readonly actions: readonly ActionPayload[]
  /** The last error that was about no flow. */
  readonly error?: ErrorPayload
}

/** What a snapshot is made of. */
export interface SnapshotInput {
  readonly flows: ActiveFlows
  readonly expected: readonly Expected[]
  readonly errors: ReadonlyMap<string, ErrorPayload>
  readonly rest: Omit<FlowsSnapshot, 'flows'>
}

interface CachedView {
  readonly flow: FlowInstance
  readonly expected: readonly Expected[]
  readonly error: ErrorPayload | undefined
  readonly view: ShownFlow
}

/** Makes snapshots, and takes over what did not change. */
export function snapshotMaker(tables: OptimisticTables): (now: SnapshotInput) => FlowsSnapshot {
  let made = new Map<string, CachedView>()
  let last: FlowsSnapshot | undefined

  const make = (instanceId: string, flow: FlowInstance, { expected, errors }: SnapshotInput): CachedView => {
    const own = expected.filter((each) => each.instanceId === instanceId)
    const error = errors.get(instanceId)
    const before = made.get(instanceId)
    const isSame = before?.flow === flow && before.error === error && areSame(before.expected, own)
    return isSame ? before : { flow, expected: own, error, view: viewOf(instanceId, flow, own, tables, error) }
  }

  return (now) => {
    made = new Map(Object.entries(now.flows).map(([instanceId, flow]) => [instanceId, make(instanceId, flow, now)]))
    const views = [...made.values()].map(({ view }) => view).toSorted(inOrder)
    const flows = last !== undefined && areSame(last.flows, views) ? last.flows : views
    const next: FlowsSnapshot = { flows, ...now.rest }
    if (last === undefined || !areSame(membersOf(last), membersOf(next))) last = next
    return last
  }
}

function membersOf({ flows, connection, waiting, actions, error }: FlowsSnapshot): readonly unknown[] {
  return [flows, connection, waiting, actions, error]
}

function inOrder(one: ShownFlow, other: ShownFlow): number {
  const rank = ({ priority }: ShownFlow) => (priority === 'high' ? 1 : 0)
  return rank(one) - rank(other) || one.createdAt - other.createdAt
}

function areSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index])
}
