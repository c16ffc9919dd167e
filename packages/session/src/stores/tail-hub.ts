import type { StoredEvent, TailItem } from '@cool-ai/beach-core/ports'
import { CompactingMap, LruMap } from '@cool-ai/beach-core/runtime'

type Read = (session: string, after: number, limit: number) => Promise<StoredEvent[]>

const pageSize = 500
const maxPending = 1_000
const maxHeads = 1_000

/**
 * One follower: what it has seen, and what waits for it. It reads the log whenever the waiting events are not all there
 * are. An iterator of its own, and no generator: a generator makes several promises for each list.
 */
class Tail implements AsyncIterableIterator<readonly TailItem[], undefined> {
  /** The last event given out. */
  #cursor: number
  /** The last event known to be given out or pending; an append that does not continue here was missed in part. */
  #known: number
  #behind: boolean
  #ended = false
  #pending: TailItem[] = []
  #notify = () => {}
  /** Ends the wait for a read: that of a database which cannot be reached may take long. */
  #leave: (() => void) | undefined
  readonly #options: TailOptions

  constructor(options: TailOptions) {
    this.#cursor = options.after
    this.#known = options.after
    this.#behind = options.isBehind
    this.#options = options
  }

  get known(): number {
    return this.#known
  }

  appended(before: number, events: readonly StoredEvent[]): void {
    const last = events.at(-1)
    if (this.#behind || last === undefined) return this.#notify()
    // All of it was read from the log already: an append is read as a whole.
    if (last.seq <= this.#known) return
    if (before > this.#known || this.#pending.length + events.length > maxPending) return this.fallBehind()
    this.#pending.push(...events)
    this.#known = last.seq
    this.#notify()
  }

  live(live: unknown): void {
    if (this.#options.wants?.(live) === false) return
    // Live frames may be lost: a follower that does not keep up misses some, and asks again when it notices.
    if (this.#pending.length < maxPending) this.#pending.push({ live })
    this.#notify()
  }

  fallBehind(): void {
    this.#behind = true
    // Events that are dropped here are in the log and will be read from there.
    this.#pending = this.#pending.filter((item) => 'live' in item)
    this.#notify()
  }

  end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#options.onEnd()
    this.#notify()
    this.#leave?.()
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<readonly TailItem[], undefined>> {
    while (!this.#ended) {
      if (this.#behind) {
        const page = await this.#orEnd(this.#catchUp())
        if (page.length > 0 && !this.#ended) return { done: false, value: page }
      } else if (this.#pending.length > 0) {
        const value = this.#pending
        this.#pending = []
        this.#cursor = this.#known
        return { done: false, value }
      } else {
        const { promise, resolve } = Promise.withResolvers<void>()
        this.#notify = resolve
        await promise
      }
    }
    return { done: true, value: undefined }
  }

  return(): Promise<IteratorResult<readonly TailItem[], undefined>> {
    this.end()
    return Promise.resolve({ done: true, value: undefined })
  }

  #orEnd(reading: Promise<readonly TailItem[]>): Promise<readonly TailItem[]> {
    return new Promise((resolve, reject) => {
      this.#leave = () => resolve([])
      reading.then(resolve, reject)
    })
  }

  async #catchUp(): Promise<readonly TailItem[]> {
    // Everything that is appended from here on is pending as well; what the read has yielded already is then left out.
    this.#behind = false
    this.#known = this.#cursor
    try {
      const page = await this.#options.read(this.#cursor)
      if (page.length === pageSize) this.#behind = true
      this.#cursor = page.at(-1)?.seq ?? this.#cursor
      this.#known = Math.max(this.#known, this.#cursor)
      this.#pending = this.#pending.filter((item) => !('seq' in item) || item.seq > this.#cursor)
      return page
    } catch (error) {
      if (this.#ended) return []
      try {
        if (this.#options.failed === undefined) throw error
        this.fallBehind()
        await this.#options.failed(error)
        return []
      } catch (final) {
        // Who waits for the read gets the error.
        this.#leave = undefined
        this.end()
        throw final
      }
    }
  }
}

interface TailOptions {
  readonly after: number
  readonly isBehind: boolean
  readonly read: (after: number) => Promise<StoredEvent[]>
  readonly failed: TailHubEvents['failed']
  readonly wants: ((live: unknown) => boolean) | undefined
  readonly onEnd: () => void
}

/** For a store that learns what other processes append only of sessions that it follows. */
export interface TailHubEvents {
  /** A follower begins. False when appends of other processes are not told here yet: it reads the log first. */
  entered(session: string): boolean
  /** The last follower of a session has ended. */
  left(session: string): void
  /** Reading has failed. Resolves when it may be tried again; rejects when the followers are to end. */
  readonly failed?: (error: unknown) => Promise<void>
}

/** Hands appends and live frames of this process to its followers, and the log to those that are behind. */
export class TailHub {
  readonly #read: Read
  readonly #events: TailHubEvents | undefined
  readonly #tails = new CompactingMap<string, Set<Tail>>()
  /** The heads of logs that this process was the last to write to: a follower that starts there has nothing to read. */
  readonly #heads = new LruMap<number>(maxHeads)

  constructor(read: Read, events?: TailHubEvents) {
    this.#read = read
    this.#events = events
  }

  isFollowed(session: string): boolean {
    return this.#tails.has(session)
  }

  /** These events, up to `head`, were appended right after `before`. */
  appended(session: string, before: number, head: number, events: readonly unknown[]): void {
    // An append whose answer was lost is known later than the next one.
    if (head > (this.#heads.get(session) ?? 0)) this.#heads.set(session, head)
    const tails = this.#tails.get(session)
    if (tails === undefined) return
    const first = head - events.length + 1
    const stored = events.map((data, index) => ({ seq: first + index, data }))
    for (const tail of tails) tail.appended(before, stored)
  }

  /** The session's log may have grown without this process knowing how. */
  changed(session: string): void {
    this.#heads.delete(session)
    for (const tail of this.#tails.get(session) ?? []) tail.fallBehind()
  }

  /** Every followed log may have grown. */
  changedAll(): void {
    for (const session of this.#tails.keys()) this.changed(session)
  }

  /** The session's log is known to have come this far. */
  reached(session: string, head: number): void {
    for (const tail of this.#tails.get(session) ?? []) if (tail.known < head) this.changed(session)
  }

  publish(session: string, live: unknown): void {
    const tails = this.#tails.get(session)
    if (tails !== undefined) for (const tail of tails) tail.live(live)
  }

  /** Follows from now on, even before the first item is asked for. */
  follow(
    session: string,
    after: number,
    signal?: AbortSignal,
    wants?: (live: unknown) => boolean,
  ): AsyncIterable<readonly TailItem[]> {
    const tails = this.#tails.get(session) ?? new Set()
    if (this.#events?.entered(session) === false) this.#heads.delete(session)
    const end = () => tail.end()
    const tail = new Tail({
      after,
      isBehind: this.#heads.get(session) !== after,
      read: (place) => this.#read(session, place, pageSize),
      failed: this.#events?.failed,
      wants,
      onEnd: () => {
        tails.delete(tail)
        if (tails.size === 0 && this.#tails.get(session) === tails) {
          this.#tails.delete(session)
          this.#events?.left(session)
        }
        signal?.removeEventListener('abort', end)
      },
    })
    this.#tails.set(session, tails.add(tail))
    signal?.addEventListener('abort', end, { once: true })
    if (signal?.aborted === true) end()
    return tail
  }

  /** Ends every follower. */
  close(): void {
    for (const tails of this.#tails.values()) for (const tail of tails) tail.end()
    this.#tails.clear()
  }
}
