import { isBeachError } from '@cool-ai/beach-core'
import { verifyAgentCard, type SignatureRefusal, type VerifiedSignature } from '@cool-ai/beach-protocol/agent-card'
import { cardRefused, type CardRefusal } from './card-refusal.ts'
import type { PeerTrust } from './peer.ts'

const reasons: Readonly<Record<SignatureRefusal, CardRefusal>> = {
  unsigned: 'unsigned',
  'unknown-key': 'unknown-key',
  invalid: 'invalid-signature',
}

/**
 * Whose signature a card has; undefined when it needs none. A signature of a trusted key that does not fit is refused
 * in any case, and so is a card without a trusted one after a card that had one.
 */
export async function verifyCard(
  card: unknown,
  trust: PeerTrust | undefined,
  wasSigned: boolean,
): Promise<VerifiedSignature | undefined> {
  if (trust === undefined) return undefined
  const { require = true, ...options } = trust
  try {
    return await verifyAgentCard(card, options)
  } catch (error) {
    const reason = isBeachError(error, 'UNAUTHENTICATED')
      ? reasons[error.details.reason as SignatureRefusal]
      : undefined
    if (reason === undefined || !isBeachError(error)) throw error
    if (reason !== 'invalid-signature' && !require && !wasSigned) return undefined
    throw cardRefused(reason, error.message, error)
  }
}
