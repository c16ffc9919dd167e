import type { UpgradableChannel } from '@cool-ai/beach-channel'
import { noteRequest, PendingBodies } from '@cool-ai/beach-channel/http'
import { refuseUpgrade } from '@cool-ai/beach-channel/websocket'
import { contextOfChannel } from '@cool-ai/beach-channel/rights'
import { BeachError, type Channel } from '@cool-ai/beach-core'
import { ArtifactUrls, Memories, memoryTools, Missives, Upkeep } from '@cool-ai/beach-missives'
import { SessionTurnManager } from '@cool-ai/beach-session'
import {
  artifactsRoute,
  deviceLinkRoutes,
  inboxRoutes,
  memoryRoutes,
  metricsRoute,
  operatorRoutes,
  previewRoutes,
} from '@cool-ai/beach-web'
import { admissionOf } from './admission-of.ts'
import { contextOf } from './agent-context.ts'
import { actorsWithin } from './actors-within.ts'
import { settingsOf, type AgentSettings } from './agent-settings.ts'
import type { Beach, BeachOptions } from './beach-options.ts'
import { auditOf } from './audit-of.ts'
import { builtInChannels } from './built-in-channels.ts'
import { callerCardsOf } from './caller-cards.ts'
import { Callers } from './callers.ts'
import { chatElementRoutes } from './chat-element-routes.ts'
import { guard } from './guard.ts'
import { bothNoticed, inspectorOf, recordsPrompts } from './inspector.ts'
import { openApiRoute } from './openapi/openapi-route.ts'
import { loginPrefix, maxTokenMs } from './identity/logins.ts'
import { oidcPrefix } from './identity/oidc/oidc-prefix.ts'
import { revokedPrefix } from './identity/revocations.ts'
import { tokenRoutes } from './identity/token-routes.ts'
import { ownLanguage } from './own-language.ts'
import { pageOf } from './page.ts'
import { Readiness } from './readiness.ts'
import { catalogsOf, registriesOf } from './registries.ts'
import { routes, type Handler } from './routes.ts'
import type { Serving } from './serve.ts'
import { drainAll, Stopping, type CloseOptions } from './stopping.ts'
import { upgradeRequest } from './upgrade-request.ts'

const dayMs = 24 * 60 * 60 * 1_000
/** Too short to be noticed, and long enough for requests that were sent together. */
const grantHoldMs = 50

/** Wires an agent: registries, sessions on the store, channels, identity, and one handler for all of it. */
export async function createBeach(options: BeachOptions): Promise<Beach> {
  const { settings, closeUnused, closeOpened } = await settingsOf(options)
  try {
    return beachOf(await start(settings), settings, closeUnused)
  } catch (error) {
    await closeOpened()
    throw error
  }
}

type Started = Awaited<ReturnType<typeof start>>

/** The agent with its sessions and channels started. */
async function start(given: AgentSettings) {
  const { runtime, artifacts } = given
  const registries = registriesOf(given, await catalogsOf(given))
  const settings = given.peers ? (await import('./consumes.ts')).withConsumes(given, registries.partTypes) : given
  const card =
    settings.card &&
    (await (await import('./published-card.ts')).PublishedCard.open(settings.card, settings, registries))
  const builtIn = await builtInChannels(settings)
  const channels: readonly Channel[] = [...builtIn.channels, ...(settings.channels ?? [])]
  const missives = settings.missives
    ? new Missives({ ...settings.missives, log: settings.store, runtime, channels, artifacts })
    : undefined
  const audit = await auditOf(settings)
  const ending = new AbortController()
  const provider = settings.oidc && (await import('./identity/oidc/open-oidc.ts')).openOidc(settings, ending.signal)
  const callers = new Callers(settings, audit.log, provider?.byBearer)
  const oidc = provider?.serve(callers, audit.log)
  const memory = memoryOf(settings)
  const { admission, sharing } = admissionOf(settings, callers)
  const inspector = await inspectorOf(settings, { callers, oidc, missives, audit: audit.log, sessions: () => sessions })
  const peers = settings.peers && (await import('./peers.ts')).openPeers(settings, runtime, registries.partTypes, card)
  const sessions: SessionTurnManager = new SessionTurnManager({
    ...sessionOptions(settings),
    ...registries,
    actors: await actorsWithin(settings.actors, {
      tools: [...(peers?.tools ?? []), ...(memory === undefined ? [] : memoryTools(memory, () => runtime.clock.now()))],
      partTypes: registries.partTypes,
      recordPrompts: recordsPrompts(settings),
    }),
    store: settings.store,
    onChange: bothNoticed(missives?.noticed, inspector?.noticed),
    channels,
    admission,
    audit: audit.log,
    peers: peers?.inSessions,
    authorise: card?.authorise,
    grantHoldMs,
  })
  const upkeep = new Upkeep({
    store: settings.store,
    runtime,
    sessions,
    keys: async (times) => [
      ...(await import('@cool-ai/beach-channel/retention')).channelKeys(times),
      { prefix: revokedPrefix, keepMs: maxTokenMs },
      { prefix: loginPrefix, keepMs: callers.identity.logins.refreshMs },
      ...(provider ? [{ prefix: oidcPrefix, keepMs: provider.maxMs }] : []),
    ],
    retention: settings.retention,
    artifacts,
    missives,
  })
  const context = contextOf(settings, {
    partTypes: registries.partTypes,
    turnStates: registries.turnStates,
    card,
    callers,
    sessions,
    admission,
    callerCards: await callerCardsOf(settings, peers, sharing, ending.signal),
    signal: ending.signal,
  })
  const end = async () => {
    ending.abort()
    await upkeep.stop()
    await sessions.stop()
    await admission.close()
    callers.revocations.close()
    audit.close()
    await inspector?.stop()
    await missives?.close()
    await peers?.close()
    settings.reports?.members.telemetry?.close()
  }
  try {
    await settings.onStart?.(context)
    callers.rights.checkChannels(channels.map(({ transport }) => transport))
    for (const channel of channels) {
      await channel.start(contextOfChannel(context, channel.transport, callers.rights))
    }
  } catch (error) {
    ending.abort()
    await peers?.close()
    settings.reports?.members.telemetry?.close()
    throw error
  }
  sessions.start()
  missives?.start(sessions)
  inspector?.start()
  upkeep.start()
  await audit.start(channels.map(({ transport }) => transport))
  const record = audit.log
  return {
    oidc,
    context,
    record,
    admission,
    sessions,
    channels,
    missives,
    memory,
    card,
    callers,
    builtIn,
    inspector,
    end,
  }
}

function beachOf(started: Started, settings: AgentSettings, closeUnused: () => Promise<void>): Beach {
  const { sessions, channels, missives, memory, card, builtIn } = started
  const { agent, runtime, tenant, artifacts, remoteAddress, publicUrl, hosts, origins, limits } = settings
  const stopping = new Stopping(runtime.clock)
  const readiness = readinessOf(settings)
  const artifactUrls = new ArtifactUrls({ secret: settings.secret, clock: runtime.clock, publicUrl })
  const site = { hosts, publicUrl, origins }
  const { identity } = started.callers
  const handlers = handlersOf(started, settings, artifactUrls)
  const answer = routes(handlers, {
    agent,
    identity,
    runtime,
    readiness,
    ...site,
    admission: started.admission,
    audit: started.record,
    stopping,
    page: pageOf(settings, handlers, started.oidc),
    signIn: started.callers.rights.guests ? undefined : started.oidc?.signInUrl,
    store: settings.store,
  })
  const bodies = new PendingBodies({ maxBytes: limits?.heldBodyBytes })
  const end = ({ graceMs = 0 }: CloseOptions = {}) => {
    readiness.stopping()
    return stopping.close(graceMs, {
      drain: (hurry) => drainAll(sessions, channels, graceMs, hurry),
      async end() {
        await started.end()
        await artifacts?.close?.()
        await settings.store.close()
        await closeUnused()
      },
    })
  }
  let serving: Serving | undefined
  const beach: Beach = {
    agent,
    sessions,
    readiness,
    missives,
    memory,
    async artifactUrl(artifact, { expiresInMs = dayMs } = {}) {
      if (artifacts === undefined) {
        throw new BeachError(
          'INVALID_CONFIGURATION',
          'This agent has no artifacts. Give a store of them to createBeach.',
        )
      }
      return artifactUrls.sign(artifact, { expiresAt: runtime.clock.now() + expiresInMs })
    },
    inspectLink: (url) => started.inspector?.link(url),
    mcpStdio: (principal = { kind: 'user', id: 'local', tenant }) => builtIn.mcpStdio(principal),
    fetch: async (request) => {
      if (remoteAddress !== undefined) noteRequest(request, { remoteAddress: () => remoteAddress(request) })
      noteRequest(request, { pendingBodies: bodies })
      return answer(request)
    },
    get load() {
      return { bodies: bodies.count, bodyBytes: bodies.bytes }
    },
    upgrade(incoming, socket, head) {
      try {
        const request = upgradeRequest(incoming)
        noteRequest(request, { connection: socket })
        if (remoteAddress !== undefined) noteRequest(request, { remoteAddress: () => remoteAddress(request) })
        const url = new URL(request.url)
        guard(request, url, site, true)
        stopping.refuse(url)
        const upgraded = async () => {
          const taken = await started.admission.enterSocket(request, url.pathname, socket, () =>
            channels.some((channel) => isUpgradable(channel) && channel.upgrade(request, incoming, socket, head)),
          )
          if (!taken) throw new BeachError('NOT_FOUND', `There is no WebSocket at ${url.pathname}.`)
        }
        upgraded().catch((error: unknown) => refuseUpgrade(socket, error, runtime))
      } catch (error) {
        void refuseUpgrade(socket, error, runtime)
      }
    },
    async listen(where) {
      const { serve } = await import('./serve.ts')
      serving = await serve(async (url) => {
        await card?.listensOn(url)
        return { ...beach, close: end }
      }, where)
      return { ...serving, beach }
    },
    close: (how) => (serving === undefined ? end(how) : serving.close(how)),
  }
  return beach
}

function isUpgradable(channel: Channel): channel is UpgradableChannel {
  return 'upgrade' in channel
}

/** All request handlers: those of every agent, its channels, its files and its card. */
function handlersOf(
  { oidc, context, channels, callers, card, inspector, memory, record: audit }: Started,
  settings: AgentSettings,
  artifactUrls: ArtifactUrls,
): readonly Handler[] {
  const { inbox, reports, sse = true } = settings
  const { runtime, store, sessions, publicUrl, artifacts, authenticate, issueTokens, cookieOf, body } = context
  const { agent, secret, signal, partTypes, turnStates, localLink: artifactLink } = context
  const { byCredential, identity, revocations } = callers
  const metrics = reports?.metricsText
  // Tokens of `inspect.operators` are no credentials of callers: only the routes for operators know them.
  const operators = inspector
    ? async (request: Request) => inspector.known(request) ?? byCredential(request)
    : byCredential
  const isRevoked = revocations.isRevoked.bind(revocations)
  const links = { runtime, store, sessions, authenticate, isRevoked, cookieOf, issueTokens, publicUrl, body }
  const about = { agent, name: agent.name, runtime, clock: runtime.clock }
  const shown = { ...about, partTypes, turnStates, publicUrl, artifacts, artifactLink }
  const previewing = async () => (await import('./previewing-channels.ts')).previewingChannels(channels, shown)
  const handlers: readonly Handler[] = [
    tokenRoutes({ agent, identity, revocations, audit, clock: runtime.clock, body, oidc }),
    ...(oidc ? [oidc] : []),
    deviceLinkRoutes(links),
    previewRoutes({ runtime, sessions, authenticate, channels: previewing }),
    operatorRoutes({ store, sessions, authenticate: operators, audit }),
    ...(inspector ? [inspector] : []),
    ...(metrics ? [metricsRoute({ metrics, authenticate: operators })] : []),
    ...(memory ? [memoryRoutes({ memory, authenticate })] : []),
    inboxRoutes({ runtime, sessions, authenticate, agent, secret, inbox, signal, signIn: oidc?.signInUrl }),
    ...channels,
    ...(artifacts ? [artifactsRoute({ runtime, artifacts, verify: (url) => artifactUrls.verify(url) })] : []),
    ...(card ? [card] : []),
    // It talks to the agent as the chat page does, so it needs what that needs.
    ...(sse ? [chatElementRoutes(settings)] : []),
  ]
  const { cookieName: cookie } = identity
  return [...handlers, { routes: [openApiRoute({ agent, publicUrl, cookie, handlers })] }]
}

function readinessOf({ agent, runtime, store, artifacts, missives }: AgentSettings): Readiness {
  const kept = missives && { missives: missives.store, identities: missives.identities }
  return new Readiness({ agent, runtime, parts: { store, artifacts, ...kept } })
}

function memoryOf({ memory = false, store, runtime, missives }: AgentSettings): Memories | undefined {
  if (memory === false) return undefined
  const identities = missives === false ? undefined : missives?.identities
  return new Memories({ store, runtime, identities, ...(memory === true ? {} : memory) })
}

/** The options for sessions; named one by one, so that no other option is taken for one of theirs. */
function sessionOptions(settings: AgentSettings) {
  const { runtime, entry, templates, translator, slices, whileBusy, leaseMs, approvers, retryFailed } = settings
  const { onStateTransitionRejected, limits, approvalFollowUps, dataRules } = settings
  const llmContextLanguage = ownLanguage(settings)
  const turns = { entry, templates, translator, llmContextLanguage, slices, whileBusy, leaseMs, approvers, retryFailed }
  return { runtime, ...turns, onStateTransitionRejected, limits, approvalFollowUps, dataRules }
}
