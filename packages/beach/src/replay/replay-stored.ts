import type { GuardedFetch } from '@cool-ai/beach-channel/guarded-fetch'
import { BeachError } from '@cool-ai/beach-core'
import type { ReplayReport, ReplayRequest } from '@cool-ai/beach-core/ports'
import { actorsWithin } from '../actors-within.ts'
import type { AgentSettings } from '../agent-settings.ts'
import { ownLanguage } from '../own-language.ts'
import { catalogsOf, registriesOf } from '../registries.ts'

interface ReplayLimits {
  readonly signal?: AbortSignal | undefined
  readonly maxEvents?: number | undefined
  readonly maxMs?: number | undefined
}

/** Runs a session of the agent's store again, in memory. */
export async function replayStored(
  given: AgentSettings,
  request: ReplayRequest,
  { signal, maxEvents, maxMs }: ReplayLimits = {},
): Promise<ReplayReport> {
  const { replaySession } = await import('@cool-ai/beach-session/replay')
  const registries = registriesOf(given, await catalogsOf(given))
  const settings = given.peers ? (await import('../consumes.ts')).withConsumes(given, registries.partTypes) : given
  const { runtime, store, actors, entry, templates, slices, limits, retryFailed } = settings
  const peers =
    settings.peers &&
    (await import('../peers.ts')).openPeers(settings, runtime, registries.partTypes, undefined, unreachable)
  const { partTypes } = registries
  const tools = peers?.tools ?? []
  try {
    return await replaySession(
      {
        ...registries,
        store,
        actors,
        entry,
        templates,
        slices,
        limits,
        retryFailed,
        signal,
        maxEvents,
        maxMs,
        llmContextLanguage: ownLanguage(settings) ?? settings.translator?.language,
        peers: peers?.inSessions,
        place: (all, recordPrompts) => actorsWithin(all, { tools, partTypes, recordPrompts }),
      },
      request,
    )
  } finally {
    await peers?.close()
  }
}

/** Peers answer from the record only. */
const unreachable: GuardedFetch = Object.assign(
  async () => {
    throw new BeachError('UNREACHABLE', 'A replay sends no requests.')
  },
  { check: () => {}, close: async () => {} },
)
