import { hostname } from 'node:os'
import { BeachError, isBeachError, systemClock, type Runtime } from '@cool-ai/beach-core'
import { encodeKey, unescapeNull, type Listener, type PostgresDatabase } from '@cool-ai/beach-core/postgres'
import { contentHash, elapsed, keepAlive } from '@cool-ai/beach-core/runtime'
import { FollowedSessions } from './followed-sessions.ts'
import { NotifyBus, type LiveBus } from './live-bus.ts'
import { Outbox } from './outbox.ts'
import type { Statements } from './statements.ts'

/** What happened in another process on the same database. */
interface OtherProcessEvents {
  appended(session: string): void
  live(session: string, live: unknown): void
  /** Whether this process has the lease of a session. */
  isLeased(session: string): boolean
  /** Wakes or leases may have changed. */
  due(): void
  /** Notifications may have been lost: every followed session may have grown. */
  missed(): void
}

/** Live text of a session; what its followers send to its host says whom the answer goes to. */
type Sent = readonly [session: string, live: unknown, follower?: string]

export interface OtherProcessesOptions {
  readonly database: PostgresDatabase
  readonly sql: Statements
  readonly runtime: Runtime
  readonly events: OtherProcessEvents
  readonly liveBus?: LiveBus | undefined
}

const beatMs = 1_000
const silentMs = 5_000
const maxAnnounced = 100
const maxWaiting = 1_000
const listensWithinMs = 5_000

/**
 * The other processes on the same database. Each has a channel for notifications, and says which sessions it follows: a
 * process that appends tells only those that follow the session or hold its lease, after the commit.
 */
export class OtherProcesses {
  readonly id: string
  readonly followed: FollowedSessions
  readonly #options: OtherProcessesOptions
  readonly #prefix: string
  readonly #bus: LiveBus
  readonly #notifyBus: NotifyBus
  readonly #announced: Outbox<string>
  /** What is published for sessions of this host, by process. */
  readonly #live = new Map<string, Outbox<Sent>>()
  /** What is published while a session's followers are being looked up: those who are found get it then. */
  readonly #held = new Map<string, unknown[]>()
  /** The processes that follow sessions which are leased here. */
  readonly #interest = new Map<string, Set<string>>()
  #others: ReadonlySet<string> = new Set()
  #listener: Listener | undefined
  #cancelBeat = () => {}
  #lastBeat: number | undefined
  #onOwnNotice = () => {}
  #closed = false

  static async open(options: OtherProcessesOptions): Promise<OtherProcesses> {
    const there = new OtherProcesses(options)
    await there.#start()
    return there
  }

  private constructor(options: OtherProcessesOptions) {
    const { database, sql, runtime } = options
    this.#options = options
    this.id = runtime.id('proc')
    // Names of channels are shared by all schemas of a database, and no longer than 63 bytes.
    this.#prefix = `beach_${contentHash(database.schema).slice(0, 10)}_`
    this.#notifyBus = new NotifyBus(database, sql, (process) => this.#prefix + process)
    this.#bus = options.liveBus ?? this.#notifyBus
    this.#announced = new Outbox({
      send: (sessions) => this.#announce(sessions),
      maxWaiting: Infinity,
      maxAtOnce: maxAnnounced,
    })
    this.followed = new FollowedSessions({
      add: (sessions) => this.#write('follow', [sessions.map(encodeKey), this.id, this.#prefix]),
      remove: (sessions) => this.#write('unfollow', [sessions.map(encodeKey), this.id]),
      logger: runtime.logger,
    })
  }

  async #start(): Promise<void> {
    await this.#bus.listen(this.id, (message) => this.#takeLive(message))
    this.#listener = await this.#options.database.listen([this.#prefix + this.id, `${this.#prefix}all`], {
      notified: (_, payload) => this.#notified(payload),
      connected: () => void this.#recover(),
    })
    await this.#checkListening()
    await this.#beat()
    await this.#tellAll('h')
  }

  /** A pooler that hands a connection on after each transaction loses notifications without a word. */
  async #checkListening(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#onOwnNotice = () => resolve(true)
    const cancel = systemClock.timer(listensWithinMs, () => resolve(false))
    await this.#write('notify', [this.#prefix + this.id, ['t']])
    const arrived = await keepAlive(promise)
    cancel()
    if (arrived) return
    await this.#listener?.close()
    throw new BeachError(
      'INVALID_CONFIGURATION',
      'Notifications of the database do not arrive, as behind a pooler in transaction mode. Set BEACH_STORE_DIRECT, or directUrl, to an address that leads past the pooler.',
    )
  }

  /** True when no other process is there: nothing is told then. */
  get isAlone(): boolean {
    return this.#others.size === 0
  }

  /** Tells what was appended here to the processes that follow it. */
  appended(session: string): void {
    if (this.isAlone) return
    if (!this.#held.has(session)) this.#held.set(session, [])
    this.#announced.add(session)
  }

  /** Something may be due that no claimer of this process waits for. */
  due(): void {
    if (!this.isAlone) void this.#tellAll('d').catch(() => {})
  }

  /** Sends live text to the processes that follow the session: known ones where it is leased here, looked up otherwise. */
  publish(session: string, live: unknown, isLeased: boolean): void {
    if (this.isAlone) return
    if (!isLeased) return void this.#publishToAll(session, live).catch(() => {})
    for (const process of this.#interest.get(session) ?? []) this.#liveFor(process).add([session, live])
    const held = this.#held.get(session)
    if (held === undefined) return
    held.push(live)
    if (held.length > maxWaiting) held.shift()
  }

  /** A lease of this process has ended. */
  released(session: string): void {
    this.#interest.delete(session)
    this.#held.delete(session)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#cancelBeat()
    this.followed.close()
    await this.#announced.end()
    // In this order, and together: a database that cannot be reached is waited for once.
    await Promise.allSettled([this.#write('leave', [this.id]), this.#tellAll('h')])
    await this.#bus.close()
    await this.#listener?.close()
  }

  #write(name: 'follow' | 'unfollow' | 'leave' | 'beat' | 'announce' | 'notify', values: readonly unknown[]) {
    return this.#options.database.write(this.#options.sql[name], values, { durable: false })
  }

  async #tellAll(notice: 'd' | 'h'): Promise<void> {
    await this.#write('notify', [`${this.#prefix}all`, [`${notice}${this.id}`]])
  }

  async #announce(sessions: readonly string[]): Promise<void> {
    const before = sessions.map((session) => [session, new Set(this.#interest.get(session))] as const)
    const { rows } = await this.#write('announce', [sessions.map(encodeKey), this.id, this.#prefix])
    const found = rows.flatMap(({ process, sessions: followed }) => {
      return (followed as string[]).map((session) => [unescapeNull(session), String(process)] as const)
    })
    for (const [session, process] of found) {
      if (this.#interest.get(session)?.has(process) === true) continue
      for (const live of this.#held.get(session) ?? []) this.#liveFor(process).add([session, live])
    }
    for (const [session, known] of before) {
      this.#held.delete(session)
      // Who has begun to follow since then may not be among those that were found.
      const now = [...(this.#interest.get(session) ?? [])]
      this.#interest.delete(session)
      for (const process of now) if (!known.has(process)) this.#addInterest(session, process)
    }
    for (const [session, process] of found) this.#addInterest(session, process)
  }

  #addInterest(session: string, process: string): void {
    const processes = this.#interest.get(session) ?? new Set()
    this.#interest.set(session, processes.add(process))
  }

  #liveFor(process: string): Outbox<Sent> {
    const send = (frames: readonly Sent[]) => this.#bus.send(process, JSON.stringify(frames))
    const outbox = this.#live.get(process) ?? new Outbox({ send, maxWaiting, maxAtOnce: 200, isLossy: true })
    this.#live.set(process, outbox)
    return outbox
  }

  async #publishToAll(session: string, live: unknown): Promise<void> {
    const { database, sql } = this.#options
    // A follower asks for text as it begins: an answer before it is on record would find no one to be sent to.
    await this.followed.recorded(session)
    const rows = await database.rows(sql.interested, [[encodeKey(session)], this.id])
    for (const { process } of rows) this.#liveFor(String(process)).add([session, live, this.id])
  }

  #takeLive(message: string): void {
    const { events } = this.#options
    for (const [session, live, follower] of JSON.parse(message) as Sent[]) {
      // Neither may have seen the other, when it began to follow as the session was claimed.
      if (follower !== undefined && events.isLeased(session)) this.#addInterest(session, follower)
      events.live(session, live)
    }
  }

  #notified(payload: string): void {
    const { events } = this.#options
    const [kind, rest] = [payload[0], payload.slice(1)]
    if (kind === 'l') return this.#notifyBus.receive(payload)
    if (kind === 'a') return rest.split('\n').forEach((session) => events.appended(unescapeNull(session)))
    if (kind === '+') {
      const [process = '', ...sessions] = rest.split('\n')
      // It may have started since the last heartbeat.
      this.#others = new Set([...this.#others, process])
      for (const session of sessions) this.#addInterest(unescapeNull(session), process)
      return
    }
    if (kind === 't') return this.#onOwnNotice()
    if (rest === this.id) return
    if (kind === 'd') return events.due()
    if (kind === 'h' && !this.#closed) void this.#beat()
  }

  /** The connection for notifications is there, for the first time or again. */
  async #recover(): Promise<void> {
    await this.followed.recordAgain()
    this.#options.events.missed()
    this.#options.events.due()
  }

  /** Says that this process is here, and learns which others are. */
  async #beat(): Promise<void> {
    const { database, runtime, events } = this.#options
    this.#cancelBeat()
    this.#cancelBeat = runtime.clock.timer(beatMs, () => void this.#beat())
    const silentFor = elapsed(runtime.clock) - (this.#lastBeat ?? elapsed(runtime.clock))
    try {
      const now = Math.floor(database.clock.now())
      const { rows } = await this.#write('beat', [this.id, now, hostname(), process.pid])
      const { is_new: isNew, others } = rows[0] as { is_new: boolean; others: string[] }
      this.#others = new Set(others)
      for (const process of this.#live.keys()) if (!this.#others.has(process)) this.#live.delete(process)
      const wasForgotten = isNew && this.#lastBeat !== undefined
      this.#lastBeat = elapsed(runtime.clock)
      if (wasForgotten) await this.#tellAll('h')
      if (wasForgotten || silentFor > silentMs) await this.#recover()
      events.due()
    } catch (error) {
      if (!this.#closed && !isBeachError(error))
        runtime.logger.log('error', 'a heartbeat could not be written', { error })
    }
  }
}
