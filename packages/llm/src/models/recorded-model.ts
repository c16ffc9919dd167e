import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { CutText, RecordedCommit } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import type { Usage } from '../actor/budget.ts'
import type { Answer } from '../actor/delivered-message.ts'
import type { AssistantContent } from './model.ts'
import { ModelFailure, type FailureFacts } from './model-failure.ts'
import { EndlessMessage } from './stream-limits.ts'

/** A call of a model as the log has it. */
interface RecordedModelCall {
  readonly content: AssistantContent
  readonly usage?: Usage | undefined
  readonly model?: string | undefined
  readonly failure?: ModelFailure | undefined
  /** The arguments of calls that were no JSON object, by their ids. */
  readonly unreadable?: Readonly<Record<string, string>> | undefined
  /** Text of a last `respond()` that the record does not have as a whole. */
  readonly cut?: readonly CutText[] | undefined
  /** True when the record does not have its end. */
  readonly isOpen?: true
}

interface Recorded {
  readonly commits: readonly RecordedCommit[]
  readonly cut: readonly CutText[]
}

/** The provider of models that only say again what the record has. */
export const recordedProvider = 'recorded'

/** Says what the model has said in the record, call by call; `lacking` is asked when there is no more. */
export function recordedModel(
  recorded: Recorded,
  lacking: (model: string, signal: AbortSignal) => Promise<never>,
): LanguageModelV4 {
  const calls = callsOf(recorded)
  const state = { modelId: calls.find(({ model }) => model !== undefined)?.model ?? 'recorded' }
  return {
    specificationVersion: 'v4',
    provider: recordedProvider,
    get modelId() {
      return state.modelId
    },
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('A recorded model only streams.')),
    async doStream({ abortSignal = new AbortController().signal }) {
      const call = calls.shift()
      if (call === undefined) return fails(await lacking(state.modelId, abortSignal).catch(notRecorded(abortSignal)))
      state.modelId = call.model ?? state.modelId
      if (call.failure !== undefined && call.content.length === 0) throw call.failure
      return { stream: toStream(call, () => lacking(state.modelId, abortSignal).catch(notRecorded(abortSignal))) }
    },
  }
}

/** That there is no answer is the model's failure, and not one of the replay. */
function notRecorded(signal: AbortSignal): (error: unknown) => never {
  return (error) => {
    signal.throwIfAborted()
    const reason = error instanceof Error ? error.message : 'Not recorded.'
    throw new ModelFailure({ reason }, { retryable: false })
  }
}

function fails(never: never): never {
  return never
}

/** The calls in the order in which they were made, of the steps and notes that they have led to. */
function callsOf({ commits, cut }: Recorded): RecordedModelCall[] {
  const calls: RecordedModelCall[] = []
  let content: AssistantContent = []
  let usage: (Usage & { readonly model?: string }) | undefined
  const take = (more: AssistantContent, about: Omit<RecordedModelCall, 'content'>): void => {
    calls.push(defined({ ...about, content: [...content, ...more] }))
    content = []
  }
  for (const [index, { notes, answer, parts }] of commits.entries()) {
    const isLast = index === commits.length - 1
    for (const { kind, value } of notes) {
      if (kind === 'usage') usage = value as typeof usage
      else if (kind === 'model-message') {
        const said = value as Pick<RecordedModelCall, 'content' | 'unreadable'>
        take(said.content, { usage, model: usage?.model, unreadable: said.unreadable })
      } else if (kind === 'model-error') {
        const isReported = answer === undefined && isLast
        const isPermanent = parts.some(({ metadata }) => metadata.retryable === false)
        take([], { model: usage?.model, failure: failureOf(value as FailureFacts, isReported, isPermanent) })
      }
    }
    const said = answer as Answer | undefined
    if (said?.content === undefined) continue
    if (said.usage === undefined) content = [...content, ...said.content]
    else take(said.content, { usage: said.usage, model: usage?.model })
  }
  if (content.length > 0 || cut.length > 0) take([], { cut, isOpen: true })
  return lastFailureEnds(calls)
}

/** A failure that no further call came after was not tried again. */
function lastFailureEnds(calls: RecordedModelCall[]): RecordedModelCall[] {
  return calls.map((call, index) => {
    const { failure } = call
    if (failure === undefined || index < calls.length - 1) return call
    const { facts, retryable } = failure
    return { ...call, failure: new ModelFailure(facts, { retryable, retryAfter: { ms: Number.MAX_SAFE_INTEGER } }) }
  })
}

function failureOf(noted: FailureFacts, isReported: boolean, isPermanent: boolean): ModelFailure {
  const { attempt: _, ...facts } = noted as FailureFacts & { readonly attempt?: number }
  if (facts.reason.startsWith("The model's message ")) return new EndlessMessage(facts.reason)
  return new ModelFailure(facts, { retryable: !(isReported && isPermanent), retryAfter: { ms: 0 } })
}

function toStream(call: RecordedModelCall, hang: () => Promise<never>): ReadableStream<LanguageModelV4StreamPart> {
  const parts = streamOf(call)
  return new ReadableStream<LanguageModelV4StreamPart>({
    async pull(controller) {
      const next = parts.next()
      if (next.done !== true) controller.enqueue(next.value)
      else if (call.failure !== undefined) throw call.failure
      else if (call.isOpen === true) await hang()
      else controller.close()
    },
  })
}

function* streamOf({ content, cut = [], usage, unreadable = {}, isOpen, failure }: RecordedModelCall) {
  yield { type: 'stream-start', warnings: [] } satisfies LanguageModelV4StreamPart
  for (const [index, part] of content.entries()) yield* blockOf(part, `part_${index}`, unreadable)
  if (cut.length > 0) yield* cutOff(cut)
  if (isOpen === true || failure !== undefined) return
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens = 0 } = usage ?? {}
  const calls = content.some(({ type }) => type === 'tool-call')
  yield {
    type: 'finish',
    usage: {
      inputTokens: {
        total: inputTokens,
        noCache: inputTokens - cachedInputTokens,
        cacheRead: cachedInputTokens,
        cacheWrite: 0,
      },
      outputTokens: { total: outputTokens, text: outputTokens, reasoning: 0 },
    },
    finishReason: { unified: calls ? 'tool-calls' : 'stop', raw: undefined },
  } satisfies LanguageModelV4StreamPart
}

function* blockOf(
  part: AssistantContent[number],
  id: string,
  unreadable: Readonly<Record<string, string>>,
): Generator<LanguageModelV4StreamPart> {
  if (part.type === 'text' || part.type === 'reasoning') {
    yield { type: `${part.type}-start`, id }
    if (part.text !== '') yield { type: `${part.type}-delta`, id, delta: part.text }
    yield defined({ type: `${part.type}-end` as const, id, providerMetadata: part.providerOptions })
  } else if (part.type === 'tool-call') {
    const { toolCallId, toolName, providerOptions: providerMetadata } = part
    const input = unreadable[toolCallId] ?? JSON.stringify(part.input)
    yield { type: 'tool-input-start', id: toolCallId, toolName }
    yield { type: 'tool-input-delta', id: toolCallId, delta: input }
    yield { type: 'tool-input-end', id: toolCallId }
    yield defined({ type: 'tool-call' as const, toolCallId, toolName, input, providerMetadata })
  }
}

/** A `respond()` as far as it was shown. */
function* cutOff(cut: readonly CutText[]): Generator<LanguageModelV4StreamPart> {
  const parts = cut.map(({ partType, text }) => JSON.stringify({ partType, text }))
  const delta = `{"turnState":"awaiting","parts":[${parts.join(',')}`.replace(/"\}$/, '')
  yield { type: 'tool-input-start', id: 'cut', toolName: 'respond' }
  yield { type: 'tool-input-delta', id: 'cut', delta }
}
