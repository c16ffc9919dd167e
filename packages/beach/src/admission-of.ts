import { Admission, UseSharing, type CallerLimits, type Quota } from '@cool-ai/beach-channel/admission'
import { defined } from '@cool-ai/beach-core/runtime'
import type { AgentSettings } from './agent-settings.ts'
import type { Callers } from './callers.ts'

/** The step that every way into the agent passes, and what it counts with other processes by. */
export function admissionOf({ limits = {}, store, runtime }: AgentSettings, callers: Callers) {
  const { clock } = runtime
  const sharing = new UseSharing({ store, clock })
  const { tenant, tenants } = limits
  const given: CallerLimits = { principal: ofPrincipal(limits), network: ofNetwork(limits), tenant, tenants }
  const admission = new Admission({
    clock,
    limits: given,
    sharing,
    authenticate: callers.byAnything,
    rights: callers.rights,
  })
  callers.onKnown = (principal) => admission.identified(principal)
  return { admission, sharing }
}

type Limits = NonNullable<AgentSettings['limits']>

/** The table comes before the names that some of its limits had before. */
function ofPrincipal({ principal, sessionsPerMinute, streamsPerPrincipal }: Limits): Quota {
  return withEarlier(principal, { perMinute: sessionsPerMinute, streams: streamsPerPrincipal })
}

function ofNetwork({ network, guestSessionsPerMinute, guestStreamsPerNetwork, streamsPerPrincipal }: Limits): Quota {
  const streams = guestStreamsPerNetwork ?? (streamsPerPrincipal && Math.max(1_000, streamsPerPrincipal))
  return withEarlier(network, { perMinute: guestSessionsPerMinute, streams })
}

function withEarlier(
  quota: Quota = {},
  { perMinute, streams }: { perMinute?: number | undefined; streams?: number | undefined },
): Quota {
  const sessions = perMinute === undefined ? undefined : { perMinute, ...quota.sessions }
  return { ...defined({ sessions, streams }), ...quota, ...(sessions && { sessions }) }
}
