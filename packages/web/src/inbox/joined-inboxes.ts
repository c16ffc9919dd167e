import { personAuth, PersonTokens } from '@cool-ai/beach-channel/auth'
import { guardedFetch } from '@cool-ai/beach-channel/guarded-fetch'
import { below, type InboxOptions } from './inbox-options.ts'
import type { InboxRoutesOptions } from './inbox-routes.ts'
import { OtherInboxes } from './other-inboxes.ts'

/** What an agent has to do with other inboxes: those that it shows, and those that show its own. */
export function joinedInboxes({
  runtime,
  agent,
  secret,
  signal,
  shows = {},
  shownAt = {},
}: Pick<InboxRoutesOptions, 'runtime' | 'agent' | 'secret' | 'signal'> & InboxOptions) {
  const { clock } = runtime
  const agentId = agent.id
  const addresses = [...Object.values(shows), ...Object.values(shownAt)].map(({ url }) => new URL(url).origin)
  // The configuration names these addresses, so they need not be public.
  const fetch = guardedFetch({ clock, allow: [...new Set(addresses)] })
  signal.addEventListener('abort', () => void fetch.close(), { once: true })
  const keysOf = Object.entries(shownAt).map(([id, { url }]) => [id, below(url, 'approvals/keys').href] as const)
  const vouched =
    keysOf.length === 0 ? undefined : personAuth({ agentId, keysOf: Object.fromEntries(keysOf), fetch, clock })
  if (Object.keys(shows).length === 0) return { vouched }
  const tokens = new PersonTokens({ secret, agentId, clock })
  return { vouched, others: new OtherInboxes({ agents: shows, tokens, fetch, runtime }), keySet: () => tokens.keySet() }
}
