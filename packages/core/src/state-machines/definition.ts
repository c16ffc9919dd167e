/** One axis of a component's state: where it starts, and where it may go from each state. */
export interface CoordinateDefinition {
  readonly initial: string
  readonly transitions: Readonly<Record<string, readonly string[]>>
}

/** A part of the application with a state of its own. */
export interface ComponentDefinition {
  /** True when actors, and peers with the scope, may propose transitions; without it only the application may. */
  readonly allowHandlerTransitions?: boolean | undefined
  readonly coordinates: Readonly<Record<string, CoordinateDefinition>>
}

/** What a `state-machine.json` says. */
export interface StateMachineDefinition {
  readonly components: Readonly<Record<string, ComponentDefinition>>
}

/** Where each coordinate stands, by `<component>.<coordinate>`. */
export type Coordinates = Readonly<Record<string, string>>

/** The definition of a coordinate by its full name; undefined when there is none. */
export function findCoordinate(
  definition: StateMachineDefinition,
  name: string,
): { readonly component: ComponentDefinition; readonly coordinate: CoordinateDefinition } | undefined {
  const [componentName = '', coordinateName = '', ...rest] = name.split('.')
  const component = own(definition.components, componentName)
  const coordinate = component && own(component.coordinates, coordinateName)
  return component && coordinate && rest.length === 0 ? { component, coordinate } : undefined
}

/** Where every coordinate stands before anything has happened. */
export function initialCoordinates(definition: StateMachineDefinition): Coordinates {
  const coordinates: Record<string, string> = {}
  for (const [componentName, component] of Object.entries(definition.components)) {
    for (const [name, coordinate] of Object.entries(component.coordinates)) {
      coordinates[`${componentName}.${name}`] = coordinate.initial
    }
  }
  return coordinates
}

/** A member that the object has itself: names come from outside and may be those of Object's methods. */
export function own<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}
