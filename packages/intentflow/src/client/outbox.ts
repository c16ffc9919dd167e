import type { ClientEvent } from '../schemas/client-payloads.ts'
import { asFlowClientError, FlowClientError } from './flow-client-error.ts'
import type { Pauses } from './pauses.ts'
import type { Answer, EventResult } from './transport.ts'

/** How much may wait. */
const mostWaiting = 100

/** How many events go in one request. */
const mostAtOnce = 50

/** Something on its way to the server. */
export interface Outgoing {
  readonly eventId: string
  readonly event: ClientEvent
}

interface Entry extends Outgoing {
  readonly answer: PromiseWithResolvers<EventResult>
  /** True once a request with it and others was refused as a whole: it may not be its fault. */
  alone: boolean
}

export interface OutboxOptions {
  /** One try. */
  readonly send: (events: readonly ClientEvent[]) => Promise<Answer>
  /** Asks how things stand; resolves when there was nothing to ask, too. */
  readonly sync: () => Promise<void>
  /** Whether that is to be asked before anything else is said. */
  readonly mustSync: () => boolean
  readonly pauses: Pauses
  readonly signal: AbortSignal
  /** Called with what became of each; before whoever waits for it is told. */
  readonly onResult: (eventId: string, result: EventResult) => void
  readonly onFailure: (eventId: string, error: FlowClientError) => void
  readonly onChange: () => void
}

/**
 * What the client says, on its way to the server: one request at a time, in order, tried until there is an answer. What
 * is said meanwhile goes together in the next one. It is bounded: when it is full the oldest is refused, and told so.
 */
export class Outbox {
  readonly #options: OutboxOptions
  #waiting: readonly Entry[] = []
  #underWay: readonly Entry[] = []
  #isRunning = false
  #syncing: PromiseWithResolvers<void> | undefined

  constructor(options: OutboxOptions) {
    this.#options = options
    options.signal.addEventListener('abort', () => this.#close())
  }

  /** How much has no answer yet. */
  get size(): number {
    return this.#waiting.length + this.#underWay.length
  }

  put(outgoing: Outgoing): Promise<EventResult> {
    const answer = Promise.withResolvers<EventResult>()
    // What failed is shown where it was done: not waiting for the answer is no mistake.
    answer.promise.catch(() => {})
    const entry: Entry = { ...outgoing, answer, alone: false }
    if (this.#options.signal.aborted) {
      this.#fail(entry, asFlowClientError(this.#options.signal.reason))
      return answer.promise
    }
    this.#waiting = [...this.#waiting, entry]
    if (this.#waiting.length > mostWaiting) this.#refuseOldest()
    this.#changed()
    return answer.promise
  }

  /** Asks how things stand, once what is under way is over. */
  sync(): Promise<void> {
    this.#syncing ??= Promise.withResolvers()
    const { promise } = this.#syncing
    if (this.#options.signal.aborted) this.#close()
    else this.#changed()
    return promise
  }

  #refuseOldest(): void {
    const [oldest, ...others] = this.#waiting
    this.#waiting = others
    if (oldest === undefined) return
    const text = `More than ${mostWaiting} events wait to be sent: this one, the oldest, is given up. It was not sent; do it again when there is a connection.`
    this.#fail(oldest, new FlowClientError('QUEUE_FULL', text))
  }

  #changed(): void {
    this.#options.onChange()
    void this.#run()
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return
    this.#isRunning = true
    const { pauses, signal } = this.#options
    // What is said in one go is sent in one.
    await Promise.resolve()
    for (let failures = 0; !signal.aborted && (this.#waiting.length > 0 || this.#syncing !== undefined);) {
      try {
        await this.#step()
        failures = 0
      } catch (cause) {
        const error = asFlowClientError(cause)
        if (signal.aborted) break
        await pauses.after(failures++, error, signal)
      }
    }
    this.#isRunning = false
  }

  /** Asks first, then says. Throws what may be tried again. */
  async #step(): Promise<void> {
    const unasked = await this.#ask()
    if (this.#waiting.length > 0 && !this.#options.signal.aborted) await this.#say()
    if (unasked !== undefined) throw unasked
  }

  /** Asks how things stand, if somebody wants to know; gives the error when it may be tried again. */
  async #ask(): Promise<FlowClientError | undefined> {
    const syncing = this.#syncing
    if (syncing === undefined) return undefined
    try {
      if (this.#options.mustSync()) await this.#options.sync()
      syncing.resolve()
    } catch (cause) {
      const error = asFlowClientError(cause)
      // What is to be said may be what makes it possible to ask.
      if (error.retryable) return error
      syncing.reject(error)
    }
    this.#syncing = undefined
    return undefined
  }

  async #say(): Promise<void> {
    const batch = this.#next()
    this.#underWay = batch
    this.#waiting = this.#waiting.filter((entry) => !batch.includes(entry))
    try {
      const { results } = await this.#options.send(batch.map(({ event }) => event))
      this.#underWay = []
      for (const entry of batch) {
        // A server that does not say what became of it has shown it by its events.
        const done = results.find(({ eventId }) => eventId === entry.eventId)
        this.#settle(entry, done ?? { eventId: entry.eventId, status: 'applied' })
      }
    } catch (cause) {
      this.#underWay = []
      this.#notSaid(batch, asFlowClientError(cause))
    } finally {
      this.#options.onChange()
    }
  }

  /** What could not be said is tried again, or alone, or has failed. */
  #notSaid(batch: readonly Entry[], error: FlowClientError): void {
    const isOver = this.#options.signal.aborted || (!error.retryable && batch.length === 1)
    if (isOver) {
      for (const entry of batch) this.#fail(entry, error)
      return
    }
    this.#waiting = [...batch, ...this.#waiting]
    if (error.retryable) throw error
    for (const entry of batch) entry.alone = true
  }

  /** What goes into the next request. */
  #next(): readonly Entry[] {
    const end = this.#waiting.findIndex(({ alone }) => alone)
    return this.#waiting.slice(0, end < 0 ? mostAtOnce : Math.min(Math.max(end, 1), mostAtOnce))
  }

  #settle(entry: Entry, result: EventResult): void {
    if (result.status !== 'rejected') {
      this.#options.onResult(entry.eventId, result)
      entry.answer.resolve(result)
      return
    }
    const { code, message, error: payload } = result
    const text = message ?? payload?.message ?? 'The server has rejected this.'
    this.#fail(entry, new FlowClientError(code ?? payload?.code ?? 'REJECTED', text, { payload }))
  }

  #fail(entry: Entry, error: FlowClientError): void {
    this.#options.onFailure(entry.eventId, error)
    entry.answer.reject(error)
  }

  #close(): void {
    const error = asFlowClientError(this.#options.signal.reason)
    const waiting = this.#waiting
    this.#waiting = []
    for (const entry of waiting) this.#fail(entry, error)
    this.#syncing?.promise.catch(() => {})
    this.#syncing?.reject(error)
    this.#syncing = undefined
    this.#options.onChange()
  }
}
