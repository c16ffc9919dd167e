import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type {
  ArtifactLinkOf,
  Authenticator,
  Channel,
  ChannelContext,
  PlainTool,
  Principal,
  TurnStateRegistry,
} from '@cool-ai/beach-core'
import type { AgentCard, AgentCardInput, CardAuth } from '@cool-ai/beach-protocol/agent-card'
import type { CardReader } from './cards/caller-cards.ts'
import type { AccessRequirements } from './auth/access-requirements.ts'
import type { BodyLimits } from './http/json-body.ts'
import type { Admission } from './admission/admission.ts'
import type { StreamCount } from './admission/stream-count.ts'

/** What an agent says of itself; an Agent Card has all of it. */
export interface AgentAbout {
  readonly id: string
  readonly name: string
  readonly version?: string | undefined
  readonly description?: string | undefined
  readonly capabilities?: AgentCardInput['capabilities'] | undefined
}

/** The tokens of a new login: `POST /token` takes the refresh token, and gives both anew. */
interface IssuedTokens {
  readonly token: string
  readonly refreshToken: string
  readonly expiresAt: number
}

/** What `createBeach` gives its channels besides: what several of the channels need that callers reach by HTTP. */
export interface AgentContext extends ChannelContext {
  readonly agent: AgentAbout
  readonly turnStates: TurnStateRegistry
  /** The agent's card with all the ways to reach it and their auth; undefined for an agent without one. */
  readonly card: AgentCardInput | undefined
  /** The card as it is served, and what authenticated callers get; the address in it may be learnt later. */
  readonly published: { card(): AgentCard; extended(): AgentCard | undefined } | undefined
  /** What callers of A2A and MCP authenticate with where the card does not say it. */
  readonly defaultAuth: CardAuth | undefined
  /** Who is calling: by the agent's authenticators, its tokens, or the cookie of its pages. */
  readonly authenticate: Authenticator
  /** Who is calling an endpoint with these requirements, by anything but a cookie; throws where no authenticator fits. */
  readonly authenticatorFor: (required: AccessRequirements) => Promise<Authenticator>
  /** A principal for a caller without a credential. */
  readonly guest: () => Principal
  /** The bearer token by which a principal is known later. */
  readonly issueToken: (principal: Principal) => Promise<string>
  /** The same with the token that renews it, and the time when it ends. */
  readonly issueTokens: (principal: Principal) => Promise<IssuedTokens>
  /** The `set-cookie` header by which a browser is this principal, on pages of the agent's own origin. */
  readonly cookieOf: (principal: Principal, request: Request) => Promise<string>
  /** Links to files for callers of this host: paths where the agent has no `publicUrl`. */
  readonly localLink: ArtifactLinkOf | undefined
  /** Reads the Agent Cards that callers name, which decide what they are sent; undefined where none is read. */
  readonly callerCards: CardReader | undefined
  /** The step that every way in passes. Sessions that a channel opens are counted by it without being asked. */
  readonly admission: Admission
  /** Counts the streams that viewers have open, by server-sent events and WebSocket together. */
  readonly streams: StreamCount
  /** Requests that one principal may have open at a channel, and all guests of one network together. */
  readonly maxOpen: number | undefined
  readonly maxOpenPerNetwork: number | undefined
  readonly body: BodyLimits | undefined
  readonly heartbeatMs: number | undefined
  /** Host names, besides the loopback ones, by which the agent may be called. */
  readonly hosts: readonly string[] | undefined
  /** Origins of other sites whose pages may call, on every channel (`access.origins`). */
  readonly origins: readonly string[] | undefined
  /** Tools that peers may call themselves, without a conversation. */
  readonly exposedTools: readonly PlainTool[] | undefined
  /** The namespaces of slices that clients may speak to. */
  readonly handledNamespaces: readonly string[]
}

/** A channel that also takes connections which a server was asked to upgrade. */
export interface UpgradableChannel extends Channel {
  /**
   * Takes over a connection for which `node:http` has emitted `upgrade`, if it is for this channel; false when it is
   * not. The caller checks the request's host and origin.
   */
  upgrade(request: Request, incoming: IncomingMessage, socket: Duplex, head: Buffer): boolean
}
