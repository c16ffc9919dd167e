import { BeachError, systemClock, type Clock } from '@cool-ai/beach-core'
import { elapsed } from '@cool-ai/beach-core/runtime'
import { ModelFailure } from './model-failure.ts'
import type { StreamPart } from './model.ts'

/** How long a model's stream may be silent, and how large it may be. */
export interface StreamLimits {
  /** How long the first piece may take, which some models think long about; 2 minutes when left out. */
  readonly firstPieceMs?: number | undefined
  /** How long the stream may be silent between two pieces; pieces without content count as silence. A minute when left out. */
  readonly idleMs?: number | undefined
  /** The most that one message may be, with its reasoning and the arguments of its calls; 4 MB when left out. */
  readonly maxBytes?: number | undefined
}

/** The limits of one call. */
export interface StreamBounds extends StreamLimits {
  readonly clock?: Clock
  /** The tokens that the message may take, as far as they can be told from its length before the provider counts them. */
  readonly maxTokens?: number
}

const defaultStreamLimits = { firstPieceMs: 120_000, idleMs: 60_000, maxBytes: 4_000_000 } as const

// Few tokens are longer; a message that has more bytes per token is over the limit nevertheless.
const bytesPerToken = 16
const maxEmptyPieces = 10_000
// Each costs far more memory than its few bytes.
const maxBlocks = 1_000

/** A message that does not end within its limits. A retry would only cost as much again. */
export class EndlessMessage extends ModelFailure {
  constructor(reason: string) {
    super({ reason }, { retryable: false })
  }
}

/** Watches one stream: its signal aborts when the stream is silent for too long, `saw` throws when it is too large. */
export class StreamWatch {
  readonly signal: AbortSignal
  readonly #bounds: StreamBounds
  readonly #clock: Clock
  readonly #stalled = new AbortController()
  readonly #streamed = new Map<string, number>()
  #allowedMs: number
  #lastAt: number
  #hasBegun = false
  #bytes = 0
  #emptyPieces = 0
  #begun = 0
  #calls = 0
  #cancel = () => {}

  constructor(bounds: StreamBounds, caller?: AbortSignal) {
    this.#bounds = bounds
    this.#clock = bounds.clock ?? systemClock
    this.#lastAt = elapsed(this.#clock)
    this.#allowedMs = bounds.firstPieceMs ?? defaultStreamLimits.firstPieceMs
    const { signal } = this.#stalled
    this.signal = caller === undefined ? signal : AbortSignal.any([caller, signal])
    this.#wait(this.#allowedMs)
  }

  /** A piece has arrived. Throws when it is one too many. */
  saw(part: StreamPart): void {
    this.#countBlocks(part.type)
    const bytes = this.#bytesOf(part)
    if (bytes === 0 && part.type !== 'tool-call' && part.type !== 'finish') return this.#empty()
    this.#lastAt = elapsed(this.#clock)
    this.#emptyPieces = 0
    if (!this.#hasBegun) this.#begin()
    this.#bytes += bytes
    const { maxBytes = defaultStreamLimits.maxBytes, maxTokens = Infinity } = this.#bounds
    if (this.#bytes > maxTokens * bytesPerToken) {
      throw new EndlessMessage(`The model's message takes more than the ${maxTokens} tokens that are left.`)
    }
    if (this.#bytes > maxBytes) throw new EndlessMessage(`The model's message is larger than ${maxBytes} bytes.`)
  }

  done(): void {
    this.#cancel()
  }

  /** After the first piece the next ones have less time. */
  #begin(): void {
    this.#hasBegun = true
    this.#allowedMs = this.#bounds.idleMs ?? defaultStreamLimits.idleMs
    this.#cancel()
    this.#wait(this.#allowedMs)
  }

  /** Texts, reasonings and calls: the arguments of a call may come in pieces before it, or only with it. */
  #countBlocks(type: StreamPart['type']): void {
    if (type === 'text-start' || type === 'reasoning-start' || type === 'tool-input-start') this.#begun++
    if (type === 'tool-call') this.#calls++
    if (Math.max(this.#begun, this.#calls) <= maxBlocks) return
    throw new EndlessMessage(`The model's message has more than ${maxBlocks} texts and calls.`)
  }

  /** Pieces may come so fast that no timer gets its turn. */
  #empty(): void {
    if (++this.#emptyPieces > maxEmptyPieces || this.#silentMs >= this.#allowedMs) throw stalled(this.#allowedMs)
  }

  get #silentMs(): number {
    return elapsed(this.#clock) - this.#lastAt
  }

  /** One timer for many pieces: it is set again for what is left when it was too early. */
  #wait(ms: number): void {
    this.#cancel = this.#clock.timer(ms, () => {
      const left = this.#allowedMs - this.#silentMs
      if (left > 0) this.#wait(left)
      else this.#stalled.abort(stalled(this.#allowedMs))
    })
  }

  /** The content of a piece; the arguments of a call come in pieces and then, often, once more as a whole. */
  #bytesOf(part: StreamPart): number {
    switch (part.type) {
      case 'text-delta':
      case 'reasoning-delta':
        return Buffer.byteLength(part.delta)
      case 'tool-input-delta': {
        const bytes = Buffer.byteLength(part.delta)
        this.#streamed.set(part.id, (this.#streamed.get(part.id) ?? 0) + bytes)
        return bytes
      }
      case 'tool-call':
        return Math.max(Buffer.byteLength(part.input) - (this.#streamed.get(part.toolCallId) ?? 0), 0)
      default:
        return 0
    }
  }
}

function stalled(ms: number): ModelFailure {
  return new ModelFailure({ reason: `The stream was silent for ${ms / 1_000} s.` }, { retryable: true })
}

/** The configured limits, checked. */
export function checkedLimits(limits: StreamLimits = {}): StreamLimits {
  for (const [name, value] of Object.entries(limits)) {
    if (value === undefined || (typeof value === 'number' && value > 0)) continue
    throw new BeachError('INVALID_CONFIGURATION', `streamLimits.${name} must be a number above 0.`)
  }
  return limits
}
