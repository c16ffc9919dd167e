import type { SharedV4ProviderMetadata } from '@ai-sdk/provider'
import type { LiveText } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import { isObject } from '@cool-ai/beach-protocol/json-schema'
import type { AssistantContent, StreamPart } from '../models/model.ts'
import { brokenStream } from '../models/model-failure.ts'
import type { ModelToolCall } from '../tools/plan-tool.ts'
import type { RespondCall } from '../respond/respond-call.ts'
import { RespondCalls, type MakeParser } from './respond-calls.ts'

/** A complete `respond()` call that is next to be delivered. */
export interface ReadyCall {
  readonly toolCallId: string
  readonly call: RespondCall
  /** The model's message up to the end of this call, from the end of the call that was delivered before it. */
  readonly content: AssistantContent
}

/** The rest of a model's message when it has ended: what was not delivered while it arrived. */
export interface ModelStep {
  /** As the next call sends it back to the model. */
  readonly content: AssistantContent
  readonly responds: readonly { readonly toolCallId: string; readonly call: RespondCall }[]
  /** What is wrong with `respond()` calls, by their id. */
  readonly problems: ReadonlyMap<string, string>
  readonly tools: readonly ModelToolCall[]
  /** Text outside of `respond()`. */
  readonly freeText: string
  readonly reasoning: string
  readonly finish: Extract<StreamPart, { type: 'finish' }>
  /** The model that answered, where its provider says so. */
  readonly modelId?: string | undefined
  /** The arguments of calls that are no JSON object, by their ids. */
  readonly unreadable?: Readonly<Record<string, string>> | undefined
}

/** Text or reasoning that is arriving. Its metadata, such as a signature, may come with any piece of it. */
interface Block {
  text: string
  metadata?: SharedV4ProviderMetadata
}

interface PieceOfBlock {
  readonly id: string
  readonly providerMetadata?: SharedV4ProviderMetadata
}

type AssistantPart = AssistantContent[number]
type ToolCallPart = Extract<StreamPart, { type: 'tool-call' }>

/**
 * Reads a model's stream: text of `respond()` is shown while it arrives, and each call is ready when it is complete.
 */
export class StepReader {
  readonly #calls: RespondCalls
  /** In the order in which the model began them. */
  readonly #content: { part: AssistantPart | undefined; readonly toolCallId?: string }[] = []
  readonly #tools: ModelToolCall[] = []
  readonly #blocks = new Map<string, Block>()
  #freeText = ''
  #reasoning = ''
  #finish: ModelStep['finish'] | undefined
  #modelId: string | undefined
  #unreadable: Record<string, string> | undefined

  constructor(makeParser: MakeParser, onText: (text: LiveText) => void) {
    this.#calls = new RespondCalls(makeParser, onText)
  }

  read(part: StreamPart): void {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
        this.#grow(part, '')
        break
      case 'text-delta':
        this.#freeText += part.delta
        this.#grow(part, part.delta)
        break
      case 'reasoning-delta':
        this.#reasoning += part.delta
        this.#grow(part, part.delta)
        break
      case 'text-end':
        this.#add('text', part)
        break
      case 'reasoning-end':
        this.#add('reasoning', part)
        break
      case 'tool-input-start':
        this.#begin(part.id, part.toolName)
        break
      case 'tool-input-delta':
        this.#calls.push(part.id, part.delta)
        break
      case 'tool-call':
        this.#called(part)
        break
      case 'response-metadata':
        this.#modelId = part.modelId
        break
      case 'finish':
        this.#finish = part
        break
      default:
        break
    }
  }

  /** The call that can be delivered now: it is valid, and all before it are delivered. */
  ready(): ReadyCall | undefined {
    const [open] = this.#calls.waiting
    if (open?.ended === undefined || 'problem' in open.ended) return undefined
    const { toolCallId, ended: call } = open
    return { toolCallId, call, content: partsOf(this.#content.slice(0, this.#endOf(toolCallId))) }
  }

  /** The ready call has been delivered. */
  delivered({ toolCallId }: ReadyCall): void {
    this.#content.splice(0, this.#endOf(toolCallId))
    this.#calls.delivered()
  }

  /** The ready call cannot be delivered. */
  refuse({ toolCallId }: ReadyCall, problem: string): void {
    this.#calls.refuse(toolCallId, problem)
  }

  /** What is left, once the stream has ended. */
  end(): ModelStep {
    if (this.#finish === undefined) throw brokenStream()
    const responds: { toolCallId: string; call: RespondCall }[] = []
    const problems = new Map<string, string>()
    for (const { toolCallId, ended } of this.#calls.waiting) {
      if (ended === undefined) continue
      if ('problem' in ended) problems.set(toolCallId, ended.problem)
      else responds.push({ toolCallId, call: ended })
    }
    return {
      content: partsOf(this.#content),
      responds,
      problems,
      tools: this.#tools,
      freeText: this.#freeText.trim(),
      reasoning: this.#reasoning,
      finish: this.#finish,
      modelId: this.#modelId,
      unreadable: this.#unreadable,
    }
  }

  #endOf(toolCallId: string): number {
    return this.#content.findIndex((entry) => entry.toolCallId === toolCallId) + 1
  }

  #begin(toolCallId: string, toolName: string): void {
    // Not every provider says that a call is complete before the message is, but the next one does not begin earlier.
    const last = this.#calls.complete()
    if (last !== undefined) this.#called({ type: 'tool-call', toolName: 'respond', ...last })
    this.#content.push({ toolCallId, part: undefined })
    if (toolName === 'respond') this.#calls.begin(toolCallId)
  }

  #grow({ id, providerMetadata }: PieceOfBlock, delta: string): Block {
    const block = this.#blocks.get(id) ?? { text: '' }
    this.#blocks.set(id, block)
    block.text += delta
    for (const [provider, metadata] of Object.entries(providerMetadata ?? {})) {
      block.metadata = { ...block.metadata, [provider]: { ...block.metadata?.[provider], ...metadata } }
    }
    return block
  }

  /** A block is complete. An id may be used again for the next one. */
  #add(type: 'text' | 'reasoning', end: PieceOfBlock): void {
    const { text, metadata } = this.#grow(end, '')
    this.#blocks.delete(end.id)
    // Reasoning may be nothing but a signature, and text that is nothing is refused by some providers.
    if (text.trim() === '' && (type === 'text' || metadata === undefined)) return
    this.#content.push({ part: defined({ type, text, providerOptions: metadata }) })
  }

  #called({ toolCallId, toolName, input, providerMetadata }: ToolCallPart): void {
    if (this.#calls.hasEnded(toolCallId)) return
    const parsed = parseJson(input)
    if (!isObject(parsed)) this.#unreadable = { ...this.#unreadable, [toolCallId]: input }
    const options = providerMetadata && { providerOptions: providerMetadata }
    // Providers take nothing but objects back.
    const part: AssistantPart = {
      type: 'tool-call',
      toolCallId,
      toolName,
      input: isObject(parsed) ? parsed : {},
      ...options,
    }
    const begun = this.#content.find((entry) => entry.toolCallId === toolCallId)
    if (begun === undefined) this.#content.push({ toolCallId, part })
    else begun.part ??= part
    if (toolName === 'respond') this.#calls.end(toolCallId, input)
    else this.#tools.push({ toolCallId, toolName, input: parsed })
  }
}

/** Without calls of which the model never said the end. */
function partsOf(entries: readonly { readonly part: AssistantPart | undefined }[]): AssistantContent {
  return entries.flatMap(({ part }) => part ?? [])
}

function parseJson(text: string): unknown {
  try {
    return text.trim() === '' ? {} : (JSON.parse(text) as unknown)
  } catch {
    return undefined
  }
}
