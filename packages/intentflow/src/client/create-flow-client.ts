import { coalesced, emitter, backoffOf, platformOf, type Platform } from '@cool-ai/beach-client/reliability'
import type { ClientEvent } from '../schemas/client-payloads.ts'
import type { ServerEvent, ServerEventName, Recovery } from '../schemas/server-payloads.ts'
import { ActionRuns } from './action-runs.ts'
import { Expectations, payloadOf } from './expectations.ts'
import { asFlowClientError, FlowClientError } from './flow-client-error.ts'
import type { FlowAction, FlowClient, FlowClientOptions, ServerPayloadOf } from './flow-client.ts'
import { follow, type FlowConnection } from './flow-connection.ts'
import { FlowOutbox } from './flow-outbox.ts'
import { Mirror } from './mirror.ts'
import { stepOf, snapshotMaker, type FlowsSnapshot } from './snapshots.ts'
import {
  serverEventOf,
  isRecord,
  type Answer,
  type EventResult,
  type ReceivedEvent,
  type ClientRequest,
} from './transport.ts'

/** How long the events of something that was applied may take before they count as lost. */
const lateMs = 2_000

/** Follows the flows of a thread from now on, and takes what its user does. It connects by itself until it is closed. */
export function createFlowClient(options: FlowClientOptions): FlowClient {
  return new Client(options)
}

type Events = { readonly [Name in ServerEventName]: ServerPayloadOf<Name> } & { readonly change: void }

class Client implements FlowClient {
  readonly #events = emitter<Events>()
  readonly #actions: ActionRuns
  readonly #options: FlowClientOptions
  readonly #platform: Platform
  readonly #end = new AbortController()
  readonly #mirror = new Mirror()
  readonly #expectations = new Expectations()
  readonly #outbox: FlowOutbox
  readonly #snapshots: ReturnType<typeof snapshotMaker>
  readonly #change = coalesced(() => this.#events.emit('change', () => {}))
  #connection: FlowConnection = { state: 'connecting' }
  #versionsSaid = false
  /** How many callers asked for the current state, and how many of them got it. */
  #syncs = { wanted: 0, done: 0 }

  constructor(options: FlowClientOptions) {
    this.#options = options
    this.#platform = platformOf(options)
    this.#snapshots = snapshotMaker(options.optimistic ?? {})
    const pauses = backoffOf(this.#platform)
    const { signal } = this.#end
    const onChange = this.#change
    this.#outbox = new FlowOutbox({
      send: (events) => this.#send({ v: 1, events }),
      sync: () => this.#sync(),
      mustSync: () => this.#mustSync,
      pauses,
      onResult: ({ value: { eventId = '' } }, result) => this.#onResult(eventId, result),
      onFailure: ({ value: { eventId = '' } }, error) => this.#onFailure(eventId, error),
      onChange,
    })
    this.#actions = new ActionRuns({
      handlers: options.actions ?? {},
      clock: this.#platform.clock,
      respond: ({ actionId = '', instanceId }, response) => {
        const value = { actionId, instanceId, ...response }
        void this.#say('intentflow.action_response', value)
        // What waits may wait for this.
        pauses.wake()
      },
      onChange,
    })
    const leave = options.transport.listen?.((event) => this.receive(event))
    if (leave !== undefined) signal.addEventListener('abort', leave)
    void follow({
      transport: options.transport,
      said: () => this.#withVersions({ v: 1, known: this.#mirror.ask().known }),
      platform: this.#platform,
      pauses,
      onEvent: (event) => this.receive(event),
      onConnection: (connection) => {
        this.#connection = connection
        if (connection.state === 'open') pauses.wake()
        this.#change()
      },
      signal,
    })
  }

  readonly on = this.#events.on as FlowClient['on']

  readonly subscribe = (listener: () => void): (() => void) => this.#events.on('change', listener)

  readonly getSnapshot = (): FlowsSnapshot => {
    const { expected, errors, error } = this.#expectations
    const rest = { connection: this.#connection, waiting: this.#outbox.size, actions: this.#actions.actions, error }
    return this.#snapshots({ flows: this.#mirror.flows, expected, errors, rest })
  }

  readonly receive = (event: ReceivedEvent): void => {
    if (this.#end.signal.aborted) return
    const { type, snapshot, delta } = event
    if (type === 'STATE_SNAPSHOT') {
      if (isRecord(snapshot) && isRecord(snapshot.activeFlows)) this.#mirror.show(snapshot.activeFlows as never)
    } else if (type === 'STATE_DELTA') {
      if (Array.isArray(delta)) this.#mirror.compare(delta)
    } else {
      const known = serverEventOf(event)
      if (known === undefined) return
      for (const each of this.#mirror.take(known)) this.#handle(each)
    }
    this.#settle()
  }

  readonly dispatch = (instanceId: string, action: FlowAction): Promise<EventResult> => {
    const flow = this.getSnapshot().flows.find((each) => each.instanceId === instanceId)
    if (flow === undefined)
      return rejection(new FlowClientError('INSTANCE_NOT_FOUND', `There is no active flow ${instanceId} here.`))
    const { event, payload, expectedSeq } = action
    const eventId = this.#newId()
    const local = stepOf(this.#options.optimistic ?? {}, flow, event)?.local === true
    this.#expectations.add({ eventId, instanceId, event, payload, local }, action)
    if (local) {
      this.#change()
      return Promise.resolve({ eventId, status: 'applied' })
    }
    const rest = { payload, expectedSeq }
    return this.#say('intentflow.event', { instanceId, event, ...rest }, eventId)
  }

  readonly retry = (instanceId: string): Promise<EventResult> => {
    const action = this.#expectations.again(instanceId)
    if (action !== undefined) return this.dispatch(instanceId, action)
    return rejection(new FlowClientError('BAD_REQUEST', `Nothing that was done in ${instanceId} can be done again.`))
  }

  readonly recover = async (instanceId: string, recovery: Recovery): Promise<EventResult | undefined> => {
    const { action, intentId, instanceId: other = instanceId } = recovery
    switch (action) {
      case 'retry':
        return this.retry(instanceId)
      case 'dismiss':
        return this.dismiss(other)
      case 'navigate':
        if (intentId === undefined) throw new FlowClientError('BAD_REQUEST', 'This does not say which flow is to come.')
        return this.invoke(intentId)
      case 'modify':
        this.clearError(other)
        return undefined
    }
  }

  readonly dismiss: FlowClient['dismiss'] = (instanceId, reason = 'user_cancelled') => {
    if (this.#mirror.flows[instanceId] === undefined) {
      return rejection(new FlowClientError('INSTANCE_NOT_FOUND', `There is no active flow ${instanceId} here.`))
    }
    const eventId = this.#newId()
    this.#expectations.add({ eventId, instanceId })
    return this.#say('intentflow.dismiss_request', { instanceId, reason }, eventId)
  }

  readonly invoke: FlowClient['invoke'] = (intentId, entities) => {
    return this.#say('intentflow.invoke', { intentId, entities })
  }

  readonly respond: FlowClient['respond'] = (actionId, response) => {
    if (this.#actions.respond(actionId, response)) return
    throw new FlowClientError('BAD_REQUEST', `There is no action ${actionId} that waits for a response.`)
  }

  #say(name: ClientEvent['name'], value: object, eventId = this.#newId()): Promise<EventResult> {
    const sentAt = this.#platform.clock.now()
    const event = { type: 'CUSTOM', name, value: { v: 1, eventId, ...value, sentAt } } as ClientEvent
    return this.#outbox.put(event)
  }

  readonly resync = (): Promise<void> => {
    if (this.#end.signal.aborted) return rejection(closed())
    this.#syncs.wanted++
    return this.#outbox.sync()
  }

  readonly clearError = (instanceId?: string): void => {
    this.#expectations.clearError(instanceId)
    this.#change()
  }

  readonly close = (): void => {
    if (this.#end.signal.aborted) return
    this.#end.abort(closed())
    this.#outbox.close(closed())
    this.#actions.close()
    this.#connection = { state: 'closed' }
    this.#change()
  }

  #newId(): string {
    return `ev_${this.#platform.key()}`
  }

  #handle(event: ServerEvent): void {
    const { inReplyTo } = event.value
    if (event.name === 'intentflow.error') this.#expectations.fail(event.value, this.#mirror.flows)
    if (event.name === 'intentflow.action') this.#actions.start(event.value)
    else if (inReplyTo !== undefined) this.#expectations.drop(inReplyTo)
    if (event.name === 'intentflow.transition') this.#expectations.dropLocal(event.value.instanceId)
    this.#events.emit(event.name, () => event.value as never)
  }

  /** Brings in line what was expected with what has come, asks if something is missing, and tells of it. */
  #settle(): void {
    this.#expectations.settle(this.#mirror.flows)
    // By the time that this is asked it may not be needed any more.
    if (this.#mirror.inDoubt) this.#outbox.sync().catch(() => {})
    this.#change()
  }

  async #send(said: ClientRequest): Promise<Answer> {
    try {
      const answer = await this.#options.transport.send(this.#withVersions(said), this.#end.signal)
      this.#versionsSaid = true
      return answer
    } catch (error) {
      throw asFlowClientError(error)
    }
  }

  #withVersions(said: ClientRequest): ClientRequest {
    const { versions } = this.#options
    const isDue = versions !== undefined && (!this.#versionsSaid || said.known !== undefined)
    return isDue ? { ...said, client: { v: 1, flows: versions } } : said
  }

  get #mustSync(): boolean {
    return this.#syncs.wanted > this.#syncs.done || this.#mirror.inDoubt
  }

  /** Asks until nothing is in doubt: something may come while the server answers. */
  async #sync(): Promise<void> {
    do {
      const { wanted } = this.#syncs
      const asked = this.#mirror.ask()
      const { activeFlows } = await this.#send({ v: 1, known: asked.known })
      this.#syncs.done = wanted
      this.#mirror.answered(asked, activeFlows)
      this.#expectations.dropUnknown()
      this.#settle()
    } while (this.#mustSync && !this.#end.signal.aborted)
  }

  #onResult(eventId: string, { status, seq }: EventResult): void {
    // What the server does not number is shown already, unless it says that it will be.
    if (seq === undefined && status !== 'pending') this.#expectations.drop(eventId)
    else this.#expectations.answered(eventId, seq)
    this.#settle()
    if (this.#expectations.isOverdue(eventId)) this.#watch(eventId)
  }

  /** Asks when the events of something that was applied do not come. */
  #watch(eventId: string): void {
    const look = () => {
      if (this.#expectations.isOverdue(eventId) && !this.#end.signal.aborted) this.resync().catch(() => {})
    }
    if (this.#connection.state !== 'open') look()
    else this.#platform.clock.timer(lateMs, look)
  }

  #onFailure(eventId: string, error: FlowClientError): void {
    const expected = this.#expectations.drop(eventId)
    if (expected !== undefined && error.code !== 'CANCELLED') {
      this.#expectations.fail(payloadOf(error, expected), this.#mirror.flows)
    }
    // The server has gone on without this client.
    if (error.code === 'STATE_CONFLICT' || error.code === 'INSTANCE_NOT_FOUND') this.resync().catch(() => {})
    this.#change()
  }
}

function closed(): FlowClientError {
  return new FlowClientError('CANCELLED', 'The client was closed.')
}

function rejection(why: FlowClientError): Promise<never> {
  const promise = Promise.reject(why)
  // What failed here need not be waited for either.
  promise.catch(() => {})
  return promise
}
