import type { Live, StoredEvent } from '@cool-ai/beach-core'

type Item = StoredEvent | Live
type Read = (session: string, after: number, limit: number) => Promise<StoredEvent[]>

const pageSize = 500
const mostPending = 1_000
const mostHeads = 1_000

/** One follower: what it has seen, and what waits for it. It reads the log whenever what waits is not all there is. */
class Tail {
  /** The last event given out. */
  cursor: number
  /** The last event known to be given out or pending; an append that does not continue here was missed in part. */
  known: number
  behind: boolean
  ended = false
  pending: Item[] = []
  notify = () => {}

  constructor(after: number, behind: boolean) {
    this.cursor = after
    this.known = after
    this.behind = behind
  }

  appended(before: number, events: readonly StoredEvent[]): void {
    const last = events.at(-1)
    if (this.behind || last === undefined) return this.notify()
    if (before > this.known || this.pending.length + events.length > mostPending) this.fallBehind()
    else {
      this.pending.push(...events)
      this.known = last.seq
    }
    this.notify()
  }

  live(live: unknown): void {
    // Live frames may be lost: a follower that does not keep up misses some, and asks again when it notices.
    if (this.pending.length < mostPending) this.pending.push({ live })
    this.notify()
  }

  end(): void {
    this.ended = true
    this.notify()
  }

  fallBehind(): void {
    this.behind = true
    // What is dropped here is in the log and will be read from there.
    this.pending = this.pending.filter((item) => 'live' in item)
    this.notify()
  }
}

/** Gives appends and live frames of this process to its followers, and the log to those that are behind. */
export class TailHub {
  readonly #read: Read
  readonly #tails = new Map<string, Set<Tail>>()
  /** Where the logs stand that this process was the last to write to: who follows from there has nothing to read. */
  readonly #heads = new Map<string, number>()

  constructor(read: Read) {
    this.#read = read
  }

  /** Events up to `head` were appended right after `before`; they are only made when somebody follows. */
  appended(session: string, before: number, head: number, make: () => readonly StoredEvent[]): void {
    this.#heads.delete(session)
    this.#heads.set(session, head)
    const [oldest] = this.#heads.keys()
    if (this.#heads.size > mostHeads && oldest !== undefined) this.#heads.delete(oldest)
    const tails = this.#tails.get(session)
    if (tails === undefined) return
    const events = make()
    for (const tail of tails) tail.appended(before, events)
  }

  /** The session's log may have grown without this process knowing how. */
  changed(session: string): void {
    this.#heads.delete(session)
    for (const tail of this.#tails.get(session) ?? []) tail.fallBehind()
  }

  publish(session: string, live: unknown): void {
    for (const tail of this.#tails.get(session) ?? []) tail.live(live)
  }

  /** Follows from now on, even before the first item is asked for. */
  follow(session: string, after: number, signal: AbortSignal): AsyncIterable<Item> {
    const tail = new Tail(after, this.#heads.get(session) !== after)
    const tails = this.#tails.get(session) ?? new Set()
    this.#tails.set(session, tails.add(tail))
    const end = () => {
      tails.delete(tail)
      if (tails.size === 0 && this.#tails.get(session) === tails) this.#tails.delete(session)
      signal.removeEventListener('abort', end)
      tail.end()
    }
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted) end()
    return this.#items(session, tail, end)
  }

  /** Ends every follower. */
  close(): void {
    for (const tails of this.#tails.values()) for (const tail of tails) tail.end()
    this.#tails.clear()
  }

  async *#items(session: string, tail: Tail, end: () => void): AsyncGenerator<Item> {
    try {
      while (!tail.ended) {
        if (tail.behind) yield* this.#catchUp(session, tail)
        else if (tail.pending.length > 0) yield* drain(tail)
        else await new Promise<void>((resolve) => (tail.notify = resolve))
      }
    } finally {
      end()
    }
  }

  async *#catchUp(session: string, tail: Tail): AsyncGenerator<Item> {
    // Whatever is appended from here on is pending as well; `drain` skips what the read already gave.
    tail.behind = false
    tail.known = tail.cursor
    const page = await this.#read(session, tail.cursor, pageSize).catch((error: unknown) => {
      if (tail.ended) return []
      throw error
    })
    if (page.length === pageSize) tail.behind = true
    tail.known = Math.max(tail.known, page.at(-1)?.seq ?? 0)
    for (const event of page) {
      if (tail.ended) return
      tail.cursor = event.seq
      yield event
    }
  }
}

function* drain(tail: Tail): Generator<Item> {
  const items = tail.pending
  tail.pending = []
  for (const item of items) {
    if (tail.ended) return
    if ('live' in item) yield item
    else if (item.seq > tail.cursor) {
      tail.cursor = item.seq
      yield item
    }
  }
}
