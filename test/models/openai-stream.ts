import { createModel } from '@cool-ai/beach-llm'
import { inputText, pieces, type Asked, type Block, type MessageOptions, type Wire } from './wire.ts'

interface SentMessage {
  readonly role: string
  readonly content?: string | null
  readonly reasoning_content?: string
  readonly tool_call_id?: string
  readonly tool_calls?: readonly {
    readonly id: string
    readonly function: { readonly name: string; readonly arguments: string }
  }[]
}

interface SentBody {
  readonly tools?: readonly { readonly function: { readonly name: string; readonly parameters: unknown } }[]
  readonly tool_choice?: string
  readonly messages: readonly SentMessage[]
}

const head = { id: 'chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6PeG', object: 'chat.completion.chunk', created: 1_741_570_283 }
const model = 'some-model'

/** A chunk of a chat completion. */
export function openAiChunk(delta: unknown, finish_reason: string | null = null): string {
  return openAiData({ ...head, model, choices: [{ index: 0, delta, logprobs: null, finish_reason }] })
}

/** Any data that the stream brings. */
export function openAiData(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`
}

export const done = 'data: [DONE]\n\n'

/** The chat completions API of OpenAI and of all who copy it, as it streams. */
export const openAiWire: Wire = {
  name: 'openai-compatible',
  overloaded: 503,
  ending: 3,
  model: (settings) => createModel(`openai-compatible/${model}`, { ...settings }),
  message,
  error: (type, text) => ({ error: { message: text, type, param: null, code: null } }),
  errorEvent: (type, text) => openAiData({ error: { message: text, type, param: null, code: null } }),
  asked,
}

function message(blocks: readonly Block[], options: MessageOptions = {}): string[] {
  const { usage = { input: 10, output: 5 }, pieceLength = 7 } = options
  const tools = blocks.filter((block) => 'tool' in block)
  return [
    openAiChunk({ role: 'assistant', content: '', refusal: null }),
    ...blocks
      .flatMap((block) => blockDeltas(block, tools.indexOf(block as never), pieceLength))
      .map((delta) => openAiChunk(delta)),
    openAiChunk({}, options.stop ?? (tools.length > 0 ? 'tool_calls' : 'stop')),
    openAiData({ ...head, model, choices: [], usage: usageChunk(usage) }),
    done,
  ]
}

function usageChunk({ input, cached = 0, written = 0, output }: NonNullable<MessageOptions['usage']>) {
  const prompt = input + cached + written
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: 0 },
  }
}

function blockDeltas(block: Block, index: number, length: number): unknown[] {
  if ('text' in block) return pieces(block.text, length).map((content) => ({ content }))
  if ('reasoning' in block) {
    return pieces(block.reasoning, length).map((reasoning_content) => ({ reasoning_content }))
  }
  if ('redacted' in block) return []
  return [
    { tool_calls: [{ index, id: block.id, type: 'function', function: { name: block.tool, arguments: '' } }] },
    ...pieces(inputText(block.input), length).map((piece) => ({
      tool_calls: [{ index, function: { arguments: piece } }],
    })),
  ]
}

function asked(body: Readonly<Record<string, unknown>>): Asked {
  const { tools = [], tool_choice: choice, messages } = body as unknown as SentBody
  const contentOf = (role: string) => messages.flatMap((sent) => (sent.role === role ? [sent.content ?? ''] : []))
  const results = messages.flatMap(({ tool_call_id: id, content }) => (id === undefined ? [] : [[id, content ?? '']]))
  return {
    system: contentOf('system').join(''),
    tools: tools.map(({ function: { name, parameters } }) => ({ name, schema: parameters })),
    forced: choice === 'required',
    results: Object.fromEntries(results) as Record<string, string>,
    reasoning: messages.flatMap(({ reasoning_content: text }) => (text === undefined ? [] : [{ text }])),
    user: contentOf('user'),
    calls: messages
      .flatMap((sent) => sent.tool_calls ?? [])
      .map(({ id, function: called }) => ({ id, name: called.name, input: JSON.parse(called.arguments) as unknown })),
  }
}
