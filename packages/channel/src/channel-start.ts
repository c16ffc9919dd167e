import {
  BeachError,
  type ArtifactLinkOf,
  type ArtifactStore,
  type ChannelContext,
  type PartTypeRegistry,
  type Runtime,
  type Store,
} from '@cool-ai/beach-core'
import type { Secret } from '@cool-ai/beach-core/tokens'

/** Options of channels from before the agent provided them; where one is given, it is used. */
export interface ContextOptions {
  /** @deprecated The agent's store is used. */
  readonly store?: Store | undefined
  /** @deprecated The agent's secret is used. */
  readonly secret?: Secret | undefined
  /** @deprecated The agent's tenant is used. */
  readonly tenant?: string | undefined
  /** @deprecated The agent's runtime is used. */
  readonly runtime?: Runtime | undefined
  /** @deprecated The agent's part types are used. */
  readonly partTypes?: PartTypeRegistry | undefined
  /** @deprecated The agent's `publicUrl` is used. */
  readonly publicUrl?: string | undefined
  /** @deprecated The agent's artifacts are used. */
  readonly artifacts?: ArtifactStore | undefined
  /** @deprecated The agent's links to its artifacts are used. */
  readonly artifactLink?: ArtifactLinkOf | undefined
}

/** A channel's options together with what the agent gave it. */
export type InContext<Options, Context = ChannelContext> = Omit<Options, keyof Context> & Context

/** What a channel works with from its start; an option of its own wins over the agent's field of the same name. */
export function inContext<Options extends object, Context extends ChannelContext>(
  options: Options,
  context: Context,
): InContext<Options, Context> {
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  return { ...context, ...Object.fromEntries(given) } as InContext<Options, Context>
}

/** What a channel creates at its start; asking for it earlier is an error of the program. */
export function started<Made>(made: Made | undefined): Made {
  if (made === undefined) throw new BeachError('INTERNAL', 'The channel has not been started.')
  return made
}
