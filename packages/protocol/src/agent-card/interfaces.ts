import type { AgentInterface } from '@a2a-js/sdk'
import type { ReadableCard } from './authored-card.ts'

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
export function fromInterface({ url, protocolBinding, protocolVersion, tenant }: AgentInterface): Transport {
  return {
    protocol: 'a2a',
    version: protocolVersion,
    endpoint: url,
    binding: protocolBinding,
    ...(tenant === '' ? {} : { tenant }),
  }
}

/** Whether a transport and an interface are the same way to reach an agent. */
export function isInterface(transport: Transport, { url, protocolBinding, protocolVersion, tenant }: AgentInterface) {
  return (
    transport.endpoint === url &&
    transport.version === protocolVersion &&
    a2aBinding(transport) === protocolBinding &&
    (transport.tenant ?? '') === tenant
  )
}
