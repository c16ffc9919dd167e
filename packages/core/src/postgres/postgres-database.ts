import { Pool, types, type ClientConfig } from 'pg'
import { elapsed, sleep, systemClock, type Clock } from '../clock.ts'
import { BeachError } from '../errors.ts'
import { keepAlive } from '../keep-alive.ts'
import { systemRuntime, type Runtime } from '../runtime.ts'
import type { ListeningConnection, Row } from './connection.ts'
import { DatabaseClock } from './database-clock.ts'
import { Lanes, type Statement, type Written } from './lanes.ts'
import { Listener, type ListenerEvents } from './listener.ts'
import { checkVersion, migrate, type Component } from './migrations.ts'
import { codeOf, isConnectionLost, isRolledBack, toOpeningError, toStoreError } from './postgres-errors.ts'
import { checkedSchema, parsePostgresUrl } from './postgres-url.ts'
import { PrimaryClient } from './primary-client.ts'

/** Which database is opened, and with how many connections. */
export interface PostgresOptions {
  /** `postgres://user@host/database`, with `?schema=…` and `&connections=…`. */
  readonly url: string
  /** Where the tables are, unless the address says it. */
  readonly schema?: string | undefined
  /** An address that leads past a pooler, for notifications; the same one when left out. */
  readonly directUrl?: string | undefined
  readonly runtime?: Runtime | undefined
  /** Whose time leases and wakes go by: the server's unless a test simulates it. */
  readonly time?: 'server' | 'runtime' | undefined
}

/** Statements that belong together: all of them take effect or none. */
export interface Transaction {
  readonly rows: (statement: Statement, values?: readonly unknown[]) => Promise<readonly Row[]>
}

const timeouts = { statement_timeout: 10_000, lock_timeout: 5_000, idle_in_transaction_session_timeout: 10_000 }
const queryTimeoutMs = 15_000
const connectTimeoutMs = 5_000
const maxWaitMs = 5_000
const maxRollbacks = 5
const minServerVersion = 130_000
const int8 = 20

/** One database with the tables of one agent: its connections, its time, and errors with codes of ours. */
export class PostgresDatabase {
  readonly schema: string
  /** The time that all processes share. */
  readonly clock: Clock
  readonly #runtime: Runtime
  readonly #settings: ClientConfig
  readonly #direct: ClientConfig
  readonly #pool: Pool
  readonly #prepares: boolean
  readonly #lanes: Lanes
  readonly #components: Component[] = []
  #users = 0
  #pending = 0
  #idle: (() => void)[] = []
  #closing: Promise<void> | undefined

  /** Connects; a server that cannot be reached, or refuses, is an error that says why. */
  static async open(options: PostgresOptions): Promise<PostgresDatabase> {
    const runtime = options.runtime ?? systemRuntime()
    const { connectionString, schema, maxConnections, prepares } = parsePostgresUrl(options.url)
    const settings = await acceptedSettings({ ...baseSettings(runtime), connectionString }, runtime)
    const { directUrl } = options
    const direct =
      directUrl === undefined
        ? settings
        : { ...settings, ...timeouts, connectionString: parsePostgresUrl(directUrl).connectionString }
    const sharesFlush = await ask(settings).catch((error: unknown) => {
      throw toOpeningError(error)
    })
    return new PostgresDatabase({
      runtime,
      settings,
      direct,
      maxConnections,
      sharesFlush,
      prepares,
      schema: checkedSchema(schema ?? options.schema ?? 'beach'),
      clock: options.time === 'runtime' ? runtime.clock : new DatabaseClock(runtime.clock),
    })
  }

  private constructor(options: {
    runtime: Runtime
    settings: ClientConfig
    direct: ClientConfig
    maxConnections: number
    sharesFlush: boolean
    prepares: boolean
    schema: string
    clock: Clock
  }) {
    this.schema = options.schema
    this.clock = options.clock
    this.#runtime = options.runtime
    this.#settings = options.settings
    this.#direct = options.direct
    const { maxConnections: max } = options
    const onConnect = (client: unknown) => (client as PrimaryClient).refuseStandby()
    this.#pool = new Pool({ ...options.settings, max, idleTimeoutMillis: 30_000, Client: PrimaryClient, onConnect })
    // An idle connection that breaks is replaced when it is needed.
    this.#pool.on('error', () => {})
    // One that is in use has no listener of the pool's, and its error would end the process; the statement fails anyway.
    this.#pool.on('connect', (client) => client.on('error', () => {}))
    const connect = () => connected({ ...this.#settings, pipeline: true })
    const { sharesFlush, prepares } = options
    this.#prepares = prepares
    this.#lanes = new Lanes({ connect, sharesFlush, prepares, clock: systemClock })
  }

  /** Brings the tables of a store up to date. Its `check` rejects once a newer program has removed what it needs. */
  async use(component: Component): Promise<void> {
    const client = await connected(this.#settings).catch((error: unknown) => {
      throw toStoreError(error)
    })
    try {
      await migrate(client, this.schema, component)
      this.#components.push(component)
      this.#users++
    } finally {
      client.end().catch(() => {})
    }
  }

  /** Reads; tried again on a new connection when the one it used breaks. */
  rows(statement: Statement, values: readonly unknown[] = []): Promise<readonly Row[]> {
    return this.#counted(() =>
      this.#repeated(async () => {
        const query = { ...this.#query(statement, values), query_timeout: maxWaitMs }
        return (await this.#pool.query(query)).rows as Row[]
      }),
    )
  }

  /**
   * Writes by one statement that may run twice, together with the writes of other callers in one round trip. Its last
   * parameter is `relaxed`'s; `durable: false` does not wait for the disk.
   */
  write(statement: Statement, values: readonly unknown[], options: { durable: boolean }): Promise<Written> {
    return this.#counted(() => this.#lanes.write(statement, values, options.durable))
  }

  /**
   * Runs statements in one transaction; it runs again when the server rolled it back because of others. When the
   * connection breaks at the commit its outcome is unknown, so `run` must be able to find out that it was done.
   */
  transaction<Value>(run: (transaction: Transaction) => Promise<Value>): Promise<Value> {
    return this.#counted(() => this.#repeated(() => this.#transaction(run)))
  }

  async #transaction<Value>(run: (transaction: Transaction) => Promise<Value>): Promise<Value> {
    const client = await this.#pool.connect()
    let failure: unknown
    try {
      await client.query('BEGIN')
      const value = await run({
        rows: async (statement, values = []) => (await client.query(this.#query(statement, values))).rows as Row[],
      })
      await client.query('COMMIT')
      return value
    } catch (error) {
      failure = error
      if (!isConnectionLost(error)) await client.query('ROLLBACK').catch((broken: unknown) => (failure = broken))
      throw error
    } finally {
      client.release(isConnectionLost(failure))
    }
  }

  /** Listens to notifications on channels, over a connection of its own. */
  listen(channels: readonly string[], events: ListenerEvents): Promise<Listener> {
    const { clock, logger } = this.#runtime
    const time = this.clock instanceof DatabaseClock ? this.clock : undefined
    const connect = () => connected(this.#direct)
    return Listener.open({ connect, channels, events, clock, logger, time }).catch((error: unknown) => {
      throw toStoreError(error)
    })
  }

  /** Rejects when nothing can be written, or a newer program has changed the tables too far for this one. */
  async check(): Promise<void> {
    // First, and not tried again: it says at once why the server cannot be reached.
    const query = (text: string) => this.#pool.query(text)
    for (const component of this.#components) {
      await checkVersion({ query }, this.schema, component)
    }
    await this.flush()
  }

  /** Resolves when everything that was committed before is on disk: also what its writer has not been told of. */
  async flush(): Promise<void> {
    await this.write(probe, [], { durable: true })
  }

  /** Whether no statement is under way; for tests that simulate time. */
  get isIdle(): boolean {
    return this.#pending === 0
  }

  /** Resolves when no statement is under way. */
  idle(): Promise<void> {
    return this.#pending === 0 ? Promise.resolve() : new Promise((resolve) => this.#idle.push(resolve))
  }

  /** Ends the connections when the last of its stores has closed it. */
  async close(): Promise<void> {
    this.#users--
    if (this.#users <= 0) await this.end()
  }

  /** Ends the connections, whatever is still in use. */
  async end(): Promise<void> {
    this.#closing ??= this.#end()
    await this.#closing
  }

  async #end(): Promise<void> {
    await this.#lanes.close()
    await this.#pool.end().catch(() => {})
  }

  #query({ name, text }: Statement, values: readonly unknown[]) {
    return { ...(this.#prepares && { name }), text, values: [...values] }
  }

  async #repeated<Value>(run: () => Promise<Value>): Promise<Value> {
    const deadline = elapsed(systemClock) + maxWaitMs
    for (let attempt = 1; ; attempt++) {
      if (this.#closing !== undefined) throw new BeachError('STORE_CLOSED', 'The store is closed.')
      try {
        return await run()
      } catch (error) {
        const isLate = elapsed(systemClock) >= deadline
        const isTransient = isConnectionLost(error) || (isRolledBack(error) && attempt <= maxRollbacks)
        if (isLate || !isTransient) throw toStoreError(error)
        await keepAlive(sleep(systemClock, Math.min(20 * 2 ** attempt, 500) * (0.5 + this.#runtime.random() / 2)))
      }
    }
  }

  async #counted<Value>(run: () => Promise<Value>): Promise<Value> {
    this.#pending++
    try {
      return await run()
    } finally {
      this.#pending--
      if (this.#pending === 0) for (const resolve of this.#idle.splice(0)) resolve()
    }
  }
}

// Writes to the server's log, and nothing else.
const probe: Statement = {
  name: 'probe',
  text: `SELECT pg_logical_emit_message(true, 'beach', repeat('x', 1000)), CASE WHEN $1::boolean THEN 1 END`,
}

function baseSettings(runtime: Runtime): ClientConfig {
  return {
    application_name: `beach ${runtime.id('proc')}`,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: queryTimeoutMs,
    keepAlive: true,
    // Numbers of events and times are far below the limit of JavaScript's.
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === int8 ? Number : types.getTypeParser(oid, format),
    },
  }
}

async function connected(settings: ClientConfig): Promise<ListeningConnection> {
  const client = new PrimaryClient(settings)
  // Without a listener an error of an idle connection would end the process; its users notice by themselves.
  client.on('error', () => {})
  await client.connect()
  try {
    client.refuseStandby()
  } catch (error) {
    client.end().catch(() => {})
    throw error
  }
  return client
}

/** With the timeouts that the server keeps itself; some poolers refuse them, and then its role has to have them. */
async function acceptedSettings(settings: ClientConfig, runtime: Runtime): Promise<ClientConfig> {
  try {
    const client = await connected({ ...settings, ...timeouts })
    client.end().catch(() => {})
    return { ...settings, ...timeouts }
  } catch (error) {
    if (codeOf(error) !== '08P01') throw toOpeningError(error)
    const message =
      'the pooler before the database takes no timeouts: set statement_timeout, lock_timeout and idle_in_transaction_session_timeout for the role'
    runtime.logger.log('warn', message, { ...timeouts })
    return settings
  }
}

/** Whether one flush covers all sessions; refuses servers that are too old. */
async function ask(settings: ClientConfig): Promise<boolean> {
  const client = await connected(settings)
  try {
    const { rows } = await client.query(
      `SELECT current_setting('server_version_num')::integer AS version, current_setting('server_version') AS name,
         EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS citus`,
    )
    const { version, name, citus } = rows[0] as { version: number; name: string; citus: boolean }
    if (version >= minServerVersion) return !citus
    throw new BeachError('INVALID_CONFIGURATION', `The database is PostgreSQL ${name}. Beach needs 13 or later.`)
  } finally {
    client.end().catch(() => {})
  }
}
