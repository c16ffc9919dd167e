import { defined } from '@cool-ai/beach-core/runtime'
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { readableValue } from './readable-text.ts'

type CallTool = NonNullable<LanguageModelV4CallOptions['tools']>[number]
type CallMessage = LanguageModelV4CallOptions['prompt'][number]

/** A call without hidden characters: in prompts, results, and descriptions of tools. */
export function readableCall(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  const { prompt, tools } = options
  return defined({ ...options, prompt: prompt.map(readableMessage), tools: tools?.map(readableTool) })
}

/** A model's own reasoning goes back as it came, since providers sign it; so do their own options. */
function readableMessage(message: CallMessage): CallMessage {
  if (message.role === 'system') return readableOwn(message)
  const content = message.content.map((part) => (part.type === 'reasoning' ? part : readableOwn(part)))
  return { ...message, content } as CallMessage
}

const schemas = new WeakMap<object, object>()

/** A tool's schema is the same object in every call, and often large: it is read once. */
function readableTool(tool: CallTool): CallTool {
  if (tool.type !== 'function') return readableOwn(tool)
  const { inputSchema, ...rest } = tool
  const known = schemas.get(inputSchema) ?? (readableValue(inputSchema) as object)
  schemas.set(inputSchema, known)
  return { ...readableOwn(rest), inputSchema: known }
}

function readableOwn<Value extends object>(value: Value): Value {
  const { providerOptions, ...own } = value as Value & { readonly providerOptions?: unknown }
  return { ...(readableValue(own) as Value), ...defined({ providerOptions }) }
}
