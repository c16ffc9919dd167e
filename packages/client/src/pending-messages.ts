import type { PostResult } from '@cool-ai/beach-core/ports'
import { cancelled, type AgentError } from './reliability/agent-error.ts'
import { Outbox, type Progress } from './reliability/outbox.ts'
import type { Backoff } from './reliability/pauses.ts'
import type { PartMetadata } from '@cool-ai/beach-core'

export interface Outgoing {
  readonly key: string
  readonly parts: readonly OutgoingPart[]
  /** True when it is not shown while it is pending. */
  readonly silent?: boolean
}

export interface PendingMessagesOptions {
  readonly post: (message: Outgoing, signal: AbortSignal) => Promise<PostResult>
  readonly pauses: Backoff
  readonly onChange: () => void
}

interface Entry extends Outgoing {
  pending: Pending
  answer: Promise<PostResult>
  posted?: PostResult
}

/** Messages from when they are sent until the conversation has brought them back. */
export class PendingMessages extends Outbox<Entry, PostResult> {
  readonly #options: PendingMessagesOptions
  #entries: readonly Entry[] = []
  #pending: readonly Pending[] = []
  #cursor = 0

  constructor(options: PendingMessagesOptions) {
    super(options.pauses)
    this.#options = options
  }

  get pending(): readonly Pending[] {
    return this.#pending
  }

  /** Sends a message as often as it takes; only a refusal, or discarding it, ends it otherwise. */
  add(message: Outgoing): Promise<PostResult> {
    const existing = this.#entries.find((entry) => entry.key === message.key)
    if (existing !== undefined) return this.#retry(existing)
    const entry = { ...message } as Entry
    this.#entries = [...this.#entries, entry]
    return this.put(entry)
  }

  /** The conversation now has a part of the message of that key: it is no longer pending. */
  arrived(cursor: string | undefined, clientId?: unknown): void {
    this.#cursor = Number(cursor) || this.#cursor
    this.#remove(({ key, posted }) => key === clientId || (posted !== undefined && posted.seq <= this.#cursor))
  }

  override put(entry: Entry): Promise<PostResult> {
    entry.answer = super.put(entry)
    // A failed message is shown as pending: a caller need not await it. The failure of a message that is not shown must
    // not get lost.
    if (entry.silent !== true) entry.answer.catch(() => {})
    return entry.answer
  }

  protected send(entries: readonly Entry[], signal: AbortSignal): Promise<PostResult[]> {
    return Promise.all(entries.map((entry) => this.#options.post(entry, signal)))
  }

  protected onProgress(entry: Entry, progress: Progress<PostResult>): void {
    const { state } = progress
    if (state === 'sent') entry.posted = progress.answer
    const isOver =
      entry.silent === true ? state === 'sent' || state === 'failed' : (entry.posted?.seq ?? Infinity) <= this.#cursor
    if (isOver) this.#remove((other) => other === entry)
    else this.#show(entry, state === 'sent' ? { state } : progress)
  }

  #retry(entry: Entry): Promise<PostResult> {
    const { state } = entry.pending
    if (state === 'waiting') this.#options.pauses.wake()
    return state === 'failed' && this.#entries.includes(entry) ? this.put(entry) : entry.answer
  }

  #discard(entry: Entry): void {
    this.#remove((other) => other === entry)
    this.drop(entry, cancelled('This message was discarded.'))
    // The messages behind it need not wait for its pause.
    this.#options.pauses.wake()
  }

  #show(entry: Entry, now: Pick<Pending, 'state' | 'error' | 'retryAt'>): void {
    if (!this.#entries.includes(entry)) return
    const { key, parts } = entry
    entry.pending = { key, parts, ...now, retry: () => this.#retry(entry), discard: () => this.#discard(entry) }
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

/** A part as it is sent; without a part type it is of type `message`. */
export interface OutgoingPart {
  readonly text?: string
  readonly data?: unknown
  readonly metadata?: Readonly<Partial<PartMetadata>>
}

/** A message that was sent here and has not come back yet as part of the conversation. */
export interface Pending {
  /** The key by which retries count once; its parts carry it as `metadata.clientId`. */
  readonly key: string
  readonly parts: readonly OutgoingPart[]
  /**
   * `waiting` until the agent can be reached, or for messages before it; `sent` once the agent has it; `failed` when the
   * agent refused it.
   */
  readonly state: 'sending' | 'waiting' | 'sent' | 'failed'
  /** Why it failed, or waits. */
  readonly error?: AgentError
  /** When it is tried again, in milliseconds since 1970. */
  readonly retryAt?: number
  /** Tries again at once, if it failed or waits. */
  readonly retry: () => Promise<PostResult>
  /** Forgets it. Unless it was refused, it may have reached the agent all the same. */
  readonly discard: () => void
}
