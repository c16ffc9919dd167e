import type { SharedV4ProviderMetadata } from '@ai-sdk/provider'
import { isBeachError, type LiveText } from '@cool-ai/beach-core'
import { isObject } from '@cool-ai/beach-protocol/json-schema'
import { brokenStream } from '../models/model-failure.ts'
import type { AssistantContent, StreamPart } from '../models/model.ts'
import type { RespondCall } from '../respond/respond-call.ts'
import type { RespondParser } from '../respond/respond-parser.ts'
import type { ModelToolCall } from '../tools/plan-tool.ts'

/** One message of a model, complete and taken apart. */
export interface ModelStep {
  /** As it goes back to the model with the next call. */
  readonly content: AssistantContent
  readonly responds: readonly { readonly toolCallId: string; readonly call: RespondCall }[]
  /** What is wrong with `respond()` calls, by their id. */
  readonly problems: ReadonlyMap<string, string>
  readonly tools: readonly ModelToolCall[]
  /** What was said outside of `respond()`. */
  readonly freeText: string
  readonly reasoning: string
  readonly finish: Extract<StreamPart, { type: 'finish' }>
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

/** Reads a model's stream: text of `respond()` flows out while it arrives, the rest is known when it has ended. */
export class StepReader {
  readonly #calls: RespondCalls
  readonly #content: AssistantContent = []
  readonly #responds: { toolCallId: string; call: RespondCall }[] = []
  readonly #problems = new Map<string, string>()
  readonly #tools: ModelToolCall[] = []
  readonly #blocks = new Map<string, Block>()
  #freeText = ''
  #reasoning = ''
  #finish: ModelStep['finish'] | undefined

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
        if (part.toolName === 'respond') this.#calls.begin(part.id)
        break
      case 'tool-input-delta':
        this.#calls.push(part.id, part.delta)
        break
      case 'tool-call':
        this.#called(part)
        break
      case 'finish':
        this.#finish = part
        break
      default:
        break
    }
  }

  end(): ModelStep {
    if (this.#finish === undefined) throw brokenStream()
    return {
      content: this.#content,
      responds: this.#responds,
      problems: this.#problems,
      tools: this.#tools,
      freeText: this.#freeText.trim(),
      reasoning: this.#reasoning,
      finish: this.#finish,
    }
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
    this.#content.push({ type, text, ...(metadata && { providerOptions: metadata }) })
  }

  #called({ toolCallId, toolName, input, providerMetadata }: Extract<StreamPart, { type: 'tool-call' }>): void {
    const parsed = parseJson(input)
    const options = providerMetadata && { providerOptions: providerMetadata }
    // Providers take nothing but objects back.
    this.#content.push({ type: 'tool-call', toolCallId, toolName, input: isObject(parsed) ? parsed : {}, ...options })
    if (toolName === 'respond') this.#respond(toolCallId, input)
    else this.#tools.push({ toolCallId, toolName, input: parsed })
  }

  #respond(toolCallId: string, input: string): void {
    const call = this.#calls.end(toolCallId, input)
    if ('problem' in call) this.#problems.set(toolCallId, call.problem)
    else this.#responds.push({ toolCallId, call })
  }
}

function parseJson(text: string): unknown {
  try {
    return text.trim() === '' ? {} : (JSON.parse(text) as unknown)
  } catch {
    return undefined
  }
}

type MakeParser = (onText: (text: LiveText) => void) => RespondParser

interface OpenCall {
  readonly id: string
  readonly parser: RespondParser
  input: string
  parts?: number
  /** Text that came before it was certain which place its part will have in the message. */
  held: LiveText[]
}

/** The `respond()` calls of one message while they arrive: text flows out under the place of its part in the message. */
class RespondCalls {
  readonly #makeParser: MakeParser
  readonly #onText: (text: LiveText) => void
  readonly #calls: OpenCall[] = []

  constructor(makeParser: MakeParser, onText: (text: LiveText) => void) {
    this.#makeParser = makeParser
    this.#onText = onText
  }

  begin(id: string): OpenCall {
    // Not every provider says that a call is complete before the message is, but the next one does not begin earlier.
    const last = this.#calls.at(-1)
    if (last !== undefined && last.parts === undefined) this.#count(last, partsIn(last.input))
    const call: OpenCall = { id, parser: this.#makeParser((text) => this.#show(call, text)), input: '', held: [] }
    this.#calls.push(call)
    return call
  }

  push(id: string, delta: string): void {
    const call = this.#find(id)
    if (call === undefined) return
    call.input += delta
    call.parser.push(delta)
  }

  /** The complete call, or what is wrong with it; `input` is all of it, for providers that do not stream it. */
  end(id: string, input: string): RespondCall | { readonly problem: string } {
    const call = this.#find(id) ?? this.begin(id)
    if (call.input === '') this.push(id, input)
    const ended = endOf(call.parser)
    if ('parts' in ended) this.#count(call, ended.parts.length)
    return ended
  }

  #find(id: string): OpenCall | undefined {
    return this.#calls.find((call) => call.id === id)
  }

  #show(call: OpenCall, text: LiveText): void {
    const offset = this.#offset(call)
    if (offset === undefined) call.held.push(text)
    else this.#onText({ ...text, index: text.index + offset })
  }

  /** How many parts stand before the call's own; undefined as long as an earlier call may still grow. */
  #offset(call: OpenCall): number | undefined {
    let offset = 0
    for (const { parts } of this.#calls.slice(0, this.#calls.indexOf(call))) {
      if (parts === undefined) return undefined
      offset += parts
    }
    return offset
  }

  #count(call: OpenCall, parts: number | undefined): void {
    if (call.parts !== undefined || parts === undefined) return
    call.parts = parts
    for (const later of this.#calls) {
      const held = later.held
      later.held = []
      for (const text of held) this.#show(later, text)
    }
  }
}

function endOf(parser: RespondParser): RespondCall | { readonly problem: string } {
  try {
    return parser.end()
  } catch (error) {
    // Our own errors are written for the model; anything else is ours to mend.
    if (!isBeachError(error)) throw error
    return { problem: error.message }
  }
}

function partsIn(input: string): number | undefined {
  try {
    const { parts } = JSON.parse(input) as { parts?: unknown }
    return Array.isArray(parts) ? parts.length : 0
  } catch {
    return undefined
  }
}
