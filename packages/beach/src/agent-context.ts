import type { AgentContext } from '@cool-ai/beach-channel'
import type { Admission } from '@cool-ai/beach-channel/admission'
import { artifactLinks } from '@cool-ai/beach-missives'
import type { AgentSettings } from './agent-settings.ts'
import { handledNamespaces } from './built-in-channels.ts'
import type { Callers } from './callers.ts'
import type { PublishedCard } from './published-card.ts'

/** What the agent gives its channels. */
export function contextOf(
  settings: AgentSettings,
  {
    card,
    callers,
    admission,
    ...given
  }: Pick<AgentContext, 'sessions' | 'partTypes' | 'turnStates' | 'signal' | 'callerCards'> & {
    readonly card: PublishedCard | undefined
    readonly callers: Callers
    readonly admission: Admission
  },
): AgentContext {
  const {
    agent,
    store,
    secret,
    tenant,
    runtime,
    publicUrl,
    artifacts,
    limits = {},
    a2a,
    hosts,
    origins,
    exposedTools,
  } = settings
  const { version, description, capabilities } = card?.input ?? {}
  const localLink = artifacts && artifactLinks({ artifacts, secret, clock: runtime.clock, publicUrl })
  return {
    ...given,
    agent: { id: agent.id, name: agent.name, version, description, capabilities },
    store,
    secret,
    tenant,
    runtime,
    publicUrl,
    artifacts: artifacts && admission.counted(artifacts),
    // A path alone is no link in a mail.
    artifactLink: publicUrl === undefined ? undefined : localLink,
    localLink,
    card: card?.input,
    published: card,
    defaultAuth: a2a ? a2a.auth : undefined,
    authenticate: callers.byAnything,
    authenticatorFor: (required) => callers.authenticatorFor(required),
    guest: () => callers.identity.guest(),
    issueToken: (principal) => callers.identity.issueToken(principal),
    issueTokens: (principal) => callers.identity.logins.begin(principal),
    cookieOf: (principal, request) => callers.identity.cookieOf(principal, request),
    admission,
    streams: admission.streams,
    maxOpen: limits.principal?.streams ?? limits.streamsPerPrincipal,
    maxOpenPerNetwork: limits.network?.streams ?? limits.guestStreamsPerNetwork,
    body: limits.body,
    heartbeatMs: settings.heartbeatMs,
    hosts,
    origins,
    exposedTools,
    handledNamespaces: handledNamespaces(settings),
  }
}
