import type { Part } from '@cool-ai/beach-core'
import type { SessionEvent } from '@cool-ai/beach-core/log'
import type { ServerEvent } from '../schemas/server-payloads.ts'
import { applyServerEvent } from '../state/apply-server-event.ts'
import type { ActiveFlows } from '../state/flow-instance.ts'
import { flowCounts, flowsNs, initialFlows, type Book, type FlowsState, type StoredResult } from './flows-state.ts'

/** What the session knows of its flows after one more event. Without its payload an event has no message. */
export function foldFlows(state: FlowsState, event: SessionEvent): FlowsState {
  switch (event.type) {
    case 'sliceEvent':
      if (event.ns !== flowsNs || event.payload === undefined) return state
      return booked(shownTo(state, event.payload.part), event.payload.value ?? {})
    case 'partReceived':
      return event.partType === 'intentflow.render' ? activated(state, event.payload?.part) : state
    case 'sessionOpened':
      return event.payload === undefined ? state : { ...state, owner: event.payload.owner }
    case 'dataErased':
      return event.scope === 'session' ? initialFlows : state
    default:
      return state
  }
}

/** A turn has said a render: it counts if a tool of ours has prepared it, as it was prepared. */
function activated(state: FlowsState, part: Part | undefined): FlowsState {
  const said = part?.data as { readonly instanceId?: unknown } | undefined
  const render = state.prepared.find(({ instanceId }) => instanceId === said?.instanceId)
  if (render === undefined) return state
  const event: ServerEvent = { type: 'CUSTOM', name: 'intentflow.render', value: render }
  return shown({ ...state, prepared: state.prepared.filter((one) => one !== render) }, event)
}

function shownTo(state: FlowsState, part: Part | undefined): FlowsState {
  if (part === undefined) return state
  return shown(state, { type: 'CUSTOM', name: part.metadata.partType, value: part.data } as ServerEvent)
}

/** What all listeners see, and what follows from it for the bookkeeping. */
function shown(state: FlowsState, event: ServerEvent): FlowsState {
  const before = state.flows
  const flows = applied(before, event)
  if (flows === before) return state
  if (event.name === 'intentflow.render') {
    return { ...state, flows, results: [...state.results, { instanceId: event.value.instanceId, kept: [] }] }
  }
  return event.name === 'intentflow.dismiss'
    ? withoutInstance({ ...state, flows }, before, event.value)
    : { ...state, flows }
}

/** Events of an instance between two others may be gone, because a person's data was erased: what is left still counts. */
function applied(flows: ActiveFlows, event: ServerEvent): ActiveFlows {
  const { instanceId, seq } = event.value
  const instance = instanceId === undefined ? undefined : flows[instanceId]
  if (instanceId === undefined || instance === undefined || seq === undefined || seq <= instance.seq + 1) {
    return applyServerEvent(flows, event)
  }
  return applyServerEvent({ ...flows, [instanceId]: { ...instance, seq: seq - 1 } }, event)
}

function withoutInstance(
  state: FlowsState,
  before: ActiveFlows,
  { instanceId, reason, at = 0 }: Extract<ServerEvent, { name: 'intentflow.dismiss' }>['value'],
): FlowsState {
  const instance = before[instanceId]
  if (instance === undefined) return state
  const left = state.results.find((one) => one.instanceId === instanceId)?.kept ?? []
  const others = <Item extends { readonly instanceId?: string }>(items: readonly Item[]) => {
    return items.some((item) => item.instanceId === instanceId)
      ? items.filter((item) => item.instanceId !== instanceId)
      : items
  }
  const { intentId, version, state: last } = instance
  return {
    ...state,
    results: state.results.filter((one) => one.instanceId !== instanceId),
    // As others than they were in their own list, by which they may be known already.
    past: kept(
      state.past,
      left.map((result) => ({ ...result })),
      at,
    ),
    ended: [...state.ended, { instanceId, intentId, version, state: last, reason, at }].slice(-flowCounts.ended),
    work: state.work.some((work) => concerns(work, instanceId))
      ? state.work.filter((work) => !concerns(work, instanceId))
      : state.work,
    actions: others(state.actions),
    confirmations: others(state.confirmations),
    watched: state.watched.filter((id) => id !== instanceId),
  }
}

/** Work that is useless once the instance is over. */
function concerns(work: FlowsState['work'][number], instanceId: string): boolean {
  return work.kind === 'handle' ? work.instanceId === instanceId : work.parentInstanceId === instanceId
}

function kept(past: readonly StoredResult[], more: readonly StoredResult[], now: number): readonly StoredResult[] {
  if (more.length === 0) return past
  const all = [...past, ...more].slice(-flowCounts.past)
  const first = all.findIndex(({ at }) => now - at < flowCounts.pastMs)
  return first === -1 ? more : all.slice(first)
}

function booked(state: FlowsState, book: Book): FlowsState {
  let next = state
  const { result, work, started, done, asked, answered, prepared, client, confirmation, confirmed, watched } = book
  if (done !== undefined) next = { ...next, work: next.work.filter(({ workId }) => workId !== done) }
  if (work !== undefined) next = { ...next, work: [...next.work, ...work] }
  if (started !== undefined) {
    next = { ...next, work: next.work.map((one) => (one.workId === started ? { ...one, isStarted: true } : one)) }
  }
  if (asked !== undefined) next = { ...next, actions: [...next.actions, asked] }
  if (answered !== undefined) {
    next = { ...next, actions: next.actions.filter(({ actionId }) => actionId !== answered) }
  }
  if (prepared !== undefined) {
    next = { ...next, prepared: [...next.prepared, prepared].slice(-flowCounts.prepared) }
  }
  if (client !== undefined) next = { ...next, clients: client }
  if (confirmation !== undefined) {
    next = { ...next, confirmations: [...next.confirmations, confirmation].slice(-flowCounts.confirmations) }
  }
  if (confirmed !== undefined) {
    next = { ...next, confirmations: next.confirmations.filter((one) => one.confirmationId !== confirmed) }
  }
  if (watched !== undefined) next = { ...next, watched: [...next.watched, watched] }
  return result === undefined ? next : withResult(next, result)
}

function withResult(state: FlowsState, result: StoredResult): FlowsState {
  const { instanceId } = result
  const place = state.results.findIndex((one) => one.instanceId === instanceId)
  const own = state.results[place]
  if (instanceId === undefined || own === undefined) return { ...state, past: kept(state.past, [result], result.at) }
  const more = { instanceId, kept: [...own.kept.slice(-flowCounts.results + 1), result] }
  return { ...state, results: state.results.with(place, more) }
}
