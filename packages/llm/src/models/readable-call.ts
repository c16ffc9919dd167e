import { defined } from '@cool-ai/beach-core/runtime'
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { readableValue } from './readable-text.ts'

type CallMessage = LanguageModelV4CallOptions['prompt'][number]

/** A call without hidden characters: in prompts, results, and descriptions of tools. */
export function readableCall(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  const { prompt, tools } = options
  return defined({ ...options, prompt: prompt.map(readableMessage), tools: tools?.map(readableOwn) })
}

/** A model's own reasoning goes back as it came, since providers sign it; so do their own options. */
function readableMessage(message: CallMessage): CallMessage {
  if (message.role === 'system') return readableOwn(message)
  const content = message.content.map((part) => (part.type === 'reasoning' ? part : readableOwn(part)))
  return { ...message, content } as CallMessage
}

function readableOwn<Value extends object>(value: Value): Value {
  const { providerOptions, ...own } = value as Value & { readonly providerOptions?: unknown }
  return { ...(readableValue(own) as Value), ...defined({ providerOptions }) }
}
