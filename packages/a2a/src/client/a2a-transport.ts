import type { AgentCard } from '@a2a-js/sdk'
import { Client, JsonRpcTransportFactory, RestTransportFactory, TenantTransportDecorator } from '@a2a-js/sdk/client'
import type { CardTransport } from '@cool-ai/beach-protocol/agent-card'

const factories = { JSONRPC: JsonRpcTransportFactory, 'HTTP+JSON': RestTransportFactory } as const

/** A way to reach a peer that this client can use. */
export type A2aTransport = CardTransport & { readonly binding: keyof typeof factories }

/** The best of a peer's ways by A2A: the present version before the one before it, otherwise in the card's order. */
export function chooseA2a(transports: readonly CardTransport[]): A2aTransport | undefined {
  const usable = transports.flatMap((transport): A2aTransport[] => {
    const { protocol, binding = 'JSONRPC', version } = transport
    if (protocol !== 'a2a' || !isKnown(binding) || !/^(0\.3|1)(\.|$)/.test(version)) return []
    return [{ ...transport, binding }]
  })
  return usable.find(({ version }) => version.startsWith('1')) ?? usable[0]
}

/** The SDK's client for one way to reach a peer. */
export async function a2aClient(transport: A2aTransport, card: AgentCard, fetchImpl: typeof fetch): Promise<Client> {
  const { endpoint: url, binding: protocolBinding, version: protocolVersion, tenant = '' } = transport
  // Only the interface that was chosen: its version decides which protocol is spoken.
  const chosen = { ...card, supportedInterfaces: [{ url, protocolBinding, protocolVersion, tenant }] }
  const factory = new factories[protocolBinding]({ fetchImpl, legacyCompat: { enabled: true } })
  const made = await factory.create(url, chosen)
  return new Client(tenant === '' ? made : new TenantTransportDecorator(made, tenant), chosen)
}

function isKnown(binding: string): binding is keyof typeof factories {
  return Object.hasOwn(factories, binding)
}
