import type { AuditLog } from '@cool-ai/beach-channel/audit'
import type { Authenticator, Principal, Runtime, Sessions, Store } from '@cool-ai/beach-core'
import type { Inspection, ReplayReport, ReplayRequest } from '@cool-ai/beach-core/ports'
import type { Secret } from '@cool-ai/beach-core/tokens'

/** An operator with a token of their own, who may do what their roles say. */
export interface NamedOperator {
  readonly token: string
  readonly roles: readonly string[]
}

/** How the inspector is reached; all of it may be left out. */
export interface InspectOptions {
  /**
   * Operators by name, each with a token of at least 32 characters, and with roles where they are not to do everything:
   * `{ anna: '…', ben: { token: '…', roles: ['reader'] } }`. The name is on record for everything that they look at and do.
   * Callers whom an authenticator knows need a role (docs/guides/identity.md).
   */
  readonly operators?: Readonly<Record<string, string | NamedOperator>> | undefined
  /**
   * Whether the start gives a link with a one-time token to users of the same machine. When left out: unless `NODE_ENV` is
   * `production`, and only while `publicUrl` is this machine or left out.
   */
  readonly localLink?: boolean | undefined
  /** Whether the log keeps the prompts of model calls, shortened; it does when this is left out. */
  readonly prompts?: boolean | undefined
  /**
   * The ids of models that operators may replay sessions with, besides the agent's own, such as
   * `anthropic/claude-haiku-4-5`. What was said in a session is sent to the provider of the model.
   */
  readonly models?: readonly string[] | undefined
}

/** Answers a request for a file of the page. */
type ServeFile = (request: Request, name: string, content: string) => Promise<Response>

/** What an agent gives its inspector. */
export interface InspectorParts {
  readonly agent: { readonly id: string; readonly name: string }
  readonly tenant: string
  /** The process, as errors name it. */
  readonly process: string
  readonly secret: Secret
  readonly store: Store
  readonly runtime: Runtime
  readonly publicUrl?: string | undefined
  readonly sessions: () => Sessions & Inspection
  /** By a credential that no page sends by itself: cookies of the agent's pages do not count. */
  readonly authenticate: Authenticator
  /** By the cookie of the agent's pages: people who have signed in there. */
  readonly byCookie: Authenticator
  /** Where people sign in, to come back to a path; undefined for one who has. Absent where they do not. */
  readonly signIn?: ((request: Request, to: string) => Promise<string | undefined>) | undefined
  /** The scopes of roles. */
  readonly scopesOf: (roles: readonly string[]) => readonly string[]
  /** Erases a session everywhere and for good. */
  readonly erase: (session: string, by: Principal) => Promise<void>
  /** The sessions in whose messages words occur, newest first; absent where messages are not kept. */
  readonly search?: ((words: string, by: Principal) => Promise<readonly string[]>) | undefined
  /** Where looks and actions of operators are put on record. */
  readonly audit: AuditLog
  /** Takes tokens back that the agent has issued. */
  readonly revocations: {
    revoke(asked: unknown, by: Principal): Promise<string>
    list(tenant: string): Promise<readonly object[]>
  }
  readonly serveFile: ServeFile
  /** Runs a session again, in memory. */
  readonly replay: (request: ReplayRequest, signal: AbortSignal) => Promise<ReplayReport>
  /** The actors that models play. */
  readonly modelActors: readonly string[]
}
