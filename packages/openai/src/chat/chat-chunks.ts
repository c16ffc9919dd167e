import type { TokenUsage } from '@cool-ai/beach-core/ports'
import type { AnswerOutcome } from '../answers/answering.ts'
import type { AnswerChange, WrittenItem } from '../answers/answer-writer.ts'

type Json = Readonly<Record<string, unknown>>

/** What is new of an answer as the `delta` of a chunk; undefined for what chat completions have no word for. */
export function deltaOf(change: AnswerChange, calls: number): Json | undefined {
  const { written } = change
  const { item } = written
  switch (change.kind) {
    case 'begin':
      if (item.kind !== 'call') return undefined
      return { tool_calls: [{ index: calls, ...toolCall(written) }] }
    case 'text':
      return { [textMembers[item.kind]]: change.delta }
    case 'source':
      return { annotations: [annotation(change.source.url, change.source.title, textOf(written).length)] }
    case 'end':
      // What was cut off is said again below.
      return written.isWhole || item.kind !== 'text' ? undefined : { content: '\n\n' }
  }
}

const textMembers = { text: 'content', reasoning: 'reasoning_content', refusal: 'refusal', call: 'content' } as const

function toolCall({ item }: WrittenItem): Json {
  if (item.kind !== 'call') return {}
  return { id: item.callId, type: 'function', function: { name: item.name, arguments: item.arguments } }
}

function annotation(url: string, title: string, end: number): Json {
  return { type: 'url_citation', url_citation: { url, title, start_index: 0, end_index: end } }
}

function textOf({ item }: WrittenItem): string {
  return item.kind === 'call' ? '' : item.text
}

/** What was said in an answer, for the next request's history. */
export function contentOf(written: readonly WrittenItem[]): string {
  return written.map((one) => (one.item.kind === 'text' ? textOf(one) + (one.isWhole ? '' : '\n\n') : '')).join('')
}

/** An answer as the message of a chat completion. */
export function messageOf(written: readonly WrittenItem[]): Json {
  const of = (kind: 'reasoning' | 'refusal') =>
    written.map((one) => (one.item.kind === kind ? textOf(one) : '')).join('')
  const calls = written.filter(({ item }) => item.kind === 'call').map(toolCall)
  const content = contentOf(written)
  const sources = written.flatMap(({ item }) => (item.kind === 'text' ? item.sources : []))
  return {
    role: 'assistant',
    content: content === '' ? null : content,
    refusal: of('refusal') || null,
    ...(of('reasoning') !== '' && { reasoning_content: of('reasoning') }),
    annotations: sources.map(({ url, title }) => annotation(url, title, content.length)),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
}

export function finishReason({ kind }: AnswerOutcome): string {
  return kind === 'calls' ? 'tool_calls' : kind === 'cancelled' ? 'length' : 'stop'
}

export function chatUsage({ inputTokens, outputTokens, cachedInputTokens }: TokenUsage): Json {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedInputTokens, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  }
}
