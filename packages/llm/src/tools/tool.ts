import type { MergeStrategy, ResultOrigin, SessionView, ToolAnnotations, ToolContext } from '@cool-ai/beach-core'
import type { ApprovalDescription, Citations } from '@cool-ai/beach-core/ports'
import type { z } from 'zod'
import type { JsonSchema } from '@cool-ai/beach-protocol/json-schema'

export type { ToolContext } from '@cool-ai/beach-core'

/** Who must grant a call before it runs. */
export type ApprovalLevel = 'user' | 'admin'

/**
 * What a policy says of a call: it needs no approver, an approver of a level, one only in a turn that has seen foreign
 * content (`tainted`), or is granted by the policy itself.
 */
export type ApprovalNeed = boolean | 'tainted' | ApprovalLevel | { readonly grantedBy: string }

/** How the result of a background tool joins the turn's data. */
export interface BackgroundRule<Input = unknown> {
  /** Where the result stands; a place of its own for each call when left out. */
  readonly slotKey?: string | ((input: Input) => string) | undefined
  readonly mergeStrategy?: MergeStrategy | undefined
  readonly kind?: string | undefined
  /** How long it may take before the turn goes on without it. */
  readonly deadlineMs?: number | undefined
}

/** A tool that actors can call. */
export interface ToolDefinition<Input = unknown, Output = unknown> {
  readonly name: string
  readonly description: string
  readonly inputSchema: z.ZodType<Input> | JsonSchema
  readonly outputSchema?: z.ZodType<Output> | JsonSchema | undefined
  readonly handler: (input: Input, context: ToolContext) => Output | Promise<Output>
  /** True, `tainted`, a level, or a policy that decides by the arguments. */
  readonly requiresApproval?: ApprovalNeed | ((input: Input, session: SessionView) => ApprovalNeed) | undefined
  /**
   * The addresses, numbers or links that a call sends to. In a turn that has seen foreign content an approver is asked about
   * those that neither a user nor the agent's own data has named.
   */
  readonly recipients?: ((input: Input) => string | readonly string[]) | undefined
  /** Where it sends what it is given, for the agent's `dataRules`: `email`, `peer:travel`. */
  readonly sendsTo?: string | undefined
  /**
   * Where its result is from, such as `web`: the turn has seen foreign content then. The agent's own data when left out. A
   * function for a tool whose results differ; the names go on record, so they must say nothing of a person.
   */
  readonly resultOrigin?: ResultOrigin<Output> | undefined
  /**
   * What an answer may cite of its result, by the ids that the result has for it: a citation part that names such an id as
   * its `source` is filled in from here, and one that names another is refused (docs/guides/documents.md).
   */
  readonly citations?: Citations<Output> | undefined
  /** Whose words its description has, such as `mcp:files`, where that is another party. */
  readonly describedBy?: string | undefined
  /** How long an approval may take before it counts as denied. */
  readonly approvalExpiresMs?: number | undefined
  /**
   * What an approver is told of a call, in words. It must say the same each time for the same call and the same data: a
   * grant counts only as long as it does. Without it the approver reads the tool's title, its description, and the titles
   * in its schema.
   */
  readonly approval?:
    | ((
        input: Input,
        session: SessionView,
      ) => ApprovalDescription | undefined | Promise<ApprovalDescription | undefined>)
    | undefined
  /** What the approver should know besides the arguments. */
  readonly approvalNotice?: ((input: Input) => string | undefined) | undefined
  /** True when running it twice with the same key does no harm; then it is run again after a crash. */
  readonly idempotent?: boolean | undefined
  /** True when it must not run in parallel to other calls of the same message. */
  readonly sequential?: boolean | undefined
  readonly requiredScopes?: readonly string[] | undefined
  readonly tags?: readonly string[] | undefined
  /** True when peers may call it themselves, without asking the agent; not for tools that need an approval. */
  readonly peerExposed?: boolean | undefined
  /** Its name for people, such as approvers and users of peers; made of `name` when left out. */
  readonly title?: string | undefined
  /** What peers are told of its effects, where they may call it. */
  readonly annotations?: ToolAnnotations | undefined
  readonly timeoutMs?: number | undefined
  /** The tool runs in parallel to the turn: the model is told that it has begun, and later what came of it. */
  readonly background?: boolean | BackgroundRule<Input> | undefined
}

/** A definition whose input and output types no longer matter. */
// oxlint-disable-next-line typescript/no-explicit-any -- a list of tools holds tools of every type.
export type AnyTool = ToolDefinition<any, any>

/** Names the types of a tool by its schemas. */
export function defineTool<Input, Output>(definition: ToolDefinition<Input, Output>): ToolDefinition<Input, Output> {
  return definition
}
