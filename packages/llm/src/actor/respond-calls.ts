import { isBeachError, type LiveText } from '@cool-ai/beach-core'
import type { RespondCall } from '../respond/respond-call.ts'
import type { RespondParser } from '../respond/respond-parser.ts'

/** Makes a parser for one `respond()` call. */
export type MakeParser = (onText: (text: LiveText) => void) => RespondParser

interface OpenCall {
  readonly id: string
  readonly parser: RespondParser
  input: string
  /** How many parts the call has, once that is certain. */
  parts?: number
  /** Text that came before it was certain which place its part will have in the message. */
  held: LiveText[]
}

/** The `respond()` calls of one message while they arrive: text flows out under the place of its part in the message. */
export class RespondCalls {
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

/** How many parts a call has; undefined when its text is not complete. */
function partsIn(input: string): number | undefined {
  try {
    const { parts } = JSON.parse(input) as { parts?: unknown }
    return Array.isArray(parts) ? parts.length : 0
  } catch {
    return undefined
  }
}
