import { closedDoor, type CardDoor } from '@cool-ai/beach-channel/auth'
import { BeachError, type Authenticator } from '@cool-ai/beach-core'
import type { Identity } from './identity.ts'

/** Who is calling at a door, by what the card asks for there. */
export type Doorkeeper = (door: CardDoor) => Authenticator

/** Where the card asks for nothing all credentials count, guests' tokens too; `open` reads those. */
export function doorkeeper(
  authenticators: readonly Authenticator[],
  { byKnownBearer }: Identity,
  open: Authenticator,
): Doorkeeper {
  return (door) => {
    if (door.auths.length === 0) return open
    if (authenticators.length > 0) return closedDoor(door, authenticators, byKnownBearer)
    const types = [...new Set(door.auths.map(({ type }) => `'${type}'`))].join(', ')
    const message = `The card asks callers for ${types}, and nobody here could recognise them. Give createBeach \`authenticators\`.`
    throw new BeachError('INVALID_CONFIGURATION', message)
  }
}
