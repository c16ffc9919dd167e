import type { Envelope } from '../envelope.ts'
import type { DeliveryClass, Originator } from '../originator.ts'
import type { OpenApiPart } from '../openapi/openapi.ts'
import type { Principal } from '../principal.ts'
import type { PartTypeRegistry } from '../registries/part-types.ts'
import type { Runtime } from '../runtime.ts'
import type { Secret } from '../tokens/secret.ts'
import type { ArtifactStore } from './artifacts.ts'
import type { ChannelPreview, TurnPreview } from './preview.ts'
import type { Sessions } from './sessions.ts'
import type { Store } from './store.ts'

/** How a push ended: `failed` may be tried again, `refused` may not. */
export interface SendOutcome {
  readonly status: 'sent' | 'failed' | 'refused'
  readonly reason?: string | undefined
  /** The other side's id of what was sent, when it gives one. */
  readonly externalId?: string | undefined
}

/** How often and how long a channel tries to send; what is left out has a default. */
export interface PushPolicy {
  /** Attempts before the delivery is a dead letter. */
  readonly attempts?: number | undefined
  /** The wait after the first failure; it doubles with each further one, up to the longest. */
  readonly firstDelayMs?: number | undefined
  readonly maxDelayMs?: number | undefined
  /** The waits after each failure, one by one, in place of the above; after the last one the delivery is a dead letter. */
  readonly delaysMs?: readonly number[] | undefined
  /** How long one attempt may take. */
  readonly timeoutMs?: number | undefined
}

/** A link to an artifact of a session, for viewers of that session. */
export type ArtifactLinkOf = (artifactId: string, session: string, principal: Principal) => Promise<string | undefined>

/** What the agent gives each of its channels when it starts them. */
export interface ChannelContext {
  readonly agent: { readonly id: string; readonly name: string }
  readonly sessions: Sessions
  readonly store: Store
  /** Signs tokens and links: the first one signs, all verify. */
  readonly secret: Secret
  readonly tenant: string
  readonly runtime: Runtime
  readonly partTypes: PartTypeRegistry
  /** Where others reach the agent; undefined when it was not told. */
  readonly publicUrl: string | undefined
  /** Where files are kept; undefined for an agent that keeps none. */
  readonly artifacts: ArtifactStore | undefined
  /** Links to files, which begin with `publicUrl`; undefined where one of the two is. */
  readonly artifactLink: ArtifactLinkOf | undefined
  /** Ends the channel. */
  readonly signal: AbortSignal
}

/** What a channel does at one path, by one method. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Such as `/sessions/:id`; `params` then has the `id`, decoded. */
  readonly path: string
  readonly answer: (request: Request, params: Readonly<Record<string, string>>) => Promise<Response>
}

/** One way in and out: it turns its protocol's messages into parts, and parts into its protocol's messages. */
export interface Channel {
  readonly transport: string
  readonly deliveryClass: DeliveryClass
  /** Resolves once the channel can take messages; the context's signal ends it. */
  start(context: ChannelContext): Promise<void>
  /**
   * The agent is stopping: the channel accepts nothing more. It goes on sending, and its listeners go on following,
   * until the context's signal aborts. Resolves when nothing runs any more that the channel itself has started outside
   * of turns.
   */
  drain?(): Promise<void>
  /**
   * The channel's HTTP routes, read once it has started. A GET route gets HEAD requests too; other methods at its paths
   * get 405, and an error that a route throws becomes the response of that error.
   */
  readonly routes?: readonly Route[]
  /** The paths that `fetch` answers, such as `/a2a` and `/a2a/*`, for a channel that routes by itself. */
  readonly paths?: readonly string[]
  /**
   * Those of the paths that contain a secret, such as a signed link. A wrong secret gets 404, and attempts are counted;
   * requests that change something are accepted from the agent's own pages only.
   */
  readonly secretPaths?: readonly string[]
  /** A Web-standard handler, for channels that are reached by HTTP. */
  fetch?(request: Request): Promise<Response>
  /** The channel's routes in the agent's OpenAPI document, asked for with the first request for it. */
  openapi?(): Promise<OpenApiPart>
  /** Sends an envelope; the same key twice must not reach the other side twice where it can tell. */
  send?(to: Originator, envelope: Envelope, key: string, signal: AbortSignal): Promise<SendOutcome>
  /** Whether `send` can reach an originator of this transport; every one when this is left out. */
  reaches?(to: Originator): boolean
  /** How `send` is tried again. */
  readonly push?: PushPolicy | undefined
  /**
   * What the channel would send of a turn to a listener like the session's owner, made by the code that really sends.
   */
  preview?(turn: TurnPreview): Promise<ChannelPreview>
  /**
   * Forgets what the channel remembers of a person besides the sessions, because all of that person's data is erased.
   */
  forget?(who: Originator): Promise<void>
}
