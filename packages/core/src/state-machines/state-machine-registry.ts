import { BeachError } from '../errors.ts'
import { isSame } from '../registries/same.ts'
import {
  initialCoordinates,
  type ComponentDefinition,
  type Coordinates,
  type StateMachineDefinition,
} from './definition.ts'
import { parseStateMachine } from './parse-definition.ts'
import { applyTransitions, type TransitionOutcome, type TransitionSource } from './transition.ts'

/** The state machines of an application, from as many `state-machine.json` files as it has. */
export class StateMachineRegistry {
  readonly #components: Map<string, ComponentDefinition>
  #definition: StateMachineDefinition

  /** Begins with the components of another registry, or with none. */
  constructor(base?: StateMachineRegistry) {
    this.#definition = base ? base.#definition : { components: {} }
    this.#components = new Map(Object.entries(this.#definition.components))
  }

  /** Adds the components of a parsed `state-machine.json`: all of them, or none when one is wrong or already there. */
  register(json: unknown, file = 'state-machine.json'): StateMachineDefinition {
    const definition = parseStateMachine(json, file)
    for (const [name, component] of Object.entries(definition.components)) this.#checkNew(name, component, file)
    for (const [name, component] of Object.entries(definition.components)) this.#components.set(name, component)
    this.#definition = { components: Object.fromEntries(this.#components) }
    return definition
  }

  get(component: string): ComponentDefinition | undefined {
    return this.#components.get(component)
  }

  has(component: string): boolean {
    return this.#components.has(component)
  }

  ids(): string[] {
    return [...this.#components.keys()]
  }

  /** Where every coordinate stands before anything has happened. */
  initial(): Coordinates {
    return initialCoordinates(this.#definition)
  }

  /** Applies the data of a setState part to where the coordinates stand: all of it or nothing. */
  apply(current: Coordinates, patch: unknown, source: TransitionSource): TransitionOutcome {
    return applyTransitions(this.#definition, current, patch, source)
  }

  #checkNew(name: string, component: ComponentDefinition, file: string): void {
    const existing = this.#components.get(name)
    if (existing === undefined || isSame(existing, component)) return
    throw new BeachError('INVALID_REGISTRATION', `${file}: the component '${name}' is already defined differently.`, {
      details: { component: name },
    })
  }
}

/** The default registry of state machines. */
export const stateMachines: StateMachineRegistry = new StateMachineRegistry()
