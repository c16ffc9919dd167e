import type { PartTypeRegistry, TurnStateRegistry } from '@cool-ai/beach-core'
import type { PartContext, PartTypeEntry } from '@cool-ai/beach-core/registries'
import type { JsonSchema } from '@cool-ai/beach-protocol/json-schema'
import type { CheckedSchema } from '../tools/tool-schema.ts'
import type { CitedSources } from './cited-sources.ts'

/** What a model may send through `respond()`. */
export interface RespondOptions {
  readonly partTypes: PartTypeRegistry
  readonly turnStates: TurnStateRegistry
  /** The actors that a turn may be passed to; when absent any name is accepted, and when empty nothing may be passed. */
  readonly actors?: readonly string[] | undefined
  readonly domainDataSchema?: JsonSchema | undefined
  /** Checks the data of domain-data parts in place of `domainDataSchema`, and fills in defaults. */
  readonly result?: CheckedSchema | undefined
  /** The coordinates, `<component>.<coordinate>`, that setState parts may move; any when absent. */
  readonly coordinates?: readonly string[] | undefined
  /** Part types that the system makes and a model never may. */
  readonly reserved?: readonly string[] | undefined
  /**
   * The tools whose approval a model may ask for. Its approval-request parts then name a tool and its arguments, and the
   * system asks for the approval of exactly that call. Such parts are taken as they are written when this is left out.
   */
  readonly approvable?: readonly string[] | undefined
  /**
   * True when a call is taken without those of its parts that are wrong and whose type may be dropped, as long as some
   * part is left; else such a call is refused like any other.
   */
  readonly dropInvalid?: boolean | undefined
  /** What citation parts may name as their `source`. */
  readonly sources?: CitedSources | undefined
  /** What is known of the conversation that parts are said in. */
  readonly partContext?: PartContext | undefined
}

/** True for a part type that only comes from outside. */
export function isInbound({ deliveryRules }: PartTypeEntry): boolean {
  return deliveryRules.streaming === 'inbound-only' && deliveryRules.buffered === 'inbound-only'
}

/** True for a part type that the system makes itself. */
export function isReserved(
  partType: string,
  { reserved = [], approvable, partTypes }: Pick<RespondOptions, 'reserved' | 'approvable' | 'partTypes'>,
): boolean {
  if (partType === 'approval-request' && approvable?.length === 0) return true
  return reserved.includes(partType) || partTypes.get(partType)?.saidBy === 'tools'
}

/** The part types that a model is offered, in the order of their registration. */
export function offeredPartTypes(options: RespondOptions): string[] {
  return options.partTypes
    .entries()
    .filter((entry) => !isInbound(entry) && !isReserved(entry.partType, options))
    .map(({ partType }) => partType)
    .filter((partType) => partType !== 'setState' || options.coordinates?.length !== 0)
}

/** The turn states that a model is offered, in the order of their registration. */
export function offeredTurnStates(options: RespondOptions): string[] {
  const { turnStates, actors } = options
  const left = {
    passed: actors?.length === 0,
    suspended: isReserved('approval-request', options),
  }
  return turnStates.ids().filter((state) => !Object.hasOwn(left, state) || !left[state as keyof typeof left])
}
