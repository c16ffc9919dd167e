import { Outbox, type Backoff, type Progress } from '@cool-ai/beach-client/reliability'
import type { ClientEvent } from '../schemas/client-payloads.ts'
import { asFlowClientError, FlowClientError } from './flow-client-error.ts'
import type { Answer, EventResult } from './transport.ts'

const maxWaiting = 100

const maxBatch = 50

export interface FlowOutboxOptions {
  readonly send: (events: readonly ClientEvent[]) => Promise<Answer>
  readonly sync: () => Promise<void>
  readonly mustSync: () => boolean
  readonly pauses: Backoff
  /** Called with what became of each event, before its sender is told. */
  readonly onResult: (event: ClientEvent, result: EventResult) => void
  readonly onFailure: (event: ClientEvent, error: FlowClientError) => void
  readonly onChange: () => void
}

/**
 * What the client says, on its way to the server: events, and before them the question how things stand. When too many
 * events wait the oldest is refused, and told so.
 */
export class FlowOutbox extends Outbox<ClientEvent, EventResult> {
  readonly #options: FlowOutboxOptions
  #syncing: PromiseWithResolvers<void> | undefined

  constructor(options: FlowOutboxOptions) {
    super(options.pauses, maxBatch)
    this.#options = options
  }

  override put(event: ClientEvent): Promise<EventResult> {
    const answer = super.put(event)
    // What failed is shown where it was done: not waiting for the answer is no mistake.
    answer.catch(() => {})
    const [oldest, ...others] = this.waiting
    if (oldest !== undefined && others.length >= maxWaiting) {
      const text = `More than ${maxWaiting} events wait to be sent: this one, the oldest, is given up. It was not sent; do it again when there is a connection.`
      this.drop(oldest, new FlowClientError('QUEUE_FULL', text))
    }
    return answer
  }

  /** Asks how things stand, once what is under way is over. */
  sync(): Promise<void> {
    this.#syncing ??= Promise.withResolvers()
    void this.run()
    return this.#syncing.promise
  }

  override close(why: FlowClientError): void {
    super.close(why)
    this.#syncing?.promise.catch(() => {})
    this.#syncing?.reject(why)
  }

  protected override get isDue(): boolean {
    return this.#syncing !== undefined || super.isDue
  }

  protected override async step(signal: AbortSignal): Promise<void> {
    // What is to be said may be what makes it possible to ask: it does not wait for that.
    const unasked = await this.#ask()
    signal.throwIfAborted()
    if (super.isDue) await super.step(signal)
    if (unasked !== undefined) throw unasked
  }

  protected async send(events: readonly ClientEvent[]): Promise<(EventResult | FlowClientError)[]> {
    const { results } = await this.#options.send(events)
    return events.map(({ value: { eventId = '' } }) => {
      // A server that does not say what became of it has shown it by its events.
      const result = results.find((each) => each.eventId === eventId) ?? { eventId, status: 'applied' }
      if (result.status !== 'rejected') return result
      const { code, message, error: payload } = result
      const text = message ?? payload?.message ?? 'The server has rejected this.'
      return new FlowClientError(code ?? payload?.code ?? 'REJECTED', text, { payload })
    })
  }

  protected onProgress(event: ClientEvent, progress: Progress<EventResult>): void {
    const { onResult, onFailure, onChange } = this.#options
    if (progress.state === 'sent') onResult(event, progress.answer)
    if (progress.state === 'failed') onFailure(event, asFlowClientError(progress.error))
    onChange()
  }

  /** Asks, if that is wanted and still needed; gives the error when it may be tried again. */
  async #ask(): Promise<FlowClientError | undefined> {
    const { mustSync, sync } = this.#options
    const syncing = this.#syncing
    try {
      if (syncing !== undefined && mustSync()) await sync()
      syncing?.resolve()
    } catch (cause) {
      const error = asFlowClientError(cause)
      if (error.retryable) return error
      syncing?.reject(error)
    }
    this.#syncing = undefined
    return undefined
  }
}
