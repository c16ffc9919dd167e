import { isBeachError, type LiveText } from '@cool-ai/beach-core'
import type { RespondCall } from '../respond/respond-call.ts'
import type { RespondParser } from '../respond/respond-parser.ts'

/** Makes a parser for one `respond()` call. */
export type MakeParser = (onText: (text: LiveText) => void) => RespondParser

/** A `respond()` call of a message, as far as it has come. */
interface OpenCall {
  readonly toolCallId: string
  readonly parser: RespondParser
  input: string
  ended?: RespondCall | { readonly problem: string }
  /** Text that came while an earlier call was not delivered. */
  held: LiveText[]
}

/** The `respond()` calls of one message while they arrive. Only one is open: the text of the others waits for its delivery. */
export class RespondCalls {
  readonly #makeParser: MakeParser
  readonly #onText: (text: LiveText) => void
  readonly #calls: OpenCall[] = []
  #delivered = 0

  constructor(makeParser: MakeParser, onText: (text: LiveText) => void) {
    this.#makeParser = makeParser
    this.#onText = onText
  }

  /** The calls that were not delivered, in their order. */
  get waiting(): readonly Pick<OpenCall, 'toolCallId' | 'ended'>[] {
    return this.#calls.slice(this.#delivered)
  }

  begin(toolCallId: string): OpenCall {
    const call: OpenCall = {
      toolCallId,
      parser: this.#makeParser((text) => this.#show(call, text)),
      input: '',
      held: [],
    }
    this.#calls.push(call)
    return call
  }

  push(toolCallId: string, delta: string): void {
    const call = this.#find(toolCallId)
    if (call === undefined || call.ended !== undefined) return
    call.input += delta
    call.parser.push(delta)
  }

  /** The call is complete; `input` is all of it, for providers that do not stream it. */
  end(toolCallId: string, input: string): void {
    const call = this.#find(toolCallId) ?? this.begin(toolCallId)
    if (call.input === '') this.push(toolCallId, input)
    call.ended ??= endOf(call.parser)
  }

  hasEnded(toolCallId: string): boolean {
    return this.#find(toolCallId)?.ended !== undefined
  }

  /** The last call, if all of it has come although its provider has not said so. */
  complete(): { readonly toolCallId: string; readonly input: string } | undefined {
    const last = this.#calls.at(-1)
    return last !== undefined && last.ended === undefined && isJson(last.input) ? last : undefined
  }

  /** The open call has been delivered: the next one is open now. */
  delivered(): void {
    this.#delivered++
    const open = this.#calls[this.#delivered]
    const held = open?.held.splice(0) ?? []
    for (const text of held) this.#onText(text)
  }

  refuse(toolCallId: string, problem: string): void {
    const call = this.#find(toolCallId)
    if (call !== undefined) call.ended = { problem }
  }

  #find(toolCallId: string): OpenCall | undefined {
    return this.#calls.find((call) => call.toolCallId === toolCallId)
  }

  #show(call: OpenCall, text: LiveText): void {
    if (call === this.#calls[this.#delivered]) this.#onText(text)
    else call.held.push(text)
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

function isJson(input: string): boolean {
  try {
    JSON.parse(input)
    return true
  } catch {
    return false
  }
}
