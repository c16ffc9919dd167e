import type { Posted } from '@cool-ai/beach-core/ports'
import { asAgentError, cancelled, type AgentError } from './agent-error.ts'
import type { Pauses } from './pauses.ts'
import type { OutgoingPart, Pending } from './pending.ts'
import { persist } from './persist.ts'

/** What is to be sent. */
export interface Outgoing {
  readonly key: string
  readonly parts: readonly OutgoingPart[]
  /** True when it is not shown while it is pending. */
  readonly silent?: boolean
}

export interface OutboxOptions {
  /** One try to give a message to the agent. */
  readonly post: (message: Outgoing, signal: AbortSignal) => Promise<Posted>
  readonly pauses: Pauses
  readonly onChange: () => void
}

interface Entry extends Outgoing {
  pending: Pending
  answer: PromiseWithResolvers<Posted>
  posted?: Posted
  readonly end: AbortController
}

/** Messages on their way to the agent: one after the other, in the order in which they were sent. */
export class Outbox {
  readonly #options: OutboxOptions
  #entries: readonly Entry[] = []
  #queue: readonly Entry[] = []
  #pending: readonly Pending[] = []
  #cursor = 0
  /** The one that is being sent; it may have come back by the stream before its answer. */
  #current: Entry | undefined
  #closed: AgentError | undefined

  constructor(options: OutboxOptions) {
    this.#options = options
  }

  get pending(): readonly Pending[] {
    return this.#pending
  }

  /** Sends it as often as it takes; only a refusal, or discarding it, ends it otherwise. */
  send(message: Outgoing): Promise<Posted> {
    const standing = this.#entries.find((entry) => entry.key === message.key)
    if (standing !== undefined) return this.#retry(standing)
    const { key, parts } = message
    const entry: Entry = {
      ...message,
      pending: { key, parts, state: 'waiting', retry: () => this.#retry(entry), discard: () => this.#discard(entry) },
      answer: answerOf(message),
      end: new AbortController(),
    }
    this.#entries = [...this.#entries, entry]
    if (this.#closed === undefined) return this.#enqueue(entry)
    this.#fail(entry, this.#closed)
    return entry.answer.promise
  }

  /** The conversation has come so far, with a part of the message of that key: what is in it is no longer pending. */
  arrived(cursor: string | undefined, clientId?: unknown): void {
    this.#cursor = Number(cursor) || this.#cursor
    this.#remove(({ key, posted }) => key === clientId || (posted !== undefined && posted.seq <= this.#cursor))
  }

  /** Whatever has not reached the agent fails. */
  close(error: AgentError): void {
    this.#closed = error
    const current = this.#current === undefined || this.#current.posted !== undefined ? [] : [this.#current]
    for (const entry of [...current, ...this.#queue]) {
      entry.end.abort(error)
      this.#fail(entry, error)
    }
    this.#queue = []
  }

  #enqueue(entry: Entry): Promise<Posted> {
    this.#queue = [...this.#queue, entry]
    this.#show(entry, { state: 'waiting' })
    void this.#deliverAll()
    return entry.answer.promise
  }

  async #deliverAll(): Promise<void> {
    if (this.#current !== undefined) return
    for (let [entry] = this.#queue; entry !== undefined; [entry] = this.#queue) {
      this.#current = entry
      this.#queue = this.#queue.slice(1)
      await this.#deliver(entry)
    }
    this.#current = undefined
  }

  async #deliver(entry: Entry): Promise<void> {
    const { signal } = entry.end
    const { post, pauses } = this.#options
    try {
      const posted = await persist(
        () => {
          this.#show(entry, { state: 'sending' })
          return post(entry, signal)
        },
        {
          pauses,
          signal,
          onPause: ({ until }, error) => this.#show(entry, { state: 'waiting', error, retryAt: until }),
        },
      )
      entry.posted = posted
      entry.answer.resolve(posted)
      this.#show(entry, { state: 'sent' })
      this.#remove((other) => other === entry && (entry.silent === true || posted.seq <= this.#cursor))
    } catch (error) {
      this.#fail(entry, asAgentError(error))
    }
  }

  #fail(entry: Entry, error: AgentError): void {
    entry.answer.reject(error)
    if (entry.silent === true) this.#remove((other) => other === entry)
    else this.#show(entry, { state: 'failed', error })
  }

  #retry(entry: Entry): Promise<Posted> {
    const { state } = entry.pending
    if (state === 'waiting') this.#options.pauses.wake()
    if (state !== 'failed' || this.#closed !== undefined || !this.#entries.includes(entry)) return entry.answer.promise
    entry.answer = answerOf(entry)
    return this.#enqueue(entry)
  }

  #discard(entry: Entry): void {
    const error = cancelled('This message was discarded.')
    this.#queue = this.#queue.filter((other) => other !== entry)
    this.#remove((other) => other === entry)
    entry.end.abort(error)
    entry.answer.reject(error)
  }

  #show(entry: Entry, now: Pick<Pending, 'state' | 'error' | 'retryAt'>): void {
    if (!this.#entries.includes(entry)) return
    const { key, parts, retry, discard } = entry.pending
    entry.pending = { key, parts, ...now, retry, discard }
    this.#changed()
  }

  #remove(isGone: (entry: Entry) => boolean): void {
    const left = this.#entries.filter((entry) => !isGone(entry))
    if (left.length === this.#entries.length) return
    this.#entries = left
    this.#changed()
  }

  #changed(): void {
    this.#pending = this.#entries.filter(({ silent }) => silent !== true).map(({ pending }) => pending)
    this.#options.onChange()
  }
}

function answerOf({ silent }: Outgoing): PromiseWithResolvers<Posted> {
  const answer = Promise.withResolvers<Posted>()
  // What failed is shown as pending: not waiting for the answer is no mistake. What is not shown must not get lost.
  if (silent !== true) answer.promise.catch(() => {})
  return answer
}
