import { BeachError } from '@cool-ai/beach-core'

/** Why a card was refused although it could be fetched. */
export type CardRefusal =
  | 'invalid'
  | 'media-type'
  | 'no-id'
  | 'other-id'
  | 'id-taken'
  | 'unsigned'
  | 'unknown-key'
  | 'invalid-signature'
  | 'schema'

/** The error for a card that is not used. */
export function cardRefused(reason: CardRefusal, message: string, cause?: unknown): BeachError {
  return new BeachError('CARD_REFUSED', message, { details: { reason }, cause })
}
