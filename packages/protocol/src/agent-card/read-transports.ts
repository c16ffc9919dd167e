import type { AgentCard } from '@a2a-js/sdk'
import type { ReadableCard } from './authored-card.ts'
import type { AgentCardBeachExtension } from './beach-extension.ts'
import { cardError, problem } from './card-problems.ts'
import { a2aBinding, fromInterface, isInterface } from './interfaces.ts'
import { authFromSecurity } from './security.ts'

/** One way to reach an agent, as its card says; without `auth` when it does not say how to authenticate. */
export type CardTransport = ReadableCard['transports'][number] & { readonly requiredScopes: readonly string[] }

/**
 * Every way to reach an agent. Those of A2A are the card's interfaces and no others, so that a check of these
 * addresses has checked those that the SDK's client uses.
 */
export function readTransports(card: AgentCard, beach: AgentCardBeachExtension | undefined): CardTransport[] {
  const listed = beach?.transports ?? []
  const rest = new Set(card.supportedInterfaces)
  const transports = listed.map((transport, index) => {
    const binding = a2aBinding(transport)
    if (binding === undefined) return transport
    const match = [...rest].find((candidate) => isInterface(transport, candidate))
    if (match === undefined) throw unknownInterface(index, transport.endpoint)
    rest.delete(match)
    return { ...transport, binding }
  })
  const auth = authFromSecurity({ schemes: card.securitySchemes, requirements: card.securityRequirements })
  const others = [...rest].map((one) => ({ ...fromInterface(one), ...(auth === undefined ? {} : { auth }) }))
  return [...transports, ...others].map((transport) => ({ requiredScopes: [], ...transport }))
}

function unknownInterface(index: number, endpoint: string): Error {
  const message = `names ${endpoint}, which is not among the card's supportedInterfaces`
  const fix = 'List it there with the same version and binding.'
  return cardError('BAD_REQUEST', [problem(['transports', index], message, fix)])
}
