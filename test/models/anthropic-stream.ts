import { createModel } from '@cool-ai/beach-llm'
import { inputText, pieces, type Asked, type Block, type MessageOptions, type Wire } from './wire.ts'

interface SentBlock {
  readonly type: string
  readonly text?: string
  readonly id?: string
  readonly name?: string
  readonly input?: unknown
  readonly tool_use_id?: string
  readonly content?: string | readonly SentBlock[]
  readonly thinking?: string
  readonly signature?: string
  readonly data?: string
}

interface SentBody {
  readonly system?: readonly SentBlock[]
  readonly tools?: readonly { readonly name: string; readonly input_schema: unknown }[]
  readonly tool_choice?: { readonly type: string }
  readonly messages: readonly { readonly role: string; readonly content: readonly SentBlock[] }[]
}

/** An event of the Messages API. */
export function anthropicEvent(data: { readonly type: string; readonly [key: string]: unknown }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
}

export const ping = anthropicEvent({ type: 'ping' })

/** The Messages API of Anthropic, as it streams. */
export const anthropicWire: Wire = {
  name: 'anthropic',
  overloaded: 529,
  ending: 2,
  model: (settings) => createModel('anthropic/claude-sonnet-4-5', { ...settings }),
  message,
  error: (type, text) => ({
    type: 'error',
    error: { type, message: text },
    request_id: 'req_011CSHoEeqs5C35K2UUqR7Fy',
  }),
  errorEvent: (type, text) => anthropicEvent({ type: 'error', error: { type, message: text } }),
  asked,
}

function message(blocks: readonly Block[], options: MessageOptions = {}): string[] {
  const { usage = { input: 10, output: 5 }, pieceLength = 7 } = options
  const calls = blocks.some((block) => 'tool' in block)
  return [
    anthropicEvent({
      type: 'message_start',
      message: {
        id: 'msg_01XFDUDYJgAACzvnptvVoYEL',
        type: 'message',
        role: 'assistant',
        model: 'claude-sonnet-4-5-20250929',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: {
          input_tokens: usage.input,
          cache_creation_input_tokens: usage.written ?? 0,
          cache_read_input_tokens: usage.cached ?? 0,
          output_tokens: 1,
          service_tier: 'standard',
        },
      },
    }),
    ping,
    ...blocks.flatMap((block, index) => blockEvents(block, index, pieceLength)),
    anthropicEvent({
      type: 'message_delta',
      delta: { stop_reason: options.stop ?? (calls ? 'tool_use' : 'end_turn'), stop_sequence: null },
      usage: { output_tokens: usage.output },
    }),
    anthropicEvent({ type: 'message_stop' }),
  ]
}

function blockEvents(block: Block, index: number, length: number): string[] {
  const { start, deltas } = blockBody(block, length)
  return [
    anthropicEvent({ type: 'content_block_start', index, content_block: start }),
    ...deltas.map((delta) => anthropicEvent({ type: 'content_block_delta', index, delta })),
    anthropicEvent({ type: 'content_block_stop', index }),
  ]
}

function blockBody(block: Block, length: number): { start: unknown; deltas: unknown[] } {
  if ('text' in block) {
    const deltas = pieces(block.text, length).map((text) => ({ type: 'text_delta', text }))
    return { start: { type: 'text', text: '' }, deltas }
  }
  if ('reasoning' in block) {
    const thoughts = pieces(block.reasoning, length).map((thinking) => ({ type: 'thinking_delta', thinking }))
    const signature = { type: 'signature_delta', signature: block.signature ?? 'unsigned' }
    return { start: { type: 'thinking', thinking: '', signature: '' }, deltas: [...thoughts, signature] }
  }
  if ('redacted' in block) return { start: { type: 'redacted_thinking', data: block.redacted }, deltas: [] }
  // The first delta of a call is empty.
  const deltas = ['', ...pieces(inputText(block.input), length)].map((piece) => ({
    type: 'input_json_delta',
    partial_json: piece,
  }))
  return { start: { type: 'tool_use', id: block.id, name: block.tool, input: {} }, deltas }
}

function asked(body: Readonly<Record<string, unknown>>): Asked {
  const { system = [], tools = [], tool_choice: choice, messages } = body as unknown as SentBody
  const blocks = messages.flatMap(({ role, content }) => content.map((block) => ({ role, ...block })))
  const ofType = (type: string) => blocks.filter((block) => block.type === type)
  return {
    system: textOf(system),
    tools: tools.map(({ name, input_schema: schema }) => ({ name, schema })),
    forced: choice?.type === 'any',
    results: Object.fromEntries(
      ofType('tool_result').map((block) => [block.tool_use_id, textOf(block.content ?? '')]),
    ) as Record<string, string>,
    reasoning: blocks.flatMap(({ type, thinking = '', signature = '', data = '' }): Record<string, string>[] => {
      if (type === 'thinking') return [{ text: thinking, signature }]
      return type === 'redacted_thinking' ? [{ redacted: data }] : []
    }),
    user: ofType('text').flatMap(({ role, text = '' }) => (role === 'user' ? [text] : [])),
    calls: ofType('tool_use').map(({ id = '', name = '', input }) => ({ id, name, input })),
  }
}

function textOf(content: string | readonly SentBlock[]): string {
  return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('')
}
