import type { Logger, Principal } from '@cool-ai/beach-core'
import {
  migrateProps,
  propsForClient,
  type EventHandler,
  type Flow,
  type FlowWatch,
  type MachineEvent,
  type MachineStep,
  type FlowUser,
} from '../definition/index.ts'
import type { FlowRegistry, RegisteredFlow } from '../registry/index.ts'
import { FlowError, flowLimits, isFlowError } from '../schemas/index.ts'
import { recordProblem } from '../schemas/json-problem.ts'
import type { FlowInstance } from '../state/index.ts'

type Json = Readonly<Record<string, unknown>>

export interface FlowRulesOptions {
  readonly registry: FlowRegistry
  /** What the application knows of a user; asked for every event, so it must answer at once. */
  readonly rolesOf?: ((principal: Principal) => readonly string[]) | undefined
  readonly featuresOf?: ((principal: Principal) => readonly string[]) | undefined
  /** How many flows a session may have open. */
  readonly maxFlows: number
  /** Whether clients are told details of permissions and of our own failures. */
  readonly debug: boolean
  readonly logger: Logger
}

/** What the registry and the application say of flows, as the engine asks for it. */
export class FlowRules {
  readonly #options: FlowRulesOptions

  constructor(options: FlowRulesOptions) {
    this.#options = options
  }

  get maxFlows(): number {
    return this.#options.maxFlows
  }

  get debug(): boolean {
    return this.#options.debug
  }

  /** A flow that can be invoked: of the version that the client shows, if it is registered, otherwise of the newest. */
  registered(intentId: string, version?: string): RegisteredFlow {
    const { registry } = this.#options
    const exact = version === undefined ? undefined : registry.get(intentId, version)
    const found = exact ?? registry.get(intentId)
    if (found === undefined) {
      throw new FlowError('FLOW_NOT_FOUND', `There is no flow “${intentId}”.`, { details: { intentId } })
    }
    return found
  }

  /**
   * What an instance runs by: the version that it began with or, where that is not registered any more, the newest one
   * that knows how to go on with it.
   */
  runs(instance: Pick<FlowInstance, 'intentId' | 'version' | 'state'>): RegisteredFlow {
    const found = this.registered(instance.intentId, instance.version)
    const { flow } = found
    if (flow.version !== instance.version && !flow.machine.states.includes(instance.state)) {
      const message = `${flow.meta.title} has changed since this was begun, and cannot go on from “${instance.state}”.`
      throw new FlowError('UNSUPPORTED_VERSION', message, { details: { from: instance.version, to: flow.version } })
    }
    return found
  }

  definitionOf(instance: Pick<FlowInstance, 'intentId' | 'version' | 'state'>): Flow {
    return this.runs(instance).flow
  }

  /** The same, where nothing is to be said of a flow that cannot be run any more. */
  knownDefinitionOf(instance: Pick<FlowInstance, 'intentId' | 'version' | 'state'>): Flow | undefined {
    try {
      return this.definitionOf(instance)
    } catch (error) {
      if (isFlowError(error)) return undefined
      throw error
    }
  }

  /** Where an event leads an instance; undefined when its state does not take it. A machine that fails says nothing more. */
  next({ intentId, machine }: Flow, { state, context }: FlowInstance, event: MachineEvent): MachineStep | undefined {
    try {
      return machine.next(state, context, event)
    } catch (error) {
      this.#options.logger.log('error', 'the machine of a flow failed', { intentId, state, event: event.type, error })
      throw isFlowError(error) ? error : new FlowError('INTERNAL_ERROR', undefined, { cause: error })
    }
  }

  handlerOf(instance: FlowInstance, event: string): EventHandler | undefined {
    const handlers = this.runs(instance).handlers?.handlers ?? {}
    return Object.hasOwn(handlers, event) ? handlers[event] : undefined
  }

  /** What runs while an instance is open, if its flow can still be run at all. */
  watchOf(instance: FlowInstance): FlowWatch | undefined {
    const { registry } = this.#options
    return (registry.get(instance.intentId, instance.version) ?? registry.get(instance.intentId))?.watch
  }

  /** The props of an instance as the definition that it runs by knows them. */
  propsOf(flow: Flow, { props, version }: Pick<FlowInstance, 'props' | 'version'>): Json {
    return flow.version === version ? props : migrateProps(flow, props, version, flow.version)
  }

  /** What is wrong with props that an instance is to have. */
  propsProblem(flow: Flow, instance: FlowInstance, props: Json): string | undefined {
    const parsed = flow.schema.safeParse(this.propsOf(flow, { props, version: instance.version }))
    if (parsed.success) return undefined
    return parsed.error.issues
      .slice(0, 5)
      .map(({ path, message }) => `${path.map(String).join('.')}: ${message}.`)
      .join(' ')
  }

  /** The props for a client that has said which version it can show, and the version that they are of then. */
  forClient(flow: Flow, props: Record<string, unknown>, declared: string | undefined) {
    const shown = propsForClient(flow, props, declared)
    const version = shown === props || declared === undefined ? flow.version : declared
    return { version, shown: { ...shown } }
  }

  /** A user with what the application knows of them. */
  who(principal: Principal): FlowUser {
    const { rolesOf, featuresOf } = this.#options
    const roles = rolesOf?.(principal)
    const features = featuresOf?.(principal)
    return { principal, ...(roles && { roles }), ...(features && { features }) }
  }

  /** Refuses users who may not use a flow. */
  permit(flow: Flow, principal: Principal): void {
    const check = this.#options.registry.checkPermissions(flow, this.who(principal))
    if (!check.allowed) throw new FlowError(check.code, undefined, { details: { reason: check.reason } })
  }

  /** The payload of an event as its schema reads it. */
  payloadOf(flow: Flow, event: string, payload: Json | undefined): Json | undefined {
    const schema = Object.hasOwn(flow.events, event) ? flow.events[event]?.schema : undefined
    if (schema === undefined) return payload
    const parsed = schema.safeParse(payload ?? {})
    if (!parsed.success) throw new FlowError('INVALID_PAYLOAD', parsed.error)
    const problem = recordProblem(parsed.data, flowLimits.contextBytes)
    if (problem !== undefined) throw new FlowError('INVALID_PAYLOAD', `The payload of “${event}” ${problem}.`)
    return parsed.data as Json
  }

  /** What the user may have said with an invocation, as the intent's schema reads it. */
  entitiesOf({ intent }: RegisteredFlow, entities: Json | undefined): Json {
    if (intent === undefined) return entities ?? {}
    const parsed = intent.extractionSchema.safeParse(entities ?? {})
    if (!parsed.success) throw new FlowError('INVALID_PAYLOAD', parsed.error)
    const problem = recordProblem(parsed.data, flowLimits.contextBytes)
    if (problem !== undefined) throw new FlowError('INVALID_PAYLOAD', `What is known of the request ${problem}.`)
    return parsed.data
  }
}
