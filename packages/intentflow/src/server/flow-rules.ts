import type { Logger, Principal } from '@cool-ai/beach-core'
import type * as z from 'zod'
import { migrateProps, propsForClient } from '../definition/migrations.ts'
import type { EventHandler, FlowWatch } from '../definition/event-handlers.ts'
import type { Flow, MachineEvent, MachineStep } from '../definition/flow.ts'
import type { FlowUser } from '../definition/permissions.ts'
import type { RegisteredFlow } from '../registry/flow-registry.ts'
import { FlowError, isFlowError } from '../schemas/flow-error.ts'
import { flowLimits, recordProblem, type Values } from '../schemas/json-problem.ts'
import type { FlowInstance } from '../state/flow-instance.ts'
import type { FlowsOptions } from './create-flows.ts'

interface FlowRulesOptions extends Pick<FlowsOptions, 'registry' | 'rolesOf' | 'featuresOf'> {
  readonly maxFlows: number
  readonly debug: boolean
  readonly logger: Logger
}

type Running = Pick<FlowInstance, 'intentId' | 'version' | 'state'>

/** What the registry and the application say of flows, as the engine asks for it. */
export class FlowRules {
  readonly #options: FlowRulesOptions
  readonly maxFlows: number
  readonly debug: boolean

  constructor(options: FlowRulesOptions) {
    this.#options = options
    this.maxFlows = options.maxFlows
    this.debug = options.debug
  }

  /** A flow that can be invoked: of the version that the client shows, if it is registered, otherwise of the newest. */
  registered(intentId: string, version?: string): RegisteredFlow {
    const found = this.find(intentId, version)
    if (found === undefined) {
      throw new FlowError('FLOW_NOT_FOUND', `There is no flow “${intentId}”.`, { details: { intentId } })
    }
    return found
  }

  /**
   * What an instance runs by: the version that it began with or, where that is not registered any more, the newest one
   * that knows how to go on with it.
   */
  runs(instance: Running): RegisteredFlow {
    const found = this.registered(instance.intentId, instance.version)
    const { flow } = found
    if (flow.version !== instance.version && !flow.machine.states.includes(instance.state)) {
      const message = `${flow.meta.title} has changed since this was begun, and cannot go on from “${instance.state}”.`
      throw new FlowError('UNSUPPORTED_VERSION', message, { details: { from: instance.version, to: flow.version } })
    }
    return found
  }

  definitionOf(instance: Running): Flow {
    return this.runs(instance).flow
  }

  /** The same, where nothing is to be said of a flow that cannot be run any more. */
  knownDefinitionOf(instance: Running): Flow | undefined {
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
    return this.find(instance.intentId, instance.version)?.watch
  }

  /** A flow of that version, or else the newest one. */
  find(intentId: string, version: string | undefined): RegisteredFlow | undefined {
    const { registry } = this.#options
    return (version === undefined ? undefined : registry.get(intentId, version)) ?? registry.get(intentId)
  }

  /** The props of an instance as the definition that it runs by knows them. */
  propsOf(flow: Flow, { props, version }: Pick<FlowInstance, 'props' | 'version'>): Values {
    return flow.version === version ? props : migrateProps(flow, props, version, flow.version)
  }

  propsProblem(flow: Flow, instance: FlowInstance, props: Values): string | undefined {
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

  who(principal: Principal): FlowUser {
    const { rolesOf, featuresOf } = this.#options
    return { principal, roles: rolesOf?.(principal) ?? principal.roles, features: featuresOf?.(principal) }
  }

  permit(flow: Flow, principal: Principal): void {
    const check = this.#options.registry.checkPermissions(flow, this.who(principal))
    if (!check.allowed) throw new FlowError(check.code, undefined, { details: { reason: check.reason } })
  }

  payloadOf(flow: Flow, event: string, payload: Values | undefined): Values | undefined {
    const schema = Object.hasOwn(flow.events, event) ? flow.events[event]?.schema : undefined
    return schema === undefined ? payload : readRecord(schema, payload, `The payload of “${event}”`)
  }

  /** What the user may have said with an invocation, as the intent's schema reads it. */
  entitiesOf({ intent }: RegisteredFlow, entities: Values | undefined): Values {
    if (intent === undefined) return entities ?? {}
    return readRecord(intent.extractionSchema, entities, 'What is known of the request')
  }
}

function readRecord(schema: z.ZodType, given: Values | undefined, what: string): Values {
  const parsed = schema.safeParse(given ?? {})
  if (!parsed.success) throw new FlowError('INVALID_PAYLOAD', parsed.error)
  const problem = recordProblem(parsed.data, flowLimits.contextBytes)
  if (problem !== undefined) throw new FlowError('INVALID_PAYLOAD', `${what} ${problem}.`)
  return parsed.data as Values
}
