import type { ChannelContext } from '../ports/channel.ts'
import { partTypeRegistry } from '../registries/part-types.ts'
import { systemRuntime } from '../runtime.ts'

/** What a channel under test is started with; what is left out is that of a plain agent. */
export function channelContext(
  given: Pick<ChannelContext, 'sessions' | 'store' | 'signal'> & Partial<ChannelContext>,
): ChannelContext {
  return {
    agent: { id: 'agent', name: 'Agent' },
    secret: new Uint8Array(32).fill(1),
    tenant: 'default',
    runtime: systemRuntime(),
    partTypes: partTypeRegistry,
    publicUrl: undefined,
    artifacts: undefined,
    artifactLink: undefined,
    ...given,
  }
}
