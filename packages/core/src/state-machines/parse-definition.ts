import { BeachError } from '../errors.ts'
import { own, type ComponentDefinition, type CoordinateDefinition, type StateMachineDefinition } from './definition.ts'

const namePattern = /^[A-Za-z][A-Za-z0-9_-]*$/

/** The definition in a parsed `state-machine.json`; an error names the place in the file that is wrong. */
export function parseStateMachine(json: unknown, file = 'state-machine.json'): StateMachineDefinition {
  const root = objectAt(json, file, ['components'], ['$schema', 'description'])
  const components = namedEntries(root.components, `${file}: components`).map(
    ([name, value, place]) => [name, parseComponent(value, place)] as const,
  )
  return { components: Object.fromEntries(components) }
}

function parseComponent(json: unknown, place: string): ComponentDefinition {
  const { coordinates, allowHandlerTransitions = false } = objectAt(
    json,
    place,
    ['coordinates'],
    ['allowHandlerTransitions', 'description'],
  )
  if (typeof allowHandlerTransitions !== 'boolean')
    throw wrong(`${place}.allowHandlerTransitions`, 'is not true or false')
  const parsed = namedEntries(coordinates, `${place}.coordinates`).map(
    ([name, value, at]) => [name, parseCoordinate(value, at)] as const,
  )
  return { allowHandlerTransitions, coordinates: Object.fromEntries(parsed) }
}

function parseCoordinate(json: unknown, place: string): CoordinateDefinition {
  const { initial, transitions } = objectAt(json, place, ['initial', 'transitions'], ['description'])
  const table = plainObject(transitions, `${place}.transitions`)
  const parsed = Object.entries(table).map(
    ([state, targets]) => [state, parseTargets(targets, table, `${place}.transitions.${state}`)] as const,
  )
  if (typeof initial !== 'string') throw wrong(`${place}.initial`, 'is not a string')
  if (own(table, initial) === undefined) {
    throw wrong(`${place}.initial`, `is '${initial}', which is not one of the states under transitions`)
  }
  return { initial, transitions: Object.fromEntries(parsed) }
}

function parseTargets(targets: unknown, table: Record<string, unknown>, place: string): string[] {
  if (!Array.isArray(targets)) throw wrong(place, 'is not a list of states; use [] for a state that is never left')
  return targets.map((target: unknown, index) => {
    if (typeof target !== 'string') throw wrong(`${place}[${index}]`, 'is not a string')
    if (own(table, target) !== undefined) return target
    throw wrong(`${place}[${index}]`, `leads to '${target}', which is not one of the states under transitions`)
  })
}

function namedEntries(json: unknown, place: string): [name: string, value: unknown, place: string][] {
  const entries = Object.entries(plainObject(json, place))
  if (entries.length === 0) throw wrong(place, 'is empty')
  return entries.map(([name, value]) => {
    if (namePattern.test(name)) return [name, value, `${place}.${name}`]
    throw wrong(`${place}.${name}`, "has a malformed name: use letters, digits, '-' and '_', starting with a letter")
  })
}

function objectAt<Key extends string>(
  json: unknown,
  place: string,
  required: readonly Key[],
  optional: readonly string[],
): Record<string, unknown> & Record<Key, unknown> {
  const value = plainObject(json, place)
  const missing = required.find((key) => own(value, key) === undefined)
  if (missing !== undefined) throw wrong(place, `has no '${missing}'`)
  const unknown = Object.keys(value).find((key) => !optional.includes(key) && !required.includes(key as Key))
  if (unknown !== undefined) throw wrong(place, `has the unknown field '${unknown}'`)
  return value
}

function plainObject(json: unknown, place: string): Record<string, unknown> {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw wrong(place, 'is not an object')
  return json as Record<string, unknown>
}

function wrong(place: string, problem: string): BeachError {
  return new BeachError('INVALID_CONFIGURATION', `${place} ${problem}.`, { details: { place } })
}
