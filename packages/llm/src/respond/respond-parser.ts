import { BeachError, type LiveText, type Part } from '@cool-ai/beach-core'
import { withDefaults } from '@cool-ai/beach-core/runtime'
import { checkRespond } from './check-respond.ts'
import type { JsonPath, JsonWatcher } from './json-builder.ts'
import { jsonLimits, JsonReader, type JsonLimits } from './json-reader.ts'
import type { TextSink } from './json-string.ts'
import type { RespondCall } from './respond-call.ts'
import { isReserved, type RespondOptions } from './respond-options.ts'

/** What a complete call of `respond()` comes to, in order: each part, then the state that the turn is in with them. */
export type RespondEvent =
  | {
      readonly type: 'partReceived'
      readonly part: Part
      readonly partType: string
      readonly turnState: string
      readonly index: number
    }
  | { readonly type: 'turnStateChanged'; readonly turnState: string; readonly passTo?: string }

/** How a parser reads a call, and who is told of it. */
export interface RespondParserOptions extends RespondOptions {
  /** Shown at once, and void when the call fails. */
  readonly onText?: ((text: LiveText) => void) | undefined
  /** Told only of calls that are right as a whole. */
  readonly onEvent?: ((event: RespondEvent) => void) | undefined
  readonly limits?: Partial<JsonLimits> | undefined
}

/**
 * Reads one call of `respond()` while its JSON text arrives. Text flows at once; the call itself is atomic, so parts and
 * state are there only when `end` has found nothing wrong with all of it.
 */
export class RespondParser {
  readonly #options: RespondParserOptions
  readonly #live: LiveTextWatcher
  readonly #reader: JsonReader
  #failure: BeachError | undefined
  #call: RespondCall | undefined

  constructor(options: RespondParserOptions) {
    const { partTypes, turnStates, limits } = options
    this.#options = options
    const rules = {
      isTurnState: (name: string) => turnStates.has(name),
      streamsText: (partType: string) =>
        partTypes.get(partType)?.deliveryRules.streaming === 'delta' && !isReserved(partType, options),
    }
    this.#live = new LiveTextWatcher(rules)
    this.#reader = new JsonReader(withDefaults(jsonLimits, limits), this.#live)
  }

  /** Why the call has failed, as soon as it is known. */
  get failure(): BeachError | undefined {
    return this.#failure
  }

  /** Reads on. Once the call has failed the rest of it is ignored, and `end` says why. */
  push(delta: string): void {
    if (this.#failure !== undefined) return
    try {
      this.#reader.push(delta)
    } catch (error) {
      this.#fail(error)
      return
    }
    // Outside the try: an error of the listener's is none of the call's.
    for (const text of this.#live.take()) this.#options.onText?.(text)
  }

  /** The call, after its events have been told; throws when it is malformed, truncated or refused. */
  end(): RespondCall {
    if (this.#call !== undefined) return this.#call
    const call = this.#checkedCall()
    this.#call = call
    this.#tell(call)
    return call
  }

  #checkedCall(): RespondCall {
    if (this.#failure !== undefined) throw this.#failure
    try {
      return checkRespond(this.#reader.end(), this.#options)
    } catch (error) {
      this.#fail(error)
      throw error
    }
  }

  #fail(error: unknown): void {
    if (!(error instanceof BeachError)) throw error
    this.#failure = error
  }

  #tell({ turnState, passTo, parts }: RespondCall): void {
    const { onEvent } = this.#options
    if (onEvent === undefined) return
    for (const [index, part] of parts.entries()) {
      onEvent({ type: 'partReceived', part, partType: part.metadata.partType, turnState, index })
    }
    onEvent({ type: 'turnStateChanged', turnState, ...(passTo !== undefined && { passTo }) })
  }
}

/** What is asked about names that a call brings, while it arrives. */
interface LiveTextRules {
  isTurnState(name: string): boolean
  /** True when listeners may see the text of such a part grow. */
  streamsText(partType: string): boolean
}

interface OpenPart {
  partType?: string
  unsaid?: string
  /** A repeated `text` replaces the first; what was shown of that cannot be unsaid here, so only the first is shown. */
  hasText: boolean
}

/**
 * Shows the text of parts while their call arrives: never before the turn state and the part's type are known, and
 * never half a surrogate pair. Whatever order the keys come in, the deltas of a part add up to its text.
 */
class LiveTextWatcher implements JsonWatcher {
  readonly #rules: LiveTextRules
  #stateIsKnown = false
  /** A repeated `parts` replaces the first, whose text has been shown. */
  #partsAreRead = false
  #part: OpenPart = { hasText: false }
  #held: LiveText[] = []
  #said: LiveText[] = []
  /** Text of the part that is flowing, of which this much was read and not yet shown. */
  #flowing: { readonly index: number; readonly partType: string; unsaid: string } | undefined

  constructor(rules: LiveTextRules) {
    this.#rules = rules
  }

  string(path: JsonPath): TextSink | undefined {
    if (path.length !== 3 || path[2] !== 'text') return undefined
    const index = this.#indexOf(path)
    const { partType, hasText } = this.#part
    if (index === undefined || partType === undefined || hasText) return undefined
    if (!this.#stateIsKnown || !this.#rules.streamsText(partType)) return undefined
    const flowing = { index, partType, unsaid: '' }
    this.#flowing = flowing
    return (piece) => {
      flowing.unsaid += piece
    }
  }

  value(path: JsonPath, value: unknown): void {
    if (path.length === 1) return this.#readMember(path[0], value)
    if (path.length === 0 || path.length > 4) return
    const index = this.#indexOf(path)
    if (index !== undefined) this.#readOfPart(path, index, value)
  }

  /** What may be shown of all that was read since the last time. */
  take(): readonly LiveText[] {
    if (this.#flowing !== undefined) {
      const { unsaid } = this.#flowing
      const end = endsInHalfPair(unsaid) ? unsaid.length - 1 : unsaid.length
      this.#flowing.unsaid = unsaid.slice(end)
      this.#say(this.#flowing.index, this.#flowing.partType, unsaid.slice(0, end))
    }
    const said = this.#said
    if (said.length > 0) this.#said = []
    return said
  }

  #readMember(key: string | number | undefined, value: unknown): void {
    if (key === 'parts') this.#partsAreRead = true
    if (key !== 'turnState' && key !== 'conversationState') return
    if (this.#stateIsKnown || typeof value !== 'string' || !this.#rules.isTurnState(value)) return
    this.#stateIsKnown = true
    for (const { index, partType, delta } of this.#held) this.#say(index, partType, delta)
    this.#held = []
  }

  #readOfPart(path: JsonPath, index: number, value: unknown): void {
    const [, , member, tag] = path
    if (path.length === 2) this.#part = { hasText: false }
    else if (path.length === 3 && member === 'text') this.#readText(index, value)
    else if (path.length === 3 ? member === 'partType' : member === 'metadata' && tag === 'partType') {
      if (typeof value === 'string') this.#part.partType ??= value
      this.#release(index)
    }
  }

  #readText(index: number, value: unknown): void {
    if (this.#flowing !== undefined) {
      this.#say(index, this.#flowing.partType, this.#flowing.unsaid)
      this.#flowing = undefined
    } else if (!this.#part.hasText && typeof value === 'string') {
      this.#part.unsaid = value
      this.#release(index)
    }
    this.#part.hasText = true
  }

  /** Shows the part's text when its type is known, or holds it until the turn state is. */
  #release(index: number): void {
    const { partType, unsaid } = this.#part
    if (partType === undefined || unsaid === undefined) return
    delete this.#part.unsaid
    if (!this.#rules.streamsText(partType)) return
    if (this.#stateIsKnown) this.#say(index, partType, unsaid)
    else this.#held.push({ index, partType, delta: unsaid })
  }

  #say(index: number, partType: string, delta: string): void {
    if (delta !== '') this.#said.push({ index, partType, delta })
  }

  #indexOf([member, index]: JsonPath): number | undefined {
    return !this.#partsAreRead && member === 'parts' && typeof index === 'number' ? index : undefined
  }
}

function endsInHalfPair(text: string): boolean {
  const last = text.charCodeAt(text.length - 1)
  return last >= 0xd800 && last <= 0xdbff
}
