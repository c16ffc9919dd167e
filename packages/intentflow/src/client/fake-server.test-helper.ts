import type { ClientEvent } from '../schemas/client-payloads.ts'
import type { ServerEvent } from '../schemas/server-payloads.ts'
import { applyServerEvent } from '../state/apply-server-event.ts'
import type { ActiveFlows } from '../state/flow-instance.ts'
import { statePatchOf } from '../state/operations.ts'
import { unreachable } from '@cool-ai/beach-client/reliability'
import { defined } from '@cool-ai/beach-core/runtime'
import type {
  Answer,
  EventResult,
  FlowTransport,
  FollowEvents,
  Known,
  ReceivedEvent,
  ClientRequest,
} from './transport.ts'

/** The machine of every flow of the fake server: from a state, by an event, to a state. */
const machine: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  review: { CONFIRM: 'confirming', EDIT: 'editing' },
  editing: { SAVE: 'review' },
  confirming: { SUCCESS: 'confirmed', FAILURE: 'review' },
}

/** A server in memory that does with flows what the real one does: everything in order, each event once. */
export class FakeServer {
  flows: ActiveFlows = {}
  /** Every event that it has written, in order. */
  readonly written: ServerEvent[] = []
  /** Every request, in order. */
  readonly received: ClientRequest[] = []
  readonly #results = new Map<string, EventResult>()
  readonly #followers = new Set<(event: ReceivedEvent) => void>()
  #count = 0
  /** What stands in the way of requests, if anything. */
  refusal: ((said: ClientRequest) => Error | undefined) | undefined
  /** Told of each event instead of the followers, when it is set. */
  courier: ((event: ServerEvent) => void) | undefined
  /** What an answer waits for. */
  gate: Promise<void> | undefined
  /** True when an answer gets lost on its way back: the server has done it all the same. */
  losesAnswers = false

  render(intentId = 'order.place', value: object = {}): string {
    const instanceId = `flow_${++this.#count}`
    this.write('intentflow.render', {
      instanceId,
      intentId,
      version: '1.0.0',
      props: { items: [{ name: 'tea', quantity: 1 }] },
      state: 'review',
      context: {},
      displayMode: 'inline',
      dismissable: true,
      ...value,
    })
    return instanceId
  }

  transition(instanceId: string, toState: string, context: object = {}, inReplyTo?: string): void {
    this.write('intentflow.transition', defined({ instanceId, toState, context, inReplyTo }))
  }

  write(name: ServerEvent['name'], value: { instanceId?: string; [key: string]: unknown }): void {
    const { instanceId } = value
    const isCounted = instanceId !== undefined && name !== 'intentflow.error'
    const seq = isCounted ? { seq: (this.flows[instanceId]?.seq ?? -1) + 1 } : {}
    const base = { v: 1, eventId: `srv_${++this.#count}`, at: 1_000 + this.#count, ...seq }
    const event = { type: 'CUSTOM', name, value: { ...base, ...value } } as unknown as ServerEvent
    this.flows = applyServerEvent(this.flows, event)
    this.written.push(event)
    if (this.courier !== undefined) {
      this.courier(event)
      return
    }
    for (const tell of this.#followers) {
      tell(event)
      tell({ type: 'STATE_DELTA', delta: statePatchOf(event) })
    }
  }

  get transport(): FlowTransport {
    return { send: (said, signal) => this.#send(said, signal), follow: (...args) => this.#follow(...args) }
  }

  /** Breaks all connections. */
  disconnect = () => {}

  async #send(said: ClientRequest, signal: AbortSignal): Promise<Answer> {
    await this.gate
    signal.throwIfAborted()
    const refused = this.refusal?.(said)
    if (refused !== undefined) throw refused
    this.received.push(structuredClone(said))
    const results = (said.events ?? []).map((event) => this.#take(event))
    if (this.losesAnswers) throw unreachable('The answer got lost.')
    return structuredClone({ results, ...(said.known && this.#gap(said.known) && { activeFlows: this.flows }) })
  }

  #gap(known: readonly Known[]): boolean {
    const active = Object.keys(this.flows)
    return active.length !== known.length || known.some(({ instanceId, seq }) => this.flows[instanceId]?.seq !== seq)
  }

  async #follow(_said: ClientRequest, events: FollowEvents, signal: AbortSignal): Promise<void> {
    await this.gate
    const refused = this.refusal?.({ v: 1 })
    if (refused !== undefined) throw refused
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const tell = (event: ReceivedEvent) => events.event(structuredClone(event))
    this.#followers.add(tell)
    this.disconnect = () => reject(unreachable('The connection broke.'))
    signal.addEventListener('abort', () => resolve())
    events.opened()
    tell({ type: 'STATE_SNAPSHOT', snapshot: { activeFlows: this.flows } })
    try {
      await promise
    } finally {
      this.#followers.delete(tell)
    }
  }

  #take({ name, value }: ClientEvent): EventResult {
    const { eventId = '' } = value
    const before = this.#results.get(eventId)
    if (before !== undefined) return { ...before, status: 'duplicate' }
    const result = this.#apply(name, value, eventId)
    if (result.status !== 'rejected') this.#results.set(eventId, result)
    return result
  }

  #apply(name: string, value: Readonly<Record<string, unknown>>, eventId: string): EventResult {
    if (name === 'intentflow.action_response') return { eventId, status: 'applied' }
    if (name === 'intentflow.invoke') {
      const instanceId = this.render(String(value.intentId))
      return { eventId, status: 'applied', seq: this.flows[instanceId]?.seq ?? 0 }
    }
    const instanceId = String(value.instanceId)
    const flow = this.flows[instanceId]
    if (flow === undefined) return rejected(eventId, 'INSTANCE_NOT_FOUND')
    if (value.expectedSeq !== undefined && value.expectedSeq !== flow.seq) return rejected(eventId, 'STATE_CONFLICT')
    if (name === 'intentflow.dismiss_request') {
      if (!flow.dismissable) return rejected(eventId, 'DISMISS_REJECTED')
      this.write('intentflow.dismiss', { instanceId, reason: 'cancelled', inReplyTo: eventId })
    } else {
      const toState = machine[flow.state]?.[String(value.event)]
      if (toState === undefined) return rejected(eventId, 'INVALID_TRANSITION')
      this.transition(instanceId, toState, { by: value.event }, eventId)
    }
    return { eventId, status: 'applied', seq: flow.seq + 1 }
  }
}

function rejected(eventId: string, code: string): EventResult {
  return { eventId, status: 'rejected', code, message: `Rejected with ${code}.` }
}

/** Lets everything that can happen now happen. */
export async function flushMicrotasks(): Promise<void> {
  for (let turns = 0; turns < 50; turns++) await Promise.resolve()
}
