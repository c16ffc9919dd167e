import {
  authTypes,
  partTypeRegistry,
  transports,
  turnStates,
  type AuthTypeRegistry,
  type PartTypeRegistry,
  type TransportRegistry,
  type TurnStateRegistry,
} from '@cool-ai/beach-core'
// The default registry has the envelope's part types whichever entry point was imported.
import '../envelope-part-types.ts'

/** Where the names in a card are looked up; the default registries unless given. */
export interface CardRegistries {
  readonly transports?: TransportRegistry
  readonly authTypes?: AuthTypeRegistry
  readonly partTypes?: PartTypeRegistry
  readonly turnStates?: TurnStateRegistry
}

export function registriesOf(given: CardRegistries): Required<CardRegistries> {
  return { transports, authTypes, turnStates, partTypes: partTypeRegistry, ...given }
}
