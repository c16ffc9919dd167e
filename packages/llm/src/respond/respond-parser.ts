import { BeachError, type LiveText, type Part } from '@cool-ai/beach-core'
import { withDefaults } from '@cool-ai/beach-core/runtime'
import { checkRespond } from './check-respond.ts'
import { jsonLimits, JsonReader, type JsonLimits } from './json-reader.ts'
import { LiveTextWatcher } from './live-text.ts'
import type { RespondCall } from './respond-call.ts'
import { isReserved, type RespondOptions } from './respond-options.ts'

/** The events of a complete call of `respond()`, in order: each part, then the turn's new state. */
export type RespondEvent =
  | {
      readonly type: 'partReceived'
      readonly part: Part
      readonly partType: string
      readonly turnState: string
      /** The place of the part in its call. */
      readonly index: number
    }
  | { readonly type: 'turnStateChanged'; readonly turnState: string; readonly passTo?: string | undefined }

/** How a parser reads a call, and where its events go. */
export interface RespondParserOptions extends RespondOptions {
  /** Shown at once, and void when the call fails. */
  readonly onText?: ((text: LiveText) => void) | undefined
  /** Called only for calls that are valid as a whole. */
  readonly onEvent?: ((event: RespondEvent) => void) | undefined
  readonly limits?: Partial<JsonLimits> | undefined
}

/**
 * Reads one call of `respond()` while its JSON text arrives. Text is shown at once; the call itself is atomic: its
 * parts and state exist only when `end` has found nothing wrong with it.
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
    this.#live = new LiveTextWatcher({
      isTurnState: (name) => typeof name === 'string' && turnStates.has(name),
      streamsText: (partType) =>
        partTypes.get(partType)?.deliveryRules.streaming === 'delta' && !isReserved(partType, options),
    })
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
    // Outside the try: an error of the listener is not an error of the call.
    for (const text of this.#live.take()) this.#options.onText?.(text)
  }

  /** The call, after its events have been emitted; throws when it is malformed, truncated or refused. */
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
    onEvent({ type: 'turnStateChanged', turnState, passTo })
  }
}
