import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { BeachError, sleep, systemClock, type Clock } from '@cool-ai/beach-core'
import { useRespond } from '../actor/free-text.ts'
import type { ModelPrompt } from './model.ts'

/** What a script can look at: the conversation as the model gets it. */
export interface ScriptContext {
  readonly prompt: ModelPrompt
  /** The last message of the user, in plain text, without content that the user only passes on. */
  readonly text: string
  /** Results of tools since then, by the tool's name; the last one of each. */
  readonly results: ReadonlyMap<string, string>
  /** How many messages the model has sent since then. */
  readonly step: number
}

/** One message of a scripted model. */
export interface ScriptedMessage {
  readonly reasoning?: string | undefined
  /** Free text, outside of any tool. */
  readonly text?: string | undefined
  readonly respond?: unknown
  readonly tools?: readonly { readonly name: string; readonly args: unknown }[] | undefined
}

/** What a scripted model says, and when. */
export interface ScriptRule {
  readonly when?: ((context: ScriptContext) => boolean) | undefined
  readonly say: (context: ScriptContext) => ScriptedMessage
}

/** The rules of a scripted model, and its pace. */
export interface ScriptedModelOptions {
  readonly rules: readonly ScriptRule[]
  /** The pause between two pieces; none by default. */
  readonly pieceMs?: number | undefined
  readonly pieceLength?: number | undefined
  readonly clock?: Clock | undefined
}

/**
 * A deterministic model behind the real interface: the first rule that applies says what it answers, streamed in small
 * pieces. Examples, tests and the demo without a key run through the real loop with it.
 */
export function scriptedModel(options: ScriptedModelOptions): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'scripted',
    modelId: 'scripted',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('The scripted model only streams.')),
    async doStream(call) {
      const context = contextOf(call.prompt)
      const rule = options.rules.find(({ when }) => when === undefined || when(context))
      if (rule === undefined) {
        throw new BeachError('INVALID_CONFIGURATION', `The script has no rule for: ${context.text}`)
      }
      return { stream: toStream(paced(partsOf(rule.say(context), context, options), options, call)) }
    },
  }
}

const ofOthers = /<data origin="others:[^"]*">\n[\s\S]*?\n<\/data>/g

function toStream<Part>(parts: AsyncGenerator<Part>): ReadableStream<Part> {
  return new ReadableStream<Part>({
    async pull(controller) {
      const next = await parts.next()
      if (next.done === true) controller.close()
      else controller.enqueue(next.value)
    },
    async cancel() {
      await parts.return(undefined)
    },
  })
}

async function* paced(
  parts: Iterable<LanguageModelV4StreamPart>,
  { pieceMs = 0, clock = systemClock }: ScriptedModelOptions,
  { abortSignal }: LanguageModelV4CallOptions,
): AsyncGenerator<LanguageModelV4StreamPart> {
  for (const part of parts) {
    abortSignal?.throwIfAborted()
    yield part
    if (pieceMs > 0 && 'delta' in part) await sleep(clock, pieceMs, abortSignal)
  }
}

function* partsOf(
  message: ScriptedMessage,
  context: ScriptContext,
  { pieceLength = 8 }: ScriptedModelOptions,
): Generator<LanguageModelV4StreamPart> {
  const { reasoning, text, respond, tools = [] } = message
  yield { type: 'stream-start', warnings: [] }
  if (reasoning !== undefined) yield* block('reasoning', 'reasoning', reasoning, pieceLength)
  if (text !== undefined) yield* block('text', 'text', text, pieceLength)
  const calls = [...(respond === undefined ? [] : [{ name: 'respond', args: respond }]), ...tools]
  for (const [index, { name, args }] of calls.entries()) {
    yield* toolCall(`call_${context.prompt.length}_${index}`, name, args, pieceLength)
  }
  yield { type: 'finish', usage: usageOf(context.prompt, message), finishReason: finishReason(calls.length > 0) }
}

function* block(kind: 'text' | 'reasoning', id: string, text: string, length: number) {
  yield { type: `${kind}-start`, id } as const
  for (const delta of pieces(text, length)) yield { type: `${kind}-delta`, id, delta } as const
  yield { type: `${kind}-end`, id } as const
}

function* toolCall(id: string, toolName: string, args: unknown, length: number): Generator<LanguageModelV4StreamPart> {
  // A text stands for the malformed JSON of a real model.
  const input = typeof args === 'string' ? args : JSON.stringify(args)
  yield { type: 'tool-input-start', id, toolName }
  for (const delta of pieces(input, length)) yield { type: 'tool-input-delta', id, delta }
  yield { type: 'tool-input-end', id }
  yield { type: 'tool-call', toolCallId: id, toolName, input }
}

function* pieces(text: string, length: number): Generator<string> {
  for (let start = 0; start < text.length; start += length) yield text.slice(start, start + length)
}

function finishReason(calls: boolean) {
  return { unified: calls ? ('tool-calls' as const) : ('stop' as const), raw: undefined }
}

/** About four characters a token, as real models count roughly. */
function usageOf(prompt: ModelPrompt, message: ScriptedMessage) {
  const input = Math.ceil(JSON.stringify(prompt).length / 4)
  const output = Math.ceil(JSON.stringify(message).length / 4)
  return {
    inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: output, text: output, reasoning: 0 },
  }
}

function contextOf(prompt: ModelPrompt): ScriptContext {
  const start = prompt.findLastIndex((message) => message.role === 'user' && textOf(message) !== useRespond)
  const since = prompt.slice(start + 1)
  const results = new Map<string, string>()
  for (const message of since) {
    if (message.role !== 'tool') continue
    for (const part of message.content) {
      if (part.type === 'tool-result' && 'value' in part.output) results.set(part.toolName, unfenced(part.output.value))
    }
  }
  return { prompt, text: textOf(prompt[start]), results, step: since.filter(({ role }) => role === 'assistant').length }
}

function textOf(message: ModelPrompt[number] | undefined): string {
  if (message?.role !== 'user') return ''
  const text = message.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
  return text.replaceAll(ofOthers, '').trim()
}

function unfenced(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return /^<data origin="[^"]*">\n([\s\S]*)\n<\/data>$/.exec(text)?.[1] ?? text
}
