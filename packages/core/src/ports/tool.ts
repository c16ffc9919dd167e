import type { ResultOrigin } from '../origins.ts'
import type { ApprovalAsked, Emit, ManifestPlan, ShowLive } from './actor.ts'
import type { DecisionMade, SessionView } from './sessions.ts'

/** What a tool's handler gets besides its arguments. */
export interface ToolContext {
  /** The same when the call has to be run again: for idempotency keys of other services. */
  readonly key: string
  readonly signal: AbortSignal
  readonly session: SessionView
  /** What a peer knows the session by; absent for callers without another name for it. */
  readonly conversationId?: string
  /** Emits a part while the tool runs, such as progress. */
  readonly emit: Emit
  /** Shows text that grows, before it is emitted; absent without viewers. */
  readonly live?: ShowLive
  /** Starts work in parallel to the turn, with works of the actor that calls the tool; absent for a background tool. */
  readonly manifest?: (plan: ManifestPlan) => Promise<string>
  /** Asks an approver while the tool runs; absent for a background tool. Only for idempotent tools. */
  readonly approve?: (request: ApprovalAsked) => Promise<DecisionMade>
  /** Keeps something for the next run of this call; absent for a background tool. */
  readonly note?: (value: unknown) => Promise<void>
  /** What an earlier run of this call has noted. */
  readonly noted?: unknown
  /** The foreign origins of what the turn had seen when the call began: what is kept of it has them. */
  readonly origins?: readonly string[]
  /** Shows something besides the result, the last one counts; absent where the caller shows no surfaces. */
  readonly show?: (shown: ToolShow) => void
}

/** What people see of a call, where the caller shows surfaces; its result is for models. */
export interface ToolShow {
  /** A surface: messages of A2UI. It takes the place of the one before. */
  readonly messages?: readonly unknown[]
  /** What the surface's actions do, by their names. Other actions do nothing. */
  readonly actions?: Readonly<Record<string, ToolAction>>
  /** Why the call failed; shown next to the surface. */
  readonly problem?: string
  /** What the model is told when the user has used the surface. */
  readonly note?: string
}

/** An action of a surface that is a call of a tool. */
export interface ToolAction {
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
  /** The argument that the action's context becomes; it is left out when absent. */
  readonly contextAs?: string
}

/**
 * What hosts may tell their users about a tool's effects, by MCP's names; for a hint that is left out, the worst is
 * assumed.
 */
export interface ToolAnnotations {
  readonly readOnlyHint?: boolean | undefined
  /** False when it only adds something. */
  readonly destructiveHint?: boolean | undefined
  /** True when a second call with the same arguments changes nothing more. */
  readonly idempotentHint?: boolean | undefined
  /** False when it reaches nothing outside of the agent. */
  readonly openWorldHint?: boolean | undefined
}

/** A source that an answer may cite: the data of a citation part, without the path of what it is the source of. */
export interface CitedSource {
  readonly title: string
  readonly url?: string | undefined
  /** The source, when it is an artifact. */
  readonly artifactId?: string | undefined
  readonly quote?: string | undefined
  /** When the source was read, as an ISO date and time. */
  readonly retrievedAt?: string | undefined
}

/** The sources in a tool's result, by the ids that the model cites them by. */
export type Citations<Value = unknown> = (
  // oxlint-disable-next-line typescript/no-explicit-any -- tools of every result type are in one list.
  result: any extends Value ? any : Value,
) => Readonly<Record<string, CitedSource>>

/** A tool as packages hand it to each other: its input is described by a JSON Schema. */
export interface PlainTool {
  readonly name: string
  readonly description: string
  /** Its name for people; made of `name` when left out. */
  readonly title?: string | undefined
  readonly annotations?: ToolAnnotations | undefined
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly handler: (input: unknown, context: ToolContext) => unknown
  readonly idempotent?: boolean | undefined
  readonly timeoutMs?: number | undefined
  readonly requiredScopes?: readonly string[] | undefined
  readonly tags?: readonly string[] | undefined
  /** Where its result is from; the agent's own data when left out. */
  readonly resultOrigin?: ResultOrigin | undefined
  /** What an answer may cite of its result, by the ids that the result has for it. */
  readonly citations?: Citations | undefined
  /** Whose words its description has, such as `mcp:files`, where that is another party. */
  readonly describedBy?: string | undefined
  /** Where it sends what it is given, for the agent's `dataRules`. */
  readonly sendsTo?: string | undefined
  /** Its calls show something: hosts of MCP Apps are told so. */
  readonly shows?: boolean | undefined
  /**
   * True for a value by which the tool says that the call has failed; its caller gets the failure together with the
   * value.
   */
  readonly isFailure?: ((value: unknown) => boolean) | undefined
  /** The conversation that a peer's input says a call belongs to; one that is not the caller's does not count. */
  readonly conversationIn?: ((input: unknown) => string | undefined) | undefined
}
