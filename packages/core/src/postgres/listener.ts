import { elapsed, sleep, systemClock, type Clock } from '../clock.ts'
import type { Logger } from '../logger.ts'
import type { ListeningConnection } from './connection.ts'
import type { DatabaseClock } from './database-clock.ts'

/** What comes over the connection for notifications. */
export interface ListenerEvents {
  notified(channel: string, payload: string): void
  /** It listens, from the start or again: what was sent meanwhile is lost. */
  connected(): void
}

export interface ListenerOptions {
  /** A connection of its own that no pooler hands to others. */
  readonly connect: () => Promise<ListeningConnection>
  readonly channels: readonly string[]
  readonly events: ListenerEvents
  readonly clock: Clock
  readonly logger: Logger
  /** Learns the server's time. */
  readonly time?: DatabaseClock | undefined
}

const pingMs = 2_000
const pingTimeoutMs = 5_000
const maxPauseMs = 1_000

/** Listens to channels of the database, and connects again for as long as it is not closed. */
export class Listener {
  readonly #options: ListenerOptions
  readonly #closing = new AbortController()
  #client: ListeningConnection | undefined
  #done: Promise<void> = Promise.resolve()

  private constructor(options: ListenerOptions) {
    this.#options = options
  }

  /** Listens once it resolves; a server that cannot be reached at the start is an error. */
  static async open(options: ListenerOptions): Promise<Listener> {
    const listener = new Listener(options)
    const client = await listener.#connect()
    listener.#done = listener.#run(client)
    return listener
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#client?.end().catch(() => {})
    await this.#done
  }

  async #connect(): Promise<ListeningConnection> {
    const client = await this.#options.connect()
    client.on('notification', ({ channel, payload }) => this.#options.events.notified(channel, payload ?? ''))
    try {
      for (const channel of this.#options.channels) await client.query(`LISTEN ${channel}`)
      await this.#ping(client)
    } catch (error) {
      client.end().catch(() => {})
      throw error
    }
    // It may have been closed meanwhile, and then only this ends the connection.
    if (this.#closing.signal.aborted) client.end().catch(() => {})
    else {
      this.#client = client
      this.#options.events.connected()
    }
    return client
  }

  async #run(first: ListeningConnection): Promise<void> {
    let client: ListeningConnection | undefined = first
    let pause = 0
    while (!this.#closing.signal.aborted) {
      if (client !== undefined) {
        await this.#untilBroken(client)
        client.end().catch(() => {})
        client = undefined
        continue
      }
      await sleep(systemClock, pause, this.#closing.signal)
      if (this.#closing.signal.aborted) return
      try {
        client = await this.#connect()
        pause = 0
      } catch (error) {
        if (pause === 0) this.#options.logger.log('warn', 'the connection for notifications is lost', { error })
        pause = Math.min(Math.max(50, pause * 2), maxPauseMs)
      }
    }
  }

  /** A connection can be dead without an error: it is asked for the time again and again. */
  async #untilBroken(client: ListeningConnection): Promise<void> {
    const broken = new AbortController()
    const end = () => broken.abort()
    client.once('end', end)
    client.once('error', end)
    this.#closing.signal.addEventListener('abort', end, { once: true })
    while (!broken.signal.aborted) {
      await sleep(systemClock, pingMs, broken.signal)
      if (broken.signal.aborted) break
      await this.#ping(client).catch(end)
    }
    this.#closing.signal.removeEventListener('abort', end)
  }

  async #ping(client: ListeningConnection): Promise<void> {
    const sentAt = elapsed(this.#options.clock)
    const { rows } = await client.query({
      text: 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now',
      query_timeout: pingTimeoutMs,
    })
    this.#options.time?.observe((rows[0] as { now: number }).now, sentAt)
  }
}
