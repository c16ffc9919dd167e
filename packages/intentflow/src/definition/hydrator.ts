import type { Principal } from '@cool-ai/beach-core'
import type * as z from 'zod'
import { plainJson, type Values } from '../schemas/json-problem.ts'
import type { ActiveFlows } from '../state/flow-instance.ts'
import type { Flow } from './flow.ts'
import type { Intent } from './intent.ts'

/** What is known around an invocation. */
export interface OrchestrationContext {
  readonly activeFlows: ActiveFlows
  /** The flow that the user was in last. */
  readonly focusedInstanceId?: string | undefined
  /** The instance that asked for this one. */
  readonly parentInstanceId?: string | undefined
  readonly now: number
}

/** What a hydrator gets to make a flow's props of. */
export interface HydratorInput<Entities = Values> {
  /** What was taken out of what the user said, checked against the intent's schema. */
  readonly entities: Entities
  readonly session: string
  readonly principal: Principal
  readonly context: OrchestrationContext
  readonly signal: AbortSignal
}

/** Props together with where the instance is to begin. */
export interface Hydrated<Props> {
  readonly props: Props
  readonly context?: Values | undefined
  readonly initialState?: string | undefined
}

/** Finds out the props of a flow. Made by `defineHydrator`. */
export interface Hydrator {
  readonly kind: 'hydrator'
  readonly intentId: string
  hydrate(input: HydratorInput): Promise<Hydrated<unknown>>
}

type EntitiesOf<Target> = Target extends Intent<infer Schema> ? z.output<Schema> : Values

type Hydrate<Props, Entities> = (
  input: HydratorInput<Entities>,
) => Promise<Props | Hydrated<Props>> | Props | Hydrated<Props>

const hydratedKeys: ReadonlySet<string> = new Set(['props', 'context', 'initialState'])

/**
 * Says how entities become props, with ids of the catalogue instead of words. What cannot be found out is a FlowError
 * HYDRATION_FAILED with an `appCode` in its details. With an intent as a second argument, entities have its types.
 */
export function defineHydrator<F extends Flow>(flow: F, hydrate: Hydrate<z.input<F['schema']>, Values>): Hydrator
export function defineHydrator<F extends Flow, I extends Intent>(
  flow: F,
  intent: I,
  hydrate: Hydrate<z.input<F['schema']>, EntitiesOf<I>>,
): Hydrator
export function defineHydrator(
  flow: Flow,
  ...rest: readonly [Hydrate<unknown, never>] | readonly [Intent, Hydrate<unknown, never>]
): Hydrator {
  const hydrate = rest.length === 1 ? rest[0] : rest[1]
  return {
    kind: 'hydrator',
    intentId: flow.intentId,
    hydrate: async (input) => {
      const made = plainJson(await hydrate(input as HydratorInput<never>))
      return isHydrated(flow, made) ? made : { props: made }
    },
  }
}

/** Props and more, unless `props` is itself a prop of the flow. */
function isHydrated(flow: Flow, made: unknown): made is Hydrated<unknown> {
  if (typeof made !== 'object' || made === null || !Object.hasOwn(made, 'props')) return false
  return !Object.hasOwn(flow.schema.shape, 'props') && Object.keys(made).every((key) => hydratedKeys.has(key))
}
