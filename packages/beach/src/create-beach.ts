import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { aguiChannel } from '@cool-ai/beach-agui'
import { channelKeys } from '@cool-ai/beach-channel'
import { noteRequest, PendingBodies, type BodyLimits } from '@cool-ai/beach-channel/http'
import { ConversationRateLimiter, StreamCount, type ConversationRateLimits } from '@cool-ai/beach-channel/live'
import { refuseUpgrade } from '@cool-ai/beach-channel/websocket'
import {
  BeachError,
  systemRuntime,
  type Actor,
  type Approver,
  type Artifact,
  type ArtifactStore,
  type Authenticator,
  type Channel,
  type PlainTool,
  type Principal,
  type Runtime,
  type Sessions,
  type Slice,
  type Store,
} from '@cool-ai/beach-core'
import type { StateTransitionRefusal } from '@cool-ai/beach-core/log'
import { askAuthenticator } from '@cool-ai/beach-core/ports'
import type { Secret } from '@cool-ai/beach-core/tokens'
import { mcpAbout, mcpChannel, type McpStdio } from '@cool-ai/beach-mcp'
import {
  artifactLinks,
  ArtifactUrls,
  Missives,
  Upkeep,
  type ArtifactLinker,
  type MissivesOptions,
  type RetentionTimes,
} from '@cool-ai/beach-missives'
import type { LlmContextTranslator, SurfaceTemplateRegistry } from '@cool-ai/beach-protocol'
import { SessionTurnManager, type RetryFailed, type SessionLimits, type WhileBusy } from '@cool-ai/beach-session'
import {
  artifactsRoute,
  deviceLinkKeys,
  deviceLinksRoute,
  operatorRoute,
  previewsRoute,
  sseChannel,
  webSocketChannel,
} from '@cool-ai/beach-web'
import { settingsOf, type AgentAbout, type AgentSettings } from './agent-settings.ts'
import { a2aOf, authoriserOf, type A2aOptions, type BeachCard } from './a2a.ts'
import type { AguiOptions } from './agui-options.ts'
import { accessPolicy } from './access-policy.ts'
import { guard } from './guard.ts'
import { Identity } from './identity.ts'
import { mcpAccess } from './mcp-access.ts'
import { mcpSettings, type McpOptions } from './mcp-options.ts'
import type { BeachData } from './open-data.ts'
import type { PeerOptions } from './peers.ts'
import { cardOf } from './own-card.ts'
import { previewingChannels } from './previewing-channels.ts'
import { Readiness } from './readiness.ts'
import { registriesOf, type RegistryLists } from './registries.ts'
import { routes, type Handler } from './routes.ts'
import type { ServeOptions, Serving } from './serve.ts'
import { drainAll, Stopping, type CloseOptions } from './stopping.ts'
import { upgradeRequest } from './upgrade-request.ts'

const dayMs = 24 * 60 * 60 * 1_000
/** No human notices it, and requests that were sent together have come by then. */
const grantHoldMs = 50

export interface BeachOptions extends RegistryLists {
  /**
   * With a `description` the agent has a card, at `/.well-known/agent-card.json`: it speaks A2A, and clients of MCP are
   * told of its tool and its capabilities. The card's `transports` follow from `publicUrl`, or from the address that the
   * agent listens on, when they are left out.
   */
  readonly agent: AgentAbout
  /** @deprecated Write what the card says into `agent`. */
  readonly card?: BeachCard | undefined
  /**
   * Where the agent keeps what it must not forget: a folder such as `.beach`, `memory`, or what `openData` has opened.
   * `store`, `secret`, `artifacts` and `missives` may be given one by one, and come before it.
   */
  readonly data?: string | BeachData | undefined
  /** How the agent is served by A2A; false for an agent that is not. */
  readonly a2a?: A2aOptions | false | undefined
  readonly actors: Readonly<Record<string, Actor>>
  /**
   * Agents that this one may ask: `{ travel: { url: 'https://travel.example/' } }` offers `ask_travel` to every actor that
   * a model plays. What they want to see of this agent is in the environment, such as `BEACH_PEER_TRAVEL_API_KEY`.
   */
  readonly peers?: Readonly<Record<string, PeerOptions>> | undefined
  /** The actor that begins each turn; may be left out when there is only one. */
  readonly entry?: string | undefined
  readonly store?: Store | undefined
  /**
   * Signs tokens, cookies and links, so it must stay the same over restarts. To replace it give a list: the first one
   * signs, all verify (docs/secrets.md).
   */
  readonly secret?: Secret | undefined
  readonly runtime?: Runtime | undefined
  /** Called when an actor's setState part was refused; the turn goes on without it. */
  readonly onStateTransitionRejected?: ((refusal: StateTransitionRefusal) => void) | undefined
  /** Surface templates; those of `registerSurfaceTemplate` when left out. */
  readonly templates?: SurfaceTemplateRegistry | undefined
  /** Writes llm-context for peers whose models want it, from what the actor answered. */
  readonly translator?: LlmContextTranslator | undefined
  /** Tools that peers may call themselves, without a conversation. */
  readonly exposedTools?: readonly PlainTool[] | undefined
  /** How the agent is served by MCP; false for an agent that is not. */
  readonly mcp?: McpOptions | false | undefined
  /** How the agent is served by AG-UI; false for an agent that is not. */
  readonly agui?: AguiOptions | false | undefined
  /** Further ways in and out, besides those that every agent has. */
  readonly channels?: readonly Channel[] | undefined
  /** Who may decide approvals, unless a session was opened with a policy of its own; owner and operators when left out. */
  readonly approvers?: readonly Approver[] | undefined
  /** Whether a turn whose actor failed is tried again, and after how long; it is not when this is left out. */
  readonly retryFailed?: RetryFailed | undefined
  // oxlint-disable-next-line typescript/no-explicit-any -- each slice has a state type of its own.
  readonly slices?: readonly Slice<any>[] | undefined
  /** Asked in this order before the agent's own tokens and cookies. */
  readonly authenticators?: readonly Authenticator[] | undefined
  readonly tenant?: string | undefined
  /** Host names, besides the loopback ones, by which the agent may be called. */
  readonly hosts?: readonly string[] | undefined
  /**
   * Where a request comes from, for an agent behind a proxy that says so in a header; by it those are told apart who come
   * without a credential. The address of the connection when left out.
   */
  readonly remoteAddress?: (request: Request) => string | undefined
  /** Served at `/artifacts/:id` by the links of `artifactUrl`. */
  readonly artifacts?: ArtifactStore | undefined
  /**
   * Keeps every message in and out where it can be searched, and erased; `openData` gives where. Not kept when it is
   * left out or false.
   */
  readonly missives?: MissivesOptions | false | undefined
  /**
   * How long what is over is kept: records of decided approvals, dead letters and mails, and sessions that are not used
   * any more. What is left out has a default (docs/retention.md); false keeps all of it.
   */
  readonly retention?: RetentionTimes | false | undefined
  /** Where others reach the agent, such as `https://agent.example`; links begin with it, and are paths without it. */
  readonly publicUrl?: string | undefined
  /** Answers GET requests that no channel answers; undefined means that it has no such page. */
  readonly page?: (path: string) => Response | undefined
  readonly limits?:
    | (SessionLimits & {
        readonly body?: BodyLimits | undefined
        /** Bytes held of bodies that are being received from callers who are not known; 64 MB when left out. */
        readonly heldBodyBytes?: number | undefined
        readonly streamsPerPrincipal?: number | undefined
        /** Streams that all guests of one network may have open together; 1,000 when left out, or those of one principal. */
        readonly guestStreamsPerNetwork?: number | undefined
        /**
         * Conversations that all guests of one network together may begin in a minute, by whichever endpoint: sessions, contexts of
         * A2A, conversations and sessions of MCP, threads of AG-UI. 300 when left out.
         */
        readonly guestSessionsPerMinute?: number | undefined
        /** The same for one principal with a credential; 6,000 when left out. */
        readonly sessionsPerMinute?: number | undefined
      })
    | undefined
  readonly leaseMs?: number | undefined
  /** What a message does that comes while a turn runs; it waits for the next turn when this is left out. */
  readonly whileBusy?: WhileBusy | undefined
  readonly heartbeatMs?: number | undefined
}

/** A running agent. */
export interface Beach {
  readonly agent: BeachOptions['agent']
  readonly sessions: Sessions
  /** Every message in and out; absent where they are not kept. */
  readonly missives?: Omit<Missives, 'start' | 'close' | 'noticed' | 'resume' | 'upkeep' | 'dropping'>
  /** Whether it can take work now, as `GET /readyz` says; `stopping` says that it soon cannot. */
  readonly readiness: Pick<Readiness, 'stopping' | 'failing'>
  /** A link whose holder can fetch the artifact until it expires, by default for a day. */
  artifactUrl(artifact: Artifact, options?: { readonly expiresInMs?: number }): Promise<string>
  /** Serves the process that started this one by MCP, on its input and output. */
  mcpStdio(principal?: Principal): McpStdio
  /** What is held of callers who are not known: bodies that are being received, and their bytes. */
  readonly load: { readonly bodies: number; readonly bodyBytes: number }
  /** The agent as a Web-standard handler. */
  fetch(request: Request): Promise<Response>
  /** Puts the agent on a port of this machine; `close` of the agent then stops listening too. */
  listen(options: ServeOptions): Promise<Serving>
  /** WebSockets, for servers other than that of `listen`: give it to the event `upgrade` of a `node:http` server. */
  upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): void
  /**
   * Takes no more requests, lets turns and tools end within the grace, ends streams, stops turns that still run so that
   * another process can go on with them, and closes the store.
   */
  close(options?: CloseOptions): Promise<void>
}

/** Wires an agent: registries, sessions on the store, channels, identity, and one handler for all of it. */
export async function createBeach(options: BeachOptions): Promise<Beach> {
  const { settings, closeUnused, closeOpened } = await settingsOf(options)
  try {
    return await wire(settings, closeUnused)
  } catch (error) {
    await closeOpened()
    throw error
  }
}

async function wire(options: AgentSettings, closeUnused: () => Promise<void>): Promise<Beach> {
  const runtime = options.runtime ?? systemRuntime()
  const { partTypes, turnStates, stateMachines } = registriesOf(options)
  const identity = new Identity({
    secret: options.secret,
    runtime,
    agentId: options.agent.id,
    tenant: options.tenant ?? 'default',
    isSecure: options.publicUrl?.startsWith('https:') === true,
  })
  const publicUrl = options.publicUrl === undefined ? {} : { publicUrl: options.publicUrl }
  const artifactUrls = new ArtifactUrls({
    secret: options.secret,
    clock: runtime.clock,
    ...publicUrl,
  })
  const { artifacts } = options
  const artifactLink =
    artifacts && artifactLinks({ artifacts, secret: options.secret, clock: runtime.clock, ...publicUrl })
  const tenant = options.tenant ?? 'default'
  // No cookies: programs have no use for them, and pages of other sites would.
  const byCredential = firstOf([...(options.authenticators ?? []), identity.byBearer])
  const keep = accessPolicy(options.authenticators ?? [], identity, byCredential)
  const card = cardOf(options)
  const rateLimiter = new ConversationRateLimiter(runtime.clock, conversationRateLimits(options))
  const a2a = card && (await a2aOf({ options, card, runtime, partTypes, tenant, keep, artifactLink, rateLimiter }))
  const mcp =
    options.mcp !== false &&
    mcpChannel({
      runtime,
      partTypes,
      tenant,
      secret: options.secret,
      rateLimiter,
      ...mcpAbout(options.agent, card),
      ...mcpSettings(options.mcp),
      authenticate: keep(
        mcpAccess({ card, defaultAuth: options.a2a ? options.a2a.auth : undefined, tokens: options.mcp?.auth }),
      ),
      hosts: options.hosts,
      exposedTools: options.exposedTools,
      artifacts,
      artifactLink,
      body: options.limits?.body,
      keepAliveMs: options.heartbeatMs,
    })
  const agui =
    options.agui !== false &&
    aguiChannel({
      runtime,
      partTypes,
      tenant,
      secret: options.secret,
      agent: mcpAbout(options.agent, card).agent,
      authenticate: firstOf([...(options.authenticators ?? []), identity.byBearer, identity.byCookie]),
      artifactLink,
      ...(options.limits?.streamsPerPrincipal && { maxStreams: options.limits.streamsPerPrincipal }),
      heartbeatMs: options.heartbeatMs,
      ...publicUrl,
      rateLimiter,
      handledNamespaces: (options.slices ?? []).filter((slice) => slice.handle !== undefined).map((slice) => slice.ns),
      ...options.agui,
      body: options.agui?.body ?? options.limits?.body,
    })
  const byAnything = firstOf([...(options.authenticators ?? []), identity.byBearer, identity.byCookie])
  const live = {
    runtime,
    partTypes,
    authenticate: byAnything,
    ...(artifactLink && { artifactLink: pathsOf(artifactLink) }),
    ...(options.limits?.body && { body: options.limits.body }),
    streams: new StreamCount(options.limits?.streamsPerPrincipal, options.limits?.guestStreamsPerNetwork),
    ...(options.heartbeatMs !== undefined && { heartbeatMs: options.heartbeatMs }),
  }
  const issueToken = (principal: Principal) => identity.issueToken(principal)
  const webSocket = webSocketChannel({ ...live, ...publicUrl })
  const channels: Channel[] = [
    webSocket,
    sseChannel({ ...live, guest: () => identity.guest(), issueToken, rateLimiter }),
    ...(a2a?.channel ? [a2a.channel] : []),
    ...(mcp ? [mcp] : []),
    ...(agui ? [agui] : []),
    ...(options.channels ?? []),
  ]
  const missives = options.missives
    ? new Missives({ ...options.missives, log: options.store, runtime, channels, artifacts })
    : undefined
  const authorise = authoriserOf(options)
  const peers = options.peers && (await import('./peers.ts')).openPeers(options, runtime)
  const sessions = new SessionTurnManager({
    ...sessionOptions(options),
    actors: await actorsWithin(options.actors, peers?.tools ?? []),
    store: options.store,
    onChange: missives?.noticed,
    runtime,
    partTypes,
    turnStates,
    stateMachines,
    channels,
    authorise,
    grantHoldMs,
  })
  const upkeep = new Upkeep({
    store: options.store,
    runtime,
    sessions,
    keys: (times) => [...channelKeys(times), deviceLinkKeys],
    retention: options.retention,
    artifacts,
    missives,
  })
  const files = artifacts && artifactsRoute({ runtime, artifacts, verify: (url) => artifactUrls.verify(url) })
  const ending = new AbortController()
  const stopping = new Stopping(runtime.clock)
  const { agent } = options
  const context = {
    agent,
    sessions,
    store: options.store,
    secret: options.secret,
    tenant,
    runtime,
    partTypes,
    publicUrl: options.publicUrl,
    artifacts,
    // A path leads nowhere for readers of mail.
    artifactLink: options.publicUrl === undefined ? undefined : artifactLink,
    signal: ending.signal,
  }
  try {
    for (const channel of channels) await channel.start(context)
  } catch (error) {
    ending.abort()
    throw error
  }
  sessions.start()
  missives?.start(sessions)
  upkeep.start()
  const deviceLinks = deviceLinksRoute({
    runtime,
    store: options.store,
    sessions,
    authenticate: byAnything,
    cookieOf: (principal, request) => identity.cookieOf(principal, request),
    issueToken,
    ...publicUrl,
    body: options.limits?.body,
  })
  const previews = previewsRoute({
    runtime,
    sessions,
    authenticate: byAnything,
    channels: () =>
      previewingChannels(channels, {
        runtime,
        clock: runtime.clock,
        agent: options.agent,
        name: options.agent.name,
        partTypes,
        ...publicUrl,
        artifacts,
        artifactLink,
      }),
  })
  const operators = operatorRoute({ runtime, store: options.store, sessions, authenticate: byCredential })
  const handlers: Handler[] = [
    deviceLinks,
    previews,
    operators,
    ...channels,
    ...(files ? [files] : []),
    ...(a2a?.wellKnown ?? []),
  ]
  const { page, hosts } = options
  const refuse = (url: URL) => stopping.refuse(url)
  const readiness = new Readiness({
    agent,
    runtime,
    parts: {
      store: options.store,
      artifacts,
      ...(options.missives && { missives: options.missives.store, identities: options.missives.identities }),
    },
  })
  const site = { ...(hosts && { hosts }), ...publicUrl }
  const answer = routes(handlers, { agent, identity, runtime, readiness, ...site, refuse, ...(page && { page }) })
  const heldBytes = options.limits?.heldBodyBytes
  const bodies = new PendingBodies(heldBytes === undefined ? {} : { maxBytes: heldBytes })

  const end = ({ graceMs = 0 }: CloseOptions = {}) => {
    readiness.stopping()
    return stopping.close(graceMs, {
      drain: (hurry) => drainAll(sessions, channels, graceMs, hurry),
      async end() {
        ending.abort()
        await upkeep.stop()
        await sessions.stop()
        await missives?.close()
        await a2a?.close?.()
        await peers?.close()
        await options.store.close()
        await closeUnused()
      },
    })
  }
  let serving: Serving | undefined
  const beach: Beach = {
    agent: options.agent,
    sessions,
    readiness,
    ...(missives && { missives }),
    async artifactUrl(artifact, { expiresInMs = dayMs } = {}) {
      if (artifacts === undefined) {
        throw new BeachError(
          'INVALID_CONFIGURATION',
          'This agent has no artifacts. Give a store of them to createBeach.',
        )
      }
      return artifactUrls.sign(artifact, { expiresAt: runtime.clock.now() + expiresInMs })
    },
    mcpStdio(principal = { kind: 'user', id: 'local', tenant }) {
      if (mcp) return mcp.stdio(principal)
      throw new BeachError(
        'INVALID_CONFIGURATION',
        'This agent is not served by MCP: createBeach was given mcp: false.',
      )
    },
    fetch: async (request) => {
      const { remoteAddress } = options
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
        const { remoteAddress } = options
        if (remoteAddress !== undefined) noteRequest(request, { remoteAddress: () => remoteAddress(request) })
        const url = new URL(request.url)
        guard(request, url, site, true)
        stopping.refuse(url)
        if (agui && agui.upgrade(request, incoming, socket, head)) return
        webSocket.upgrade(request, incoming, socket, head)
      } catch (error) {
        void refuseUpgrade(socket, error, runtime.logger)
      }
    },
    async listen(where) {
      const { serve } = await import('./serve.ts')
      serving = await serve(async (url) => {
        await a2a?.listensOn?.(url)
        return { ...beach, close: end }
      }, where)
      return { ...serving, beach }
    },
    close: (how) => (serving === undefined ? end(how) : serving.close(how)),
  }
  return beach
}

/** The actors as those of the agent: with their names there, and models with the tools. */
async function actorsWithin(
  actors: Readonly<Record<string, Actor>>,
  tools: readonly PlainTool[],
): Promise<Record<string, Actor>> {
  const names = Object.keys(actors)
  const placed = Object.entries(actors).map(async ([name, actor]): Promise<[string, Actor]> => {
    const others = names.filter((other) => other !== name)
    return [name, (await actor.within?.({ name, others, tools })) ?? actor]
  })
  return Object.fromEntries(await Promise.all(placed))
}

/** Path-only links: the page's host may differ from `publicUrl`. */
function pathsOf(link: ArtifactLinker): ArtifactLinker {
  return async (...args) => {
    const url = await link(...args)
    if (url === undefined || url.startsWith('/')) return url
    const { pathname, search } = new URL(url)
    return `${pathname}${search}`
  }
}

/** What of the agent's options is for sessions; named one by one, so that nothing else is taken for theirs. */
function sessionOptions(options: BeachOptions) {
  const { actors, entry, templates, translator, slices, whileBusy, leaseMs, approvers, retryFailed } = options
  const { onStateTransitionRejected, limits } = options
  return {
    actors,
    ...(entry !== undefined && { entry }),
    ...(templates && { templates }),
    ...(translator && { translator }),
    ...(slices && { slices }),
    ...(whileBusy && { whileBusy }),
    ...(leaseMs !== undefined && { leaseMs }),
    ...(approvers && { approvers }),
    ...(retryFailed && { retryFailed }),
    ...(onStateTransitionRejected && { onStateTransitionRejected }),
    ...(limits && { limits }),
  }
}

function conversationRateLimits({ limits }: BeachOptions): ConversationRateLimits {
  const { guestSessionsPerMinute, sessionsPerMinute } = limits ?? {}
  return {
    guestsPerMinute: guestSessionsPerMinute,
    perMinute: sessionsPerMinute,
  }
}

function firstOf(authenticators: readonly Authenticator[]): Authenticator {
  const [only, ...others] = authenticators
  if (only !== undefined && others.length === 0) return only
  return async (request) => {
    for (const authenticate of authenticators) {
      const known = await askAuthenticator(authenticate, request)
      if (known !== undefined) return known
    }
    return undefined
  }
}
