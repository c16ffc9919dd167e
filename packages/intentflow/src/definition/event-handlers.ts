import { BeachError, type Principal } from '@cool-ai/beach-core'
import type { ActionRequest } from '../schemas/action-payload.ts'
import { plainJson, type Values } from '../schemas/json-problem.ts'
import type { PatchOperation } from '../schemas/server-payloads.ts'
import type { EventOf, Flow, PayloadOf, PropsOf } from './flow.ts'
import type { FlowInstance } from '../state/flow-instance.ts'

/** A change of props: members to be replaced, or operations inside them. */
export type PropsChange =
  | { readonly patch: Values; readonly operations?: undefined }
  | { readonly operations: readonly PatchOperation[]; readonly patch?: undefined }

/** A flow to be opened inside another one. */
interface ChildRequest {
  readonly intentId: string
  readonly entities?: Values | undefined
  readonly props?: Values | undefined
}

/** What a handler of an event gets. */
export interface HandlerInput<Props = Values, Payload = Values> {
  readonly instanceId: string
  readonly event: string
  readonly props: Props
  /** The machine's context after the event's transition. */
  readonly context: Values
  /** The state that the event has led to. */
  readonly state: string
  readonly payload: Payload
  /** The same whenever this event is handled again, and never that of another: for services that would do it twice. */
  readonly idempotencyKey: string
  readonly principal: Principal
  readonly session: string
  readonly signal: AbortSignal
}

/** What is to become of the flow. */
export interface HandlerResult<Event extends string = string> {
  /** An event for the machine, such as SUCCESS, with its payload. */
  readonly event?: Event | undefined
  readonly payload?: Values | undefined
  readonly propsUpdate?: PropsChange | undefined
  readonly contextUpdate?: Values | undefined
  readonly child?: ChildRequest | undefined
  readonly action?: ActionRequest | undefined
  /** What the dismissal says, when the flow is over by this; its context when left out. */
  readonly result?: Values | undefined
}

/** What is done because of an event, besides the machine's transition. */
export interface EventHandler {
  run(input: HandlerInput): Promise<HandlerResult>
  /** True when running it twice with the same key does no harm; then it is run again after a crash. */
  readonly idempotent: boolean
  readonly timeoutMs: number
  /** The event that the machine gets when it fails. */
  readonly failure: string
}

/** What is done because of a flow's events, by their names. Made by `defineEventHandlers`. */
export interface EventHandlers {
  readonly kind: 'handlers'
  readonly intentId: string
  readonly handlers: Readonly<Record<string, EventHandler>>
}

type Run<F extends Flow, Name extends EventOf<F>> = (
  input: HandlerInput<PropsOf<F>, PayloadOf<F, Name>>,
) => Promise<HandlerResult<EventOf<F>> | undefined> | HandlerResult<EventOf<F>> | undefined

interface HandlerOptions<F extends Flow, Name extends EventOf<F>> {
  readonly run: Run<F, Name>
  readonly idempotent?: boolean | undefined
  /** 30 seconds when left out. */
  readonly timeoutMs?: number | undefined
  /** FAILURE when left out. */
  readonly failure?: EventOf<F> | undefined
}

type GivenHandlers<F extends Flow> = { readonly [Name in EventOf<F>]?: Run<F, Name> | HandlerOptions<F, Name> }

/** Says what is done because of a flow's events. */
export function defineEventHandlers<F extends Flow>(flow: F, given: GivenHandlers<F>): EventHandlers {
  const handlers: Record<string, EventHandler> = {}
  for (const [name, handler] of Object.entries<GivenHandlers<Flow>[string]>(given as GivenHandlers<Flow>)) {
    if (handler === undefined) continue
    if (!Object.hasOwn(flow.events, name)) {
      const known = Object.keys(flow.events).join(', ')
      throw new BeachError(
        'INVALID_REGISTRATION',
        `${flow.intentId} has no event ${name} to handle. Its events: ${known}.`,
      )
    }
    handlers[name] = handlerOf(flow, name, typeof handler === 'function' ? { run: handler } : handler)
  }
  return { kind: 'handlers', intentId: flow.intentId, handlers }
}

function handlerOf(flow: Flow, name: string, options: HandlerOptions<Flow, string>): EventHandler {
  const { run, idempotent = false, timeoutMs = 30_000, failure = 'FAILURE' } = options
  if (options.failure !== undefined && !Object.hasOwn(flow.events, options.failure)) {
    throw new BeachError(
      'INVALID_REGISTRATION',
      `${flow.intentId}: the failure ${failure} of ${name} is none of its events.`,
    )
  }
  if (!Number.isFinite(timeoutMs) || timeoutMs <= 0) {
    throw new BeachError('INVALID_REGISTRATION', `${flow.intentId}: the timeoutMs of ${name} must be a number above 0.`)
  }
  return { run: async (input) => plainJson((await run(input)) ?? {}) as HandlerResult, idempotent, timeoutMs, failure }
}

/** What a watch can do with the instance that it watches. */
interface WatchTools {
  readonly session: string
  readonly signal: AbortSignal
  update(change: PropsChange): Promise<void>
  send(event: string, payload?: Values): Promise<void>
}

/** Runs while an instance is open, such as to show where an order is. Aborted when it is over. */
export type FlowWatch = (
  instance: FlowInstance & { readonly instanceId: string },
  tools: WatchTools,
) => Promise<void> | void
