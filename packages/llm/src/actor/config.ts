import {
  BeachError,
  partTypeRegistry,
  systemRuntime,
  turnStates,
  type MergeStrategy,
  type PartTypeRegistry,
  type Runtime,
  type TurnStateRegistry,
} from '@cool-ai/beach-core'
import type { JsonSchema } from '@cool-ai/beach-protocol/json-schema'
import type { z } from 'zod'
import type { Model } from '../models/model.ts'
import type { RetryPolicy } from '../models/retry.ts'
import { checkedLimits, type StreamLimits } from '../models/stream-limits.ts'
import type { Prices } from '../models/usage.ts'
import type { AnyTool } from '../tools/tool.ts'
import { resultSchema, type CheckedSchema } from '../tools/tool-schema.ts'
import { ToolRegistry, type RegisteredTool } from '../tools/tool-registry.ts'
import type { BudgetLimits } from './budget.ts'
import type { ContextBuilder, HistoryWindow } from './prompt.ts'

/** An LLM actor: its model and prompt, its tools, and its limits. */
export interface LlmActorConfig {
  /** Its key in `actors` of `createBeach` when left out. */
  readonly name?: string | undefined
  /** A model, or the id of one that `createModel` makes, such as `anthropic/claude-sonnet-4-5`. */
  readonly model: Model | string
  /** The system prompt, without the rules of `respond()`: those are added. */
  readonly instructions?: string | undefined
  /** The same as `instructions`. */
  readonly prompt?: string | undefined
  /** The tools of this actor, by name when a registry is given, else themselves. */
  readonly tools?: readonly (string | AnyTool)[] | undefined
  readonly toolRegistry?: ToolRegistry | undefined
  readonly budget?: BudgetLimits | undefined
  readonly prices?: Prices | undefined
  readonly retry?: RetryPolicy | undefined
  /** How long the model may be silent, and how large one message of it may be. A stream that stalls is begun anew. */
  readonly streamLimits?: StreamLimits | undefined
  readonly history?: HistoryWindow | undefined
  readonly context?: readonly ContextBuilder[] | undefined
  /**
   * What happens to text outside of `respond()` that the model was told to say again and did not: `strict`, when this is
   * left out, ends the turn with an error; `wrap` takes it as the response.
   */
  readonly freeText?: 'wrap' | 'strict' | undefined
  /** Whether the model's own reasoning is kept in the log (`audit`, never delivered by default) or not at all. */
  readonly reasoning?: 'audit' | 'off' | undefined
  /** Whether the log keeps each call's prompt, shortened, for the inspector; as the agent says when left out, else not. */
  readonly recordPrompts?: boolean | undefined
  /**
   * The result of a turn, as a Zod schema or JSON Schema: an answer has to come with a domain-data part that fits it. The model
   * is told what is wrong and tries again, three times at most (docs/structured-answers.md).
   */
  readonly output?: z.ZodType | JsonSchema | undefined
  /** The `kind` of the result's part, by which listeners and peers know it. */
  readonly outputKind?: string | undefined
  /** What the data of domain-data parts must look like, if there are any; shown to the model and enforced. */
  readonly domainDataSchema?: JsonSchema | undefined
  readonly domainDataMergeStrategy?: MergeStrategy | undefined
  /** The state coordinates, `<component>.<coordinate>`, that this actor may move; any when left out. */
  readonly coordinates?: readonly string[] | undefined
  /** The actors that this one may pass a turn to; all others of its agent when left out. */
  readonly passTo?: readonly string[] | undefined
  /** Asks the provider to force a tool call; models that do not allow it still work without. */
  readonly forceToolUse?: boolean | undefined
  readonly maxOutputTokens?: number | undefined
  readonly temperature?: number | undefined
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, JsonValue>>>> | undefined
  readonly partTypes?: PartTypeRegistry | undefined
  readonly turnStates?: TurnStateRegistry | undefined
  readonly runtime?: Runtime | undefined
}

type JsonValue = null | string | number | boolean | JsonValue[] | { [key: string]: JsonValue | undefined }

/** A configuration with all defaults filled in. */
export interface LlmActorContext extends LlmActorConfig {
  readonly name: string
  readonly prompt: string
  readonly partTypes: PartTypeRegistry
  readonly turnStates: TurnStateRegistry
  readonly runtime: Runtime
  readonly toolsByName: ReadonlyMap<string, RegisteredTool>
  /** The check of `output`, whose JSON Schema is `domainDataSchema` then. */
  readonly result?: CheckedSchema | undefined
}

/** Fills in defaults, and fails now on what would fail in a conversation. */
export function completeConfig(config: LlmActorConfig): LlmActorContext {
  const { name = 'actor', instructions: prompt = config.prompt } = config
  if (prompt === undefined) throw new BeachError('INVALID_CONFIGURATION', `The actor '${name}' has no instructions.`)
  const given = config.tools ?? []
  const registry = config.toolRegistry ?? new ToolRegistry()
  const own = new ToolRegistry(given.filter((tool): tool is AnyTool => typeof tool !== 'string'))
  const tools = given.flatMap((tool) => {
    return typeof tool === 'string' ? registry.select([tool], name) : own.select([tool.name], name)
  })
  const result = checkedResult(config, name)
  return {
    ...config,
    ...(result && { result, domainDataSchema: result.jsonSchema }),
    name,
    prompt,
    streamLimits: checkedLimits(config.streamLimits),
    partTypes: config.partTypes ?? partTypeRegistry,
    turnStates: config.turnStates ?? turnStates,
    runtime: config.runtime ?? systemRuntime(),
    toolsByName: new Map(tools.map((tool) => [tool.definition.name, tool])),
  }
}

function checkedResult(
  { output, outputKind, domainDataSchema }: LlmActorConfig,
  name: string,
): CheckedSchema | undefined {
  if (output !== undefined && domainDataSchema !== undefined) {
    const message = `The actor '${name}' has \`output\` and \`domainDataSchema\`. Give \`output\` alone: it is checked the same way, and required.`
    throw new BeachError('INVALID_CONFIGURATION', message)
  }
  if (output !== undefined) return resultSchema(output, `The output of the actor '${name}'`)
  if (outputKind === undefined) return undefined
  throw new BeachError(
    'INVALID_CONFIGURATION',
    `The actor '${name}' has an \`outputKind\`, but no \`output\` of that kind.`,
  )
}
