import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { A2aOptions, ExtendedCard } from '@cool-ai/beach-a2a'
import type { AguiChannelOptions } from '@cool-ai/beach-agui'
import type { AiSdkChannelOptions } from '@cool-ai/beach-ai-sdk'
import type { CallerLimits } from '@cool-ai/beach-channel/admission'
import type { BodyLimits } from '@cool-ai/beach-channel/http'
import type { RightsOptions } from '@cool-ai/beach-channel/rights'
import type {
  Actor,
  Approver,
  Artifact,
  ArtifactStore,
  Authenticator,
  Channel,
  ChannelContext,
  DataRule,
  PlainTool,
  Principal,
  Runtime,
  Sessions,
  Slice,
  Store,
} from '@cool-ai/beach-core'
import type { StateTransitionRefusal } from '@cool-ai/beach-core/log'
import type { ApprovalFollowUp } from '@cool-ai/beach-core/ports'
import type { Secret } from '@cool-ai/beach-core/tokens'
import type { InspectOptions } from '@cool-ai/beach-inspect'
import type { McpApp, McpChannelOptions, McpStdio } from '@cool-ai/beach-mcp'
import type { Memories, MemoryLimits, Missives, MissivesOptions, RetentionTimes } from '@cool-ai/beach-missives'
import type { OpenAiChannelOptions } from '@cool-ai/beach-openai'
import type { PageOptions } from '@cool-ai/beach-page'
import type { LlmContextTranslator, SurfaceTemplateRegistry } from '@cool-ai/beach-protocol'
import type { RetryFailed, SessionLimits, WhileBusy } from '@cool-ai/beach-session'
import type { InboxOptions } from '@cool-ai/beach-web'
import type { EncryptionOptions } from './encryption.ts'
import type { TokenTimes } from './identity/logins.ts'
import type { OidcOptions } from './identity/oidc/oidc-options.ts'
import type { EarlierOptions } from './earlier-options.ts'
import type { PeerOptions } from './peers.ts'
import type { Readiness } from './readiness.ts'
import type { RegistryLists } from './registries.ts'
import type { PageHandler } from './routes.ts'
import type { ServeOptions, Serving } from './serve.ts'
import type { CloseOptions } from './stopping.ts'
import type { TelemetryOptions } from './telemetry/telemetry-of.ts'

/** A card as its author writes it; the ways to reach the agent may be left to it. */
export type BeachCard = ExtendedCard

/** The agent with what its card says of it besides. */
type AgentOptions = Pick<BeachCard, 'id' | 'name'> & {
  readonly [Name in keyof BeachCard]?: BeachCard[Name] | undefined
}

/** How an agent is served by MCP; all of it may be left out. */
interface McpOptions extends Omit<McpChannelOptions, 'app'> {
  /** The page that hosts of MCP Apps show surfaces in; false for none, ours when left out. */
  readonly app?: McpApp | false | undefined
}

/** Where the agent keeps what it must not forget. What `openData` has opened is such an object. */
export interface DataOptions {
  /** A folder such as `.beach`, or `memory`. What else is given here comes before what the folder has. */
  readonly folder?: string | undefined
  readonly store?: Store | undefined
  /**
   * Signs tokens, cookies and links, so it must stay the same over restarts. To replace it give a list: the first one
   * signs, all verify (docs/secrets.md).
   */
  readonly secret?: Secret | undefined
  /** Served at `/artifacts/:id` by the links of `artifactUrl`. */
  readonly artifacts?: ArtifactStore | undefined
  /** Keeps every message in and out where it can be searched, and erased. Not kept when left out or false. */
  readonly missives?: MissivesOptions | false | undefined
  /**
   * How long the agent keeps what is over: records of decided approvals, dead letters and mails, and sessions that are not
   * used any more. What is left out has a default (docs/retention.md); false keeps all of it.
   */
  readonly retention?: RetentionTimes | false | undefined
  /**
   * Encrypts what is kept in `folder` (docs/encryption.md): by these keys, or by those of `BEACH_ENCRYPTION_KEYS` when it is
   * left out. False for data that is not encrypted, whatever the environment has.
   */
  readonly encryption?: EncryptionOptions | false | undefined
}

/** How turns run. */
export interface TurnOptions {
  /** What a message does that comes while a turn runs; it waits for the next turn when this is left out. */
  readonly whileBusy?: WhileBusy | undefined
  /** Whether a turn whose actor failed is tried again, and after how long; it is not when this is left out. */
  readonly retryFailed?: RetryFailed | undefined
  /** How long a host may be silent before another process takes over its sessions. */
  readonly leaseMs?: number | undefined
  /** Called when an actor's setState part was refused; the turn goes on without it. */
  readonly onStateTransitionRejected?: ((refusal: StateTransitionRefusal) => void) | undefined
  /** Writes llm-context for peers whose models want it, from what the actor answered. */
  readonly translator?: LlmContextTranslator | undefined
}

/** The channels that every agent has: `false` turns one off, `a2a`, `mcp`, `agui`, `aiSdk` and `openai` take its settings. */
export interface ProtocolOptions {
  /** Of an agent with a card. */
  readonly a2a?: A2aOptions | false | undefined
  readonly mcp?: McpOptions | false | undefined
  readonly agui?: AguiChannelOptions | false | undefined
  /** Pages of the AI SDK (`useChat`), at `/chat`. */
  readonly aiSdk?: AiSdkChannelOptions | false | undefined
  /** Clients of OpenAI, at `/v1`. */
  readonly openai?: OpenAiChannelOptions | false | undefined
  /** Server-sent events, at `/sessions`. */
  readonly sse?: boolean | undefined
  readonly webSocket?: boolean | undefined
  /** How often their live streams send a sign of life. */
  readonly heartbeatMs?: number | undefined
}

/** Who decides approvals, and what happens when no decision comes. */
export interface ApprovalOptions {
  /** Who may decide, unless a session was opened with a policy of its own; owner and operators when left out. */
  readonly approvers?: readonly Approver[] | undefined
  /**
   * What is done about requests that no approver decides: `{ afterMs }` or `{ beforeExpiryMs }` reminds the people who were
   * asked by mail or phone, `{ afterMs, to }` asks another approver too (docs/approvals.md).
   */
  readonly followUps?: readonly ApprovalFollowUp[] | undefined
  /** One inbox over several agents: whose requests it shows too, and where this agent's are shown (docs/approvals.md). */
  readonly inbox?: InboxOptions | undefined
}

/** Who may call the agent, and what for. */
export interface AccessOptions extends RightsOptions {
  /** Asked in this order before the agent's own tokens and cookies. */
  readonly authenticators?: readonly Authenticator[] | undefined
  /**
   * The OpenID Connect provider that people sign in with on the agent's pages, and whose tokens programs bring. Guests are
   * not let in then, unless `guests` says so.
   */
  readonly oidc?: OidcOptions | undefined
  /**
   * The cookie by which the agent's pages know a browser; `beach_<agent id>` when left out. Agents on one host that share it
   * and their secret know a browser as the same person.
   */
  readonly cookieName?: string | undefined
  /** How long the agent's own tokens live: an hour, and 30 days since they were last renewed, when left out (docs/secrets.md). */
  readonly tokens?: TokenTimes | undefined
  readonly tenant?: string | undefined
  /** Host names, besides that of `publicUrl` and the loopback ones, by which the agent may be called. */
  readonly hosts?: readonly string[] | undefined
  /**
   * Origins of other sites whose pages may call, such as `https://shop.example`, on every channel; none when left out
   * (docs/react.md). They see what their credentials see: a token, or cookies that `authenticators` read.
   */
  readonly origins?: readonly string[] | undefined
  /**
   * The address of the caller, for an agent behind a proxy that passes it on in a header: callers without a credential are
   * told apart by it. Of a list the last one counts, which the nearest proxy has added. The address of the connection when
   * left out.
   */
  readonly remoteAddress?: ((request: Request) => string | undefined) | undefined
  /**
   * How the Agent Cards are read that callers name, and that decide what they are sent (docs/peers.md): at public addresses,
   * at those of `peers`, and at `allowOrigins`, which need not be public. False for an agent that reads none.
   */
  readonly callerCards?: { readonly allowOrigins?: readonly string[] | undefined } | false | undefined
  /** @deprecated Use `limits`. */
  readonly limits?: AgentLimits | undefined
}

/** The record of an agent, which is in its store. */
export interface AuditOptions {
  /** Where each process sends what it puts on record, by RFC 5424: `udp://host:514`, `tcp://host:601` or `stdout`. */
  readonly syslog?: string | undefined
}

/** Limits: of callers by principal, network and tenant, of sessions, and of this process. All have defaults. */
interface AgentLimits extends SessionLimits, CallerLimits {
  readonly body?: BodyLimits | undefined
  /** Bytes held of bodies that are being received from unidentified callers; 64 MB when left out. */
  readonly heldBodyBytes?: number | undefined
  /** @deprecated Use `principal.streams`. */
  readonly streamsPerPrincipal?: number | undefined
  /** @deprecated Use `network.streams`. */
  readonly guestStreamsPerNetwork?: number | undefined
  /** @deprecated Use `network.sessions.perMinute`. */
  readonly guestSessionsPerMinute?: number | undefined
  /** @deprecated Use `principal.sessions.perMinute`. */
  readonly sessionsPerMinute?: number | undefined
}

/** What an agent is made of; only `agent`, `actors` and a place for the data are needed. */
export interface BeachOptions extends RegistryLists, EarlierOptions {
  /**
   * With a `description` the agent has a card, at `/.well-known/agent-card.json`: it speaks A2A, and clients of MCP are
   * told of its tool and its capabilities. The card's `transports` follow from `publicUrl`, or from the address that the
   * agent listens on, when they are left out.
   */
  readonly agent: AgentOptions
  /** A folder such as `.beach`, `memory`, what `openData` has opened, or its parts one by one. */
  readonly data?: string | DataOptions | undefined
  readonly actors: Readonly<Record<string, Actor>>
  /** The actor that begins each turn; may be left out when there is only one. */
  readonly entry?: string | undefined
  readonly turns?: TurnOptions | undefined
  /**
   * Agents that this one may ask: `{ travel: { url: 'https://travel.example/' } }` offers `ask_travel` to every actor that
   * a model plays. The environment has this agent's credentials for them, such as `BEACH_PEER_TRAVEL_API_KEY`.
   */
  readonly peers?: Readonly<Record<string, PeerOptions>> | undefined
  /** Further ways in and out, besides the protocols that every agent speaks. */
  readonly channels?: readonly Channel[] | undefined
  readonly protocols?: ProtocolOptions | undefined
  readonly approvals?: ApprovalOptions | undefined
  /**
   * What content may be sent where, such as `{ from: 'peer:travel', to: 'email', deny: true }` (docs/origins.md). Anything
   * may when left out.
   */
  readonly dataRules?: readonly DataRule[] | undefined
  readonly access?: AccessOptions | undefined
  /**
   * What the agent remembers of people across their sessions: every actor that a model plays gets the tools `remember`,
   * `recall` and `forget`. Nothing is remembered of a person who has not agreed (docs/guides/memory.md). Off when left out
   * or false.
   */
  readonly memory?: boolean | MemoryLimits | undefined
  /** How much callers may have of the agent (docs/guides/limits.md). */
  readonly limits?: AgentLimits | undefined
  /**
   * The inspector at `/inspect` and the operator API behind it (docs/inspect.md): `true`, or its settings. Off when left
   * out or false.
   */
  readonly inspect?: boolean | InspectOptions | undefined
  /** Where the record of who saw, decided, changed and erased goes besides the store (docs/audit.md). */
  readonly audit?: AuditOptions | undefined
  /**
   * Secrets that are neither stored nor shown, wherever they turn up (docs/secrets.md), besides those of environment
   * variables whose names say that they are secret.
   */
  readonly redact?: readonly string[] | undefined
  /** Metrics and traces; logs are set by `BEACH_LOG` (docs/telemetry.md). */
  readonly telemetry?: TelemetryOptions | undefined
  /** Tools that peers may call themselves, without a conversation. */
  readonly exposedTools?: readonly PlainTool[] | undefined
  /**
   * The agent's page at `/`: the chat page of `@cool-ai/beach-page`, with these settings. A function is a page of its own: it
   * answers GET requests that no channel answers; undefined means that it has no such page. False for no page.
   */
  readonly page?: PageHandler | PageOptions | false | undefined
  /** Where others reach the agent, such as `https://agent.example`; links begin with it, and are paths without it. */
  readonly publicUrl?: string | undefined
  /**
   * Called once before the channels start, with what they get: for the application's own code that needs the sessions. It
   * ends when the context's signal aborts.
   */
  readonly onStart?: ((context: ChannelContext) => void | Promise<void>) | undefined
  // oxlint-disable-next-line typescript/no-explicit-any -- each slice has a state type of its own.
  readonly slices?: readonly Slice<any>[] | undefined
  /** Surface templates; those of `registerSurfaceTemplate` when left out. */
  readonly templates?: SurfaceTemplateRegistry | undefined
  readonly runtime?: Runtime | undefined
}

/** A running agent. */
export interface Beach {
  readonly agent: BeachOptions['agent']
  readonly sessions: Sessions
  /** Every message in and out; absent where they are not kept. */
  readonly missives?: Omit<Missives, 'start' | 'close' | 'noticed' | 'resume' | 'upkeep' | 'dropping'> | undefined
  /** What is remembered of people; absent where nothing is. */
  readonly memory?: Pick<Memories, 'of' | 'consent' | 'refuse' | 'remember' | 'recall' | 'forget'> | undefined
  /** Whether it can take work now, as `GET /readyz` says; `stopping` says that it soon cannot. */
  readonly readiness: Pick<Readiness, 'stopping' | 'failing'>
  /** A link whose holder can fetch the artifact until it expires, by default for a day. */
  artifactUrl(artifact: Artifact, options?: { readonly expiresInMs?: number | undefined }): Promise<string>
  /**
   * A link to the inspector for the person who starts the agent on this machine, good for one use; undefined where there is
   * none. `url` is where the agent listens.
   */
  inspectLink(url: string): string | undefined
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
