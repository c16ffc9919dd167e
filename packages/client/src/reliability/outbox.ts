import { AgentError, asAgentError } from './agent-error.ts'
import { type Backoff, persist } from './pauses.ts'

/** How far a request has come, or what came of it. */
export type Progress<Answer> =
  | { readonly state: 'waiting'; readonly error?: AgentError; readonly retryAt?: number }
  | { readonly state: 'sending' }
  | { readonly state: 'sent'; readonly answer: Answer }
  | { readonly state: 'failed'; readonly error: AgentError }

interface Entry<Item, Answer> extends PromiseWithResolvers<Answer> {
  readonly item: Item
}

/**
 * Items on their way to the server: in order, one request at a time, retried until there is an answer. A subclass says
 * how a request is made.
 */
export abstract class Outbox<Item, Answer> {
  readonly #pauses: Backoff
  readonly #maxBatch: number
  #entries: readonly Entry<Item, Answer>[] = []
  /** Those of them that are in flight: the first ones. */
  #batch: readonly Entry<Item, Answer>[] = []
  /** How many are sent alone from now on: a request with all of them was refused, and one of them is the reason. */
  #alone = 0
  #attempt = new AbortController()
  #isRunning = false
  #closed: AgentError | undefined

  /** @param maxBatch how many items one request may carry */
  constructor(pauses: Backoff, maxBatch = 1) {
    this.#pauses = pauses
    this.#maxBatch = maxBatch
  }

  get size(): number {
    return this.#entries.length
  }

  /** The items that are not in flight, the oldest first. */
  protected get waiting(): readonly Item[] {
    return this.#entries.slice(this.#batch.length).map(({ item }) => item)
  }

  protected get isDue(): boolean {
    return this.#entries.length > 0
  }

  /** One try to send items. Returns the answer to each of them in their order, or the error that refuses it. */
  protected abstract send(items: readonly Item[], signal: AbortSignal): Promise<readonly (Answer | AgentError)[]>

  /** Called with every step of an item, before its sender gets the answer. */
  protected abstract onProgress(item: Item, progress: Progress<Answer>): void

  /** Sends an item as often as it takes; only a refusal, `drop` or `close` ends it otherwise. */
  put(item: Item): Promise<Answer> {
    const entry = { item, ...Promise.withResolvers<Answer>() }
    this.#entries = [...this.#entries, entry]
    if (this.#closed === undefined) {
      this.onProgress(item, { state: 'waiting' })
      void this.run()
    } else this.#settle(entry, this.#closed)
    return entry.promise
  }

  /** Fails everything that has no answer, and everything that is put from now on. */
  close(error: AgentError): void {
    this.#closed = error
    for (const entry of this.#entries) this.#settle(entry, error)
    this.#attempt.abort(error)
  }

  /** Forgets an item, which may have reached the server all the same. */
  protected drop(item: Item, error: AgentError): void {
    for (const entry of this.#entries) if (entry.item === item) this.#settle(entry, error)
  }

  /** Works until nothing is due. */
  protected async run(): Promise<void> {
    if (this.#isRunning) return
    this.#isRunning = true
    // Items that are put in one tick are sent in one request.
    if (this.#maxBatch > 1) await Promise.resolve()
    while (this.#closed === undefined && this.isDue) {
      const { signal } = (this.#attempt = new AbortController())
      // It rejects when its items were dropped: others may be due.
      await persist(() => this.step(signal), {
        pauses: this.#pauses,
        signal,
        onPause: ({ until: retryAt }, error) => this.#tell(this.#next, { state: 'waiting', error, retryAt }),
      }).catch(() => {})
    }
    this.#isRunning = false
  }

  /** One request. Throws what may be tried again. */
  protected async step(signal: AbortSignal): Promise<void> {
    const batch = this.#next
    this.#batch = batch
    this.#tell(batch, { state: 'sending' })
    const items = batch.map(({ item }) => item)
    const outcome = await this.send(items, signal).catch(asAgentError)
    this.#batch = []
    if (!(outcome instanceof AgentError)) {
      batch.forEach((entry, index) => this.#settle(entry, outcome[index] as Answer))
    } else if (outcome.retryable) throw outcome
    else if (batch.length > 1) this.#alone = batch.length
    else for (const entry of batch) this.#settle(entry, outcome)
  }

  get #next(): readonly Entry<Item, Answer>[] {
    return this.#entries.slice(0, this.#alone > 0 ? 1 : this.#maxBatch)
  }

  #settle(entry: Entry<Item, Answer>, outcome: Answer | AgentError): void {
    if (!this.#entries.includes(entry)) return
    const isOther = (other: object) => other !== entry
    this.#entries = this.#entries.filter(isOther)
    this.#alone--
    // A request whose items were all dropped is aborted.
    if (this.#batch.length > 0 && !this.#batch.some(isOther)) this.#attempt.abort(outcome)
    this.#batch = this.#batch.filter(isOther)
    if (outcome instanceof AgentError) {
      this.#tell([entry], { state: 'failed', error: outcome })
      entry.reject(outcome)
    } else {
      this.#tell([entry], { state: 'sent', answer: outcome })
      entry.resolve(outcome)
    }
  }

  #tell(entries: readonly Entry<Item, Answer>[], progress: Progress<Answer>): void {
    for (const { item } of entries) this.onProgress(item, progress)
  }
}
