import { defined } from '@cool-ai/beach-core/runtime'
import type { AgentCard, AgentInterface } from '@a2a-js/sdk'
import type { ReadableCard } from './authored-card.ts'
import type { AgentCardBeachExtension } from './beach-extension.ts'
import { cardError, problem } from './card-problems.ts'
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
  const others = [...rest].map((one) => ({ ...fromInterface(one), ...defined({ auth }) }))
  return [...transports, ...others].map((transport) => ({ requiredScopes: [], ...transport }))
}

function unknownInterface(index: number, endpoint: string): Error {
  const message = `names ${endpoint}, which is not among the card's supportedInterfaces`
  const fix = 'List it there with the same version and binding.'
  return cardError('BAD_REQUEST', [problem(['transports', index], message, fix)])
}

type Transport = ReadableCard['transports'][number]

/** The A2A binding that a transport speaks; undefined when it does not speak A2A. */
export function a2aBinding({ protocol, binding }: Transport): string | undefined {
  return protocol === 'a2a' ? (binding ?? 'JSONRPC') : undefined
}

/** The interfaces of an A2A card: those transports that speak A2A, in their order. */
export function toInterfaces(transports: readonly Transport[]): AgentInterface[] {
  return transports.flatMap((transport) => {
    const protocolBinding = a2aBinding(transport)
    if (protocolBinding === undefined) return []
    const { endpoint: url, version: protocolVersion, tenant = '' } = transport
    return [{ url, protocolBinding, protocolVersion, tenant }]
  })
}

/** A transport of an A2A card's interface. */
function fromInterface({ url, protocolBinding, protocolVersion, tenant }: AgentInterface): Transport {
  return {
    protocol: 'a2a',
    version: protocolVersion,
    endpoint: url,
    binding: protocolBinding,
    ...(tenant === '' ? {} : { tenant }),
  }
}

/** Whether a transport and an interface are the same way to reach an agent. */
function isInterface(transport: Transport, { url, protocolBinding, protocolVersion, tenant }: AgentInterface) {
  return (
    transport.endpoint === url &&
    transport.version === protocolVersion &&
    a2aBinding(transport) === protocolBinding &&
    (transport.tenant ?? '') === tenant
  )
}
