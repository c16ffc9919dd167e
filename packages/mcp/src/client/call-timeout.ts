import { BeachError, type Clock } from '@cool-ai/beach-core'

/** A limit on a call that every sign of life sets back, up to a last one that nothing does. */
export class CallTimeout {
  readonly signal: AbortSignal
  readonly #late = new AbortController()
  readonly #clock: Clock
  readonly #ms: number
  readonly #cancelLast: () => void
  #cancel: () => void

  constructor(clock: Clock, limits: { readonly ms: number; readonly maxMs: number; readonly signal: AbortSignal }) {
    this.#clock = clock
    this.#ms = limits.ms
    this.signal = AbortSignal.any([limits.signal, this.#late.signal])
    this.#cancel = clock.timer(limits.ms, () => this.#end(limits.ms))
    this.#cancelLast = clock.timer(limits.maxMs, () => this.#end(limits.maxMs))
  }

  /** Something has come: the other side is alive. */
  alive(): void {
    if (this.#late.signal.aborted) return
    this.#cancel()
    this.#cancel = this.#clock.timer(this.#ms, () => this.#end(this.#ms))
  }

  done(): void {
    this.#cancel()
    this.#cancelLast()
  }

  #end(ms: number): void {
    this.#late.abort(new BeachError('TIMEOUT', `The tool has not answered within ${Math.ceil(ms / 1_000)} s.`))
  }
}
