import { readFileSync } from 'node:fs'
import {
  BeachError,
  partTypeRegistry,
  PartTypeRegistry,
  stateMachines as defaultStateMachines,
  StateMachineRegistry,
  turnStates as defaultTurnStates,
  TurnStateRegistry,
  type PartTypeRegistration,
  type StateMachineDefinition,
  type TurnStateRegistration,
} from '@cool-ai/beach-core'
import type { A2uiCatalog } from '@cool-ai/beach-a2ui/catalogs'
import { registerA2ui, type KnownCatalogs } from '@cool-ai/beach-a2ui/register'

/**
 * What an agent has besides what is canonical. A list is the agent's own. What is registered in the default registries
 * (`partTypeRegistry` and its like) is there too: they are shared by all agents of the process. A registry instead of a
 * list is the earlier form; it still works, and gets the canonical entries that it lacks.
 */
export interface RegistryLists {
  readonly partTypes?: readonly PartTypeRegistration[] | PartTypeRegistry | undefined
  readonly turnStates?: readonly TurnStateRegistration[] | TurnStateRegistry | undefined
  /** `state-machine.json` files, by their paths or parsed. */
  readonly stateMachines?: readonly (string | StateMachineDefinition)[] | StateMachineRegistry | undefined
  /** A2UI catalogs besides the Basic Catalog, as they are published: surfaces of these are validated by them (docs/catalogs.md). */
  readonly catalogs?: readonly A2uiCatalog[] | undefined
}

/** The registries of one agent, complete. */
export interface AgentRegistries {
  readonly partTypes: PartTypeRegistry
  readonly turnStates: TurnStateRegistry
  readonly stateMachines: StateMachineRegistry
}

/** The catalogs of an agent, ready to be checked by; an agent that has none of its own loads nothing for it. */
export async function catalogsOf({ catalogs = [] }: RegistryLists): Promise<KnownCatalogs | undefined> {
  if (catalogs.length === 0) return undefined
  return (await import('@cool-ai/beach-a2ui/catalogs')).knownCatalogs(catalogs)
}

export function registriesOf(options: RegistryLists, catalogs?: KnownCatalogs): AgentRegistries {
  const partTypes = partTypesOf(options.partTypes)
  registerA2ui(partTypes, catalogs)
  return {
    partTypes,
    turnStates: turnStatesOf(options.turnStates),
    stateMachines: stateMachinesOf(options.stateMachines),
  }
}

function partTypesOf(given: RegistryLists['partTypes']): PartTypeRegistry {
  if (given instanceof PartTypeRegistry) {
    for (const { id, ...declaration } of PartTypeRegistry.canonical().entries()) {
      if (!given.has(id)) given.register(declaration)
    }
    return given
  }
  const registry = new PartTypeRegistry({}, partTypeRegistry)
  for (const registration of given ?? []) registry.register(registration)
  return registry
}

function turnStatesOf(given: RegistryLists['turnStates']): TurnStateRegistry {
  if (given === undefined) return defaultTurnStates
  if (given instanceof TurnStateRegistry) {
    for (const entry of TurnStateRegistry.canonical().entries()) if (!given.has(entry.id)) given.register(entry)
    return given
  }
  const registry = new TurnStateRegistry({}, defaultTurnStates)
  for (const registration of given) registry.register(registration)
  return registry
}

function stateMachinesOf(given: RegistryLists['stateMachines']): StateMachineRegistry {
  if (given === undefined) return defaultStateMachines
  if (given instanceof StateMachineRegistry) return given
  const registry = new StateMachineRegistry(defaultStateMachines)
  for (const [index, machine] of given.entries()) {
    if (typeof machine === 'string') registry.register(readJsonFile(machine), machine)
    else registry.register(machine, `stateMachines[${index}]`)
  }
  return registry
}

function readJsonFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as unknown
  } catch (cause) {
    const why = cause instanceof SyntaxError ? `is not JSON: ${cause.message}` : 'cannot be read.'
    throw new BeachError('INVALID_REGISTRATION', `The state machines of ${file}: the file ${why}`, { cause })
  }
}
