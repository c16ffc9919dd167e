import { hostname } from 'node:os'
import type { AuditLog } from '@cool-ai/beach-channel/audit'
import type { Inspector, InspectorParts } from '@cool-ai/beach-inspect'
import type { Missives } from '@cool-ai/beach-missives'
import type { SessionTurnManager, SessionTurnManagerOptions } from '@cool-ai/beach-session'
import type { AgentSettings } from './agent-settings.ts'
import type { Callers } from './callers.ts'
import type { OidcService } from './identity/oidc/open-oidc.ts'
import { revokeFor } from './identity/revoke-request.ts'

interface InspectorContext {
  readonly callers: Callers
  readonly oidc: OidcService | undefined
  readonly missives: Missives | undefined
  readonly audit: AuditLog
  readonly sessions: () => SessionTurnManager
}

type Noticed = SessionTurnManagerOptions['onChange']

// Nothing of others, nothing inline, in no frame.
const headers = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
}

// A replay takes memory and time of a process that also answers people.
const maxReplayedEvents = 5_000
const maxReplayMs = 180_000

/** The inspector of an agent, whose package is loaded only where it is switched on. */
export async function inspectorOf(settings: AgentSettings, context: InspectorContext): Promise<Inspector | undefined> {
  const { inspect, agent, tenant, secret, store, runtime, publicUrl, reports } = settings
  if (inspect === undefined || inspect === false) return undefined
  const { openInspector } = await import('@cool-ai/beach-inspect')
  const { staticFiles } = await import('@cool-ai/beach-web/static')
  const { callers, oidc, missives, audit, sessions } = context
  const erase: InspectorParts['erase'] = async (session, by) => {
    if (missives === undefined) await sessions().erase(session, { scope: 'session' }, by)
    else await missives.erase({ session }, by)
  }
  const search: InspectorParts['search'] = missives && ((words, by) => foundIn(missives, words, by))
  const inspector = openInspector(inspect === true ? {} : inspect, {
    agent,
    tenant,
    process: `${hostname()} ${process.pid}`,
    secret,
    store,
    runtime,
    publicUrl,
    sessions,
    authenticate: callers.byCredential,
    byCookie: callers.rights.applied(callers.identity.byCookie),
    signIn: oidc?.signInUrl,
    scopesOf: (roles) => callers.rights.scopesOf(roles),
    erase,
    audit,
    search,
    revocations: {
      revoke: (asked, by) =>
        revokeFor(asked, by, {
          revocations: callers.revocations,
          ownerOf: (session, operator) => sessions().checkAccess(session, operator),
        }),
      list: (tenantOfOperator) => callers.revocations.list(tenantOfOperator),
    },
    replay: async (request, signal) => {
      const { replayStored } = await import('./replay/replay-stored.ts')
      return replayStored(settings, request, { signal, maxEvents: maxReplayedEvents, maxMs: maxReplayMs })
    },
    modelActors: Object.entries(settings.actors).flatMap(([name, actor]) => (actor.replayed ? [name] : [])),
    serveFile: staticFiles({ headers: () => headers, isHashed: (name) => name.startsWith('/assets/') }),
  })
  reports?.members.requests.listenToErrors(inspector.noteError)
  return inspector
}

/** Whether models' prompts are kept for operators. */
export function recordsPrompts({ inspect }: AgentSettings): boolean {
  return typeof inspect === 'object' ? inspect.prompts !== false : inspect === true
}

/** Tells both of a change. */
export function bothNoticed(one: Noticed, other: Noticed): Noticed {
  if (one === undefined || other === undefined) return one ?? other
  return (session, events) => {
    one(session, events)
    other(session, events)
  }
}

async function foundIn(missives: Missives, words: string, by: Parameters<Missives['find']>[1]): Promise<string[]> {
  const { items } = await missives.find({ text: words, limit: 100 }, by)
  return items.map(({ sessionId }) => sessionId)
}
