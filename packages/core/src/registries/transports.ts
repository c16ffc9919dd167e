import type { DeliveryClass } from '../originator.ts'
import { Registry, type RegistryEntry, type RegistryOptions } from './registry.ts'

/** A registered transport. */
export interface TransportEntry extends RegistryEntry {
  /** The classes it can deliver in; none for one that only brings messages in; absent when it does not say. */
  readonly deliveryClasses?: readonly DeliveryClass[]
}

/** A transport as `register` takes it. */
export interface TransportRegistration {
  readonly id: string
  readonly isCanonical?: boolean | undefined
  readonly deliveryClasses?: readonly DeliveryClass[] | undefined
}

/** The transports that originators and Agent Cards may name. */
export class TransportRegistry extends Registry<TransportRegistration, TransportEntry> {
  protected readonly noun = 'transport'

  /** A registry with the canonical transports. */
  static canonical(options?: RegistryOptions): TransportRegistry {
    const registry = new TransportRegistry(options)
    for (const [id, deliveryClasses] of Object.entries(canonicalTransports)) {
      registry.register({ id, deliveryClasses, isCanonical: true })
    }
    return registry
  }

  protected override toEntry(registration: TransportRegistration): TransportEntry {
    const id = this.checkedId(registration.id)
    this.checkedKeys(id, registration, ['id', 'isCanonical', 'deliveryClasses'])
    // A known transport that is registered again without further members is the same transport.
    const deliveryClasses = registration.deliveryClasses ?? this.get(id)?.deliveryClasses
    const isCanonical = registration.isCanonical ?? false
    if (deliveryClasses === undefined) return { id, isCanonical }
    if (!isListOfClasses(deliveryClasses)) {
      throw this.refusal(id, "has deliveryClasses that are not a list of 'streaming' and 'buffered'.")
    }
    return { id, isCanonical, deliveryClasses: Object.freeze([...deliveryClasses]) }
  }
}

function isListOfClasses(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => name === 'streaming' || name === 'buffered')
}

// MCP is buffered: its result is the whole envelope. Besides, there is a channel for progress, on which a caller that
// asks for it gets what streaming listeners get and buffered ones do not: `ack`, `thinking` and `progress`.
const canonicalTransports: Readonly<Record<string, readonly DeliveryClass[]>> = {
  a2a: ['streaming', 'buffered'],
  mcp: ['buffered'],
  sse: ['streaming'],
  websocket: ['streaming'],
  smtp: ['buffered'],
  whatsapp: ['buffered'],
  sms: ['buffered'],
  webhook: ['buffered'],
  cron: [],
  agui: ['streaming'],
  'ai-sdk': ['streaming'],
  openai: ['streaming'],
  chat: ['buffered'],
}

/** The default registry of transports. */
export const transports: TransportRegistry = TransportRegistry.canonical()
