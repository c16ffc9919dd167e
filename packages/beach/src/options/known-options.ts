import type { A2aOptions } from '@cool-ai/beach-a2a'
import type { AguiChannelOptions } from '@cool-ai/beach-agui'
import type { AiSdkChannelOptions } from '@cool-ai/beach-ai-sdk'
import type { Quota, Windows } from '@cool-ai/beach-channel/admission'
import type { InspectOptions } from '@cool-ai/beach-inspect'
import type { MemoryLimits, MissivesOptions, RetentionTimes } from '@cool-ai/beach-missives'
import type { OpenAiChannelOptions } from '@cool-ai/beach-openai'
import type { PageOptions } from '@cool-ai/beach-page'
import type { InboxOptions } from '@cool-ai/beach-web'
import type {
  AccessOptions,
  ApprovalOptions,
  AuditOptions,
  BeachOptions,
  DataOptions,
  ProtocolOptions,
  TurnOptions,
} from '../beach-options.ts'
import type { EncryptionOptions } from '../encryption.ts'
import type { TokenTimes } from '../identity/logins.ts'
import type { OidcOptions } from '../identity/oidc/oidc-options.ts'
import type { PeerOptions } from '../peers.ts'
import type { TelemetryOptions } from '../telemetry/telemetry-of.ts'

/** The names of one level of the options; below some of them there is a further level. */
export interface Level {
  readonly [name: string]: true | Level | { readonly each: Level }
}

/** A level with all names of a type and no others: the compiler finds an option that was added and is missing here. */
export type LevelOf<Options> = { readonly [Name in keyof Required<Options>]: true | Level | { readonly each: Level } }

type Limits = NonNullable<BeachOptions['limits']>
type Mcp = Exclude<NonNullable<ProtocolOptions['mcp']>, false>

const mcp = {
  tool: true,
  app: true,
  consumes: true,
  maxCallMs: true,
  maxCalls: true,
  tasks: true,
  extend: true,
  auth: true,
  origins: true,
  legacy: true,
} satisfies LevelOf<Mcp>
const a2a = {
  auth: true,
  inputModes: true,
  outputModes: true,
  streaming: true,
  extendedCard: true,
  signer: true,
  origins: true,
  fetch: true,
  push: true,
  attachBytes: true,
  gatherMs: true,
} satisfies LevelOf<A2aOptions>
const agui = {
  guests: true,
  origins: true,
  cancelOnDisconnect: true,
  toolCalls: true,
  clientTools: true,
  body: { bytes: true, depth: true },
} satisfies LevelOf<AguiChannelOptions>
const aiSdk = {
  guests: true,
  cancelOnDisconnect: true,
  toolCalls: true,
  body: { bytes: true, depth: true },
} satisfies LevelOf<AiSdkChannelOptions>
const openai = {
  cancelOnDisconnect: true,
  body: { bytes: true, depth: true },
} satisfies LevelOf<OpenAiChannelOptions>
const protocols = {
  a2a,
  mcp,
  agui,
  aiSdk,
  openai,
  sse: true,
  webSocket: true,
  heartbeatMs: true,
} satisfies LevelOf<ProtocolOptions>

const retention = {
  recordsMs: true,
  threadsMs: true,
  emptySessionsMs: true,
  guestSessionsMs: true,
  sessionsMs: true,
} satisfies LevelOf<RetentionTimes>
const missives = {
  store: true,
  identities: true,
  retention: true,
  collectArtifacts: { graceMs: true },
  keepArtifact: true,
  sendCode: true,
  addressesOf: true,
} satisfies LevelOf<MissivesOptions>
const data = {
  folder: true,
  store: true,
  secret: true,
  artifacts: true,
  missives,
  retention,
  encryption: { keys: true, service: true } satisfies LevelOf<EncryptionOptions>,
} satisfies LevelOf<DataOptions>

const turns = {
  whileBusy: true,
  retryFailed: true,
  leaseMs: true,
  onStateTransitionRejected: true,
  translator: true,
} satisfies LevelOf<TurnOptions>

const inbox = { shows: true, shownAt: true } satisfies LevelOf<InboxOptions>
const approvals = { approvers: true, followUps: true, inbox } satisfies LevelOf<ApprovalOptions>

const windows = { perMinute: true, perDay: true } satisfies LevelOf<Windows>
const quota = {
  requests: windows,
  sessions: windows,
  messages: windows,
  turns: windows,
  bytes: windows,
  tokens: windows,
  cost: windows,
  streams: true,
} satisfies LevelOf<Quota>
const limits = {
  principal: quota,
  network: quota,
  tenant: quota,
  tenants: { each: quota },
  mailbox: true,
  turns: true,
  originators: true,
  eventBytes: true,
  concurrentTurns: true,
  viewer: { frames: true, characters: true } satisfies LevelOf<NonNullable<Limits['viewer']>>,
  body: { bytes: true, depth: true } satisfies LevelOf<NonNullable<Limits['body']>>,
  heldBodyBytes: true,
  streamsPerPrincipal: true,
  guestStreamsPerNetwork: true,
  guestSessionsPerMinute: true,
  sessionsPerMinute: true,
} satisfies LevelOf<Limits>
const oidc = {
  issuer: true,
  clientId: true,
  clientSecret: true,
  scopes: true,
  principalOf: true,
  rolesOf: true,
  audience: true,
  maxMs: true,
} satisfies LevelOf<OidcOptions>
const access = {
  authenticators: true,
  oidc,
  roles: true,
  channelScopes: true,
  guests: true,
  cookieName: true,
  tokens: { accessMs: true, refreshMs: true } satisfies LevelOf<TokenTimes>,
  tenant: true,
  hosts: true,
  origins: true,
  remoteAddress: true,
  callerCards: { allowOrigins: true },
  limits,
} satisfies LevelOf<AccessOptions>

const peer = {
  url: true,
  cardUrl: true,
  card: true,
  allowOrigins: true,
  trust: true,
  transports: true,
  credentials: true,
  name: true,
  scopes: true,
  trustWords: true,
} satisfies LevelOf<PeerOptions>

const inspect = { operators: true, localLink: true, prompts: true, models: true } satisfies LevelOf<InspectOptions>
const telemetry = { metrics: true, guestTraces: true } satisfies LevelOf<TelemetryOptions>
const page = { suggestions: true, links: true, peers: true, styles: true, files: true } satisfies LevelOf<PageOptions>

const agent = {
  $schema: true,
  schemaVersion: true,
  id: true,
  name: true,
  displayName: true,
  description: true,
  provider: { name: true, url: true },
  documentationUrl: true,
  iconUrl: true,
  version: true,
  capabilities: true,
  transports: true,
  envelope: { parts: true, consumes: true, a2uiCatalog: true, llmContextLanguage: true },
  extensions: true,
  contact: true,
  generatedAt: true,
} satisfies LevelOf<BeachOptions['agent']>

/** All options of `createBeach`, level by level. Lists of entries and objects of code are checked where they are used. */
export const knownOptions = {
  agent,
  data,
  actors: true,
  entry: true,
  turns,
  peers: { each: peer },
  channels: true,
  protocols,
  approvals,
  dataRules: true,
  redact: true,
  access,
  memory: { maxEntries: true, maxCharacters: true } satisfies LevelOf<MemoryLimits>,
  inspect,
  audit: { syslog: true } satisfies LevelOf<AuditOptions>,
  telemetry,
  exposedTools: true,
  page,
  publicUrl: true,
  onStart: true,
  slices: true,
  templates: true,
  runtime: true,
  partTypes: true,
  turnStates: true,
  stateMachines: true,
  catalogs: true,
  card: agent,
  store: true,
  secret: true,
  artifacts: true,
  missives,
  retention,
  a2a,
  mcp,
  agui,
  sse: true,
  webSocket: true,
  heartbeatMs: true,
  whileBusy: true,
  retryFailed: true,
  leaseMs: true,
  translator: true,
  onStateTransitionRejected: true,
  approvers: true,
  approvalFollowUps: true,
  authenticators: true,
  tenant: true,
  hosts: true,
  remoteAddress: true,
  callerCards: { allowOrigins: true },
  limits,
} satisfies LevelOf<BeachOptions>
