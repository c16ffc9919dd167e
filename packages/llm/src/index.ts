export { checkRespond } from './respond/check-respond.ts'
export type { JsonLimits } from './respond/json-reader.ts'
export type { JsonSchema } from '@cool-ai/beach-protocol/json-schema'
export type { RespondCall } from './respond/respond-call.ts'
export type { RespondOptions } from './respond/respond-options.ts'
export { RespondParser, type RespondEvent, type RespondParserOptions } from './respond/respond-parser.ts'
export { respondToolSnippet } from './respond/snippet.ts'
export { respondTool, respondToolSchemaVersion, type RespondTool } from './respond/respond-tool.ts'
export type { BudgetLimits, Usage } from './actor/budget.ts'
export type { LlmActorConfig, LlmActorConfig as LLMHandlerConfig } from './actor/config.ts'
export { fenced } from './actor/fence.ts'
export { llmActor, type LlmActor } from './actor/llm-actor.ts'
export type { ContextBuilder, HistoryWindow, SessionFact } from './actor/prompt.ts'
export { createModel, type ImportPackage } from './models/create-model.ts'
export type { Model } from './models/model.ts'
export type { RetryPolicy } from './models/retry.ts'
export type { StreamLimits } from './models/stream-limits.ts'
export {
  scriptedModel,
  type ScriptContext,
  type ScriptedMessage,
  type ScriptedModelOptions,
  type ScriptRule,
} from './models/scripted-model.ts'
export { textModel } from './models/text-model.ts'
export type { Prices } from './models/usage.ts'
export {
  defineTool,
  type AnyTool,
  type ApprovalLevel,
  type ApprovalNeed,
  type ToolContext,
  type ToolDefinition,
} from './tools/tool.ts'
export { exposedTools } from './tools/exposed-tools.ts'
export { ToolRegistry, type RegisteredTool } from './tools/tool-registry.ts'
export { checkedSchema, type CheckedSchema } from './tools/tool-schema.ts'
