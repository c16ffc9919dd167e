import { timeOfId } from '@cool-ai/beach-core/runtime'
import type { TokenUsage } from '@cool-ai/beach-core/ports'
import { beachOf } from '../answers/answer.ts'
import { responseId, type AnswerRef } from '../answers/answer-ref.ts'
import type { Answering, AnswerOutcome } from '../answers/answering.ts'
import type { AnswerSource } from '../answers/answer-item.ts'
import type { WrittenItem } from '../answers/answer-writer.ts'

export type Json = Readonly<Record<string, unknown>>

/** What a request has said that its response says again. */
export interface ResponseEcho {
  readonly model: string
  readonly instructions?: string | null | undefined
  readonly tools?: readonly unknown[] | null | undefined
  readonly text?: unknown
  readonly toolChoice?: unknown
  readonly metadata?: Readonly<Record<string, string>> | null | undefined
  readonly previous?: string | null | undefined
}

/** A response as it stands. */
export function responseObject({
  answering,
  echo,
  usage,
}: {
  readonly answering: Answering
  readonly echo: ResponseEcho
  readonly usage: TokenUsage | undefined
}): Json {
  const { plan, writer, outcome, answer } = answering
  const status = statusOf(outcome, answer.turnId !== undefined)
  const output = writer.written.map((written) => outputItem(written))
  return {
    ...emptyResponse(plan.answer, echo, status),
    error: outcome.kind === 'failed' ? { code: 'server_error', message: outcome.message } : null,
    output,
    usage: usage === undefined ? null : responseUsage(usage),
    beach: beachOf(answer, plan.place.session),
  }
}

/** A response of which nothing has been said. */
export function emptyResponse(ref: AnswerRef, echo: ResponseEcho, status: string): Json {
  const id = 'messageId' in ref.of ? ref.of.messageId : ref.of.turnId
  return {
    id: responseId(ref),
    object: 'response',
    created_at: Math.floor((timeOfId(id) ?? 0) / 1_000),
    status,
    background: ref.isDetached,
    error: null,
    incomplete_details: null,
    instructions: echo.instructions ?? null,
    max_output_tokens: null,
    model: echo.model,
    output: [],
    parallel_tool_calls: true,
    previous_response_id: echo.previous ?? null,
    conversation: { id: `conv_${ref.session.slice(5)}` },
    reasoning: { effort: null, summary: null },
    store: ref.isStored,
    temperature: null,
    text: echo.text ?? { format: { type: 'text' } },
    tool_choice: echo.toolChoice ?? 'auto',
    tools: echo.tools ?? [],
    top_p: null,
    truncation: 'disabled',
    usage: null,
    user: null,
    metadata: echo.metadata ?? {},
  }
}

function statusOf({ kind }: AnswerOutcome, hasTurn: boolean): string {
  if (kind === 'calls') return 'completed'
  if (kind === 'running') return hasTurn ? 'in_progress' : 'queued'
  return kind
}

/** An item as it was sent; with `isOpen`, as it begins. */
export function outputItem(written: WrittenItem, isOpen = false): Json {
  const { item, isWhole } = written
  const id = itemId(written)
  const status = isOpen ? 'in_progress' : isWhole ? 'completed' : 'incomplete'
  switch (item.kind) {
    case 'call': {
      const { callId: call_id, name, arguments: args } = item
      return { id, type: 'function_call', call_id, name, arguments: isOpen ? '' : args, status }
    }
    case 'reasoning':
      return { id, type: 'reasoning', summary: isOpen ? [] : [summaryPart(item.text)], status }
    default:
      return { id, type: 'message', role: 'assistant', content: isOpen ? [] : [contentPart(written)], status }
  }
}

export function itemId({ item: { key, kind }, version }: WrittenItem): string {
  const prefix = kind === 'call' ? 'fc' : kind === 'reasoning' ? 'rs' : 'msg'
  const name = key.replaceAll(/[^A-Za-z0-9]/g, '-')
  return `${prefix}_${name}${version > 1 ? `-${version}` : ''}`
}

export function summaryPart(text: string): Json {
  return { type: 'summary_text', text }
}

export function contentPart({ item }: WrittenItem): Json {
  if (item.kind === 'call') return {}
  if (item.kind === 'refusal') return { type: 'refusal', refusal: item.text }
  const annotations = item.sources.map((source) => annotationOf(source, item.text.length))
  return { type: 'output_text', text: item.text, annotations, logprobs: [] }
}

export function annotationOf({ url, title }: AnswerSource, end: number): Json {
  return { type: 'url_citation', url, title, start_index: 0, end_index: end }
}

function responseUsage({ inputTokens, outputTokens, cachedInputTokens }: TokenUsage): Json {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedInputTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + outputTokens,
  }
}
