import { defined } from '@cool-ai/beach-core/runtime'
import { childDone } from '../definition/xstate-machine.ts'
import type { Flow } from '../definition/flow.ts'
import { FlowError, isFlowError } from '../schemas/flow-error.ts'
import { flowLimits, recordProblem, type Values } from '../schemas/json-problem.ts'
import type { DismissReason, ErrorPayload, RenderPayload } from '../schemas/server-payloads.ts'
import type { FlowInstance } from '../state/flow-instance.ts'
import { flowCounts, type Book, type Handling, type StoredResult, type Work } from './flows-state.ts'
import { type Cause, type FlowInput, checkRoom, checkWork, type EventBatch } from './event-batch.ts'
import type { FlowRules } from './flow-rules.ts'
import { isDeepStrictEqual } from 'node:util'

/** Every change that the engine makes of instances: decided on the state, and written down as events of the protocol. */
export class InstanceChanges {
  readonly writing: EventBatch
  readonly rules: FlowRules

  constructor(writing: EventBatch, rules: FlowRules) {
    this.writing = writing
    this.rules = rules
  }

  on(writing: EventBatch): InstanceChanges {
    return new InstanceChanges(writing, this.rules)
  }

  /** The instance, or an error that says why there is none. */
  instance(instanceId: string): FlowInstance {
    const { flows, ended } = this.writing.state
    const found = Object.hasOwn(flows, instanceId) ? flows[instanceId] : undefined
    if (found === undefined) {
      const last = ended.findLast((one) => one.instanceId === instanceId)
      throw new FlowError(last?.reason === 'timeout' ? 'INSTANCE_EXPIRED' : 'INSTANCE_NOT_FOUND', undefined, {
        instanceId,
      })
    }
    return found
  }

  /** The same for users, whose time may have run out: what was begun before still comes to its end. */
  usable(instanceId: string): FlowInstance {
    const found = this.instance(instanceId)
    if (found.expiresAt === undefined || found.expiresAt > this.writing.context.now) return found
    throw new FlowError('INSTANCE_EXPIRED', undefined, { instanceId })
  }

  /** Shows a flow; the payload is whole already. */
  render(payload: RenderPayload, book: Book = {}): void {
    checkRoom(this.writing, this.rules.maxFlows)
    this.writing.show({ type: 'CUSTOM', name: 'intentflow.render', value: payload }, book, this.#place())
  }

  prepare(payload: RenderPayload): void {
    checkRoom(this.writing, this.rules.maxFlows)
    this.writing.note({ prepared: payload })
  }

  /** The metadata of a render: by it a link can be made where the part is put into words. */
  #place(): Values {
    const { session } = this.writing.context
    const { owner } = this.writing.state
    return defined({ session, tenant: owner?.tenant })
  }

  /** Sends an event to an instance's machine: its transition, the work that follows, and its end if that was its last. */
  move(instanceId: string, input: FlowInput, cause: Cause): void {
    const instance = this.instance(instanceId)
    const definition = this.rules.definitionOf(instance)
    const { event, payload, contextUpdate, book = {}, result } = input
    const before =
      contextUpdate === undefined ? instance : { ...instance, context: { ...instance.context, ...contextUpdate } }
    const next = this.rules.next(definition, before, { type: event, payload })
    if (next === undefined) {
      const message = `“${event}” cannot be done while the flow is in the state “${instance.state}”.`
      const details = { event, state: instance.state, events: definition.machine.events(instance.state) }
      throw new FlowError('INVALID_TRANSITION', message, { instanceId, details })
    }
    const context = changedKeys(instance.context, next.context)
    const followUp = definition.machine.followUp(next.state, { context: next.context, props: instance.props })
    const value = { ...this.stamp(instanceId, instance, cause), ...defined({ toState: next.state, context, followUp }) }
    const work = this.#handling(instanceId, instance, input, cause)
    const kept = numbered(book, instance)
    const noted = work === undefined ? kept : { ...kept, work: [...(book.work ?? []), work] }
    this.writing.show({ type: 'CUSTOM', name: 'intentflow.transition', value }, noted)
    // One that stays is done all the same; one that goes tells it when it is gone.
    if (definition.meta.retainOnFinal && definition.machine.isFinal(next.state)) {
      this.#tellParent(instanceId, instance, `${childDone}${next.state}`, { result: result ?? next.context }, cause)
    }
    this.settle(instanceId, cause, result)
  }

  /** The same context or more, without an event: a transition to where the instance is. */
  note(instanceId: string, contextUpdate: Values, cause: Cause, book: Book = {}): void {
    const instance = this.instance(instanceId)
    const next = { ...instance.context, ...contextUpdate }
    checkContext(next, instanceId)
    const context = changedKeys(instance.context, next)
    const { state: toState, followUp } = instance
    const rest = defined({ toState, context, followUp: followUp ?? undefined })
    const value = { ...this.stamp(instanceId, instance, cause), ...rest }
    this.writing.show({ type: 'CUSTOM', name: 'intentflow.transition', value }, book)
  }

  /** Ends an instance that is in a final state, once nothing of it is worked on any more. */
  settle(instanceId: string, cause: Cause, result?: Values): void {
    const { flows, work } = this.writing.state
    const instance = flows[instanceId]
    if (instance === undefined) return
    const flow = this.rules.knownDefinitionOf(instance)
    if (flow === undefined || !flow.machine.isFinal(instance.state) || flow.meta.retainOnFinal) return
    if (work.some((one) => one.kind === 'handle' && one.instanceId === instanceId)) return
    const ended = { result: result ?? instance.context }
    this.#end(instanceId, 'completed', ended.result, cause)
    this.#tellParent(instanceId, instance, `${childDone}${instance.state}`, ended, cause)
  }

  /** Ends an instance, and before it those that are nested in it. */
  dismiss(
    instanceId: string,
    reason: DismissReason,
    cause: Cause,
    { result, book }: { result?: Values | undefined; book?: Book } = {},
  ): void {
    const { flows } = this.writing.state
    const instance = flows[instanceId]
    if (instance === undefined) throw new FlowError('INSTANCE_NOT_FOUND', undefined, { instanceId })
    this.#end(instanceId, reason, result, cause, book)
    this.#tellParent(instanceId, instance, 'child.dismissed', defined({ reason, result }), cause)
  }

  /** Records an error for all listeners; one of an instance has its place among the instance's events. */
  fail(error: FlowError, cause: Cause, book: Book = {}): void {
    const { instanceId } = error.options
    const instance = instanceId === undefined ? undefined : this.writing.state.flows[instanceId]
    const { inReplyTo } = cause
    const value: ErrorPayload = {
      v: 1,
      eventId: this.writing.context.id('fev'),
      at: this.writing.context.now,
      ...error.about(inReplyTo === undefined ? {} : { inReplyTo }).toPayload({ debug: this.rules.debug }),
      ...defined({ seq: instance && instance.seq + 1 }),
    }
    this.writing.show({ type: 'CUSTOM', name: 'intentflow.error', value }, book)
  }

  /** Has work done; it is refused when too much waits already. */
  addWork(work: Work): void {
    checkWork(this.writing)
    if (work.kind === 'hydrate') checkRoom(this.writing, this.rules.maxFlows)
    this.writing.note({ work: [work] })
  }

  /** Makes all of a change, or none of it and gives the error that is in the way. */
  attempt(change: (trial: InstanceChanges) => void): FlowError | undefined {
    const fork = this.writing.fork()
    try {
      change(this.on(fork))
    } catch (error) {
      if (isFlowError(error)) return error
      throw error
    }
    this.writing.join(fork)
    return undefined
  }

  /** An event for an instance that need not take it; what goes wrong with it is told like any other error. */
  offer(instanceId: string, input: FlowInput, cause: Cause): boolean {
    const instance = this.writing.state.flows[instanceId]
    const flow = instance === undefined ? undefined : this.rules.knownDefinitionOf(instance)
    if (instance === undefined || flow === undefined) return false
    let isTaken = false
    const error = this.attempt((trial) => {
      isTaken = this.#takes(flow, instance, input)
      if (isTaken) trial.move(instanceId, input, cause)
    })
    if (error !== undefined) this.fail(error.about({ instanceId }), cause)
    return isTaken && error === undefined
  }

  #takes(flow: Flow, instance: FlowInstance, { event, payload, contextUpdate }: FlowInput): boolean {
    const before = { ...instance, context: { ...instance.context, ...contextUpdate } }
    return this.rules.next(flow, before, { type: event, payload }) !== undefined
  }

  #end(instanceId: string, reason: DismissReason, result: Values | undefined, cause: Cause, book: Book = {}): void {
    const { flows } = this.writing.state
    const children = Object.keys(flows).filter((id) => flows[id]?.parentInstanceId === instanceId)
    for (const child of children.toReversed()) this.#end(child, 'cancelled', undefined, cause)
    const instance = this.writing.state.flows[instanceId]
    if (instance === undefined) return
    const undone = this.writing.state.work.filter((work) => {
      return work.kind === 'handle' ? work.instanceId === instanceId : work.parentInstanceId === instanceId
    })
    const fits = result !== undefined && recordProblem(result, flowLimits.contextBytes) === undefined
    const value = { ...this.stamp(instanceId, instance, cause), reason, ...(fits && { result: { ...result } }) }
    this.writing.show({ type: 'CUSTOM', name: 'intentflow.dismiss', value }, numbered(book, instance))
    this.writing.answer(undone.map(({ eventId }) => eventId))
  }

  #tellParent(
    instanceId: string,
    { parentInstanceId, intentId }: FlowInstance,
    event: string,
    how: Values,
    cause: Cause,
  ): void {
    if (parentInstanceId === undefined) return
    const payload = { instanceId, intentId, ...how }
    const eventId = this.writing.context.id('fev')
    this.offer(parentInstanceId, { event, payload }, { ...cause, eventId })
  }

  #handling(
    instanceId: string,
    instance: FlowInstance,
    { event, payload }: FlowInput,
    cause: Cause,
  ): Handling | undefined {
    if (this.rules.handlerOf(instance, event) === undefined) return undefined
    if (cause.depth >= flowCounts.depth) {
      const message = `${cause.depth} handlers have followed from one another; “${event}” is not handled any more.`
      throw new FlowError('INTERNAL_ERROR', message, { instanceId })
    }
    checkWork(this.writing)
    const { eventId, by, depth } = cause
    const { now: at, id } = this.writing.context
    return defined({ kind: 'handle' as const, workId: id('work'), eventId, by, at, depth, instanceId, event, payload })
  }

  /** What every event of an instance carries, for its next one. */
  stamp(instanceId: string, { seq }: FlowInstance, { inReplyTo }: Cause) {
    const { now, id } = this.writing.context
    return defined({ v: 1 as const, eventId: id('fev'), at: now, instanceId, seq: seq + 1, inReplyTo })
  }
}

/** What is kept of an event, so that its duplicate gets the same answer; without an id of its own it has none. */
export function keptResult(eventId: string | undefined, at: number, instanceId?: string): { result?: StoredResult } {
  return eventId === undefined ? {} : { result: defined({ eventId, at, instanceId }) }
}

/** The result in a book with the seq that the instance has afterwards. */
function numbered(book: Book, { seq }: FlowInstance): Book {
  return book.result === undefined ? book : { ...book, result: { ...book.result, seq: seq + 1 } }
}

function checkContext(context: Values, instanceId: string): void {
  const problem = recordProblem(context, flowLimits.contextBytes)
  if (problem !== undefined)
    throw new FlowError('INVALID_PAYLOAD', `The context of the flow ${problem}.`, { instanceId })
}

/** What is new in `after`, or other than it was, key by key; undefined when nothing is. */
function changedKeys(before: Values, after: Values): Record<string, unknown> | undefined {
  const changed = Object.entries(after).filter(([key, value]) => {
    return value !== before[key] && !isDeepStrictEqual(value, before[key])
  })
  return changed.length === 0 ? undefined : Object.fromEntries(changed)
}
