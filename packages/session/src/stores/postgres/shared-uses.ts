import type { Runtime } from '@cool-ai/beach-core'
import type { Use, Used } from '@cool-ai/beach-core/ports'
import {
  encodeKey,
  namedStatements,
  relaxed,
  type Component,
  type PostgresDatabase,
} from '@cool-ai/beach-core/postgres'
import { keptKey, lastingPrefix, lastingUsesKeptMs, usesKeptMs } from '@cool-ai/beach-core/runtime'

/**
 * Not in the server's log: after a crash all limits begin anew. `recent` has the tokens of the last calls, with a minus
 * before those that were not counted: a call whose answer was lost is sent again with its token, and counts once.
 */
export const useTables: Component = {
  name: 'use',
  migrations: [
    {
      version: 1,
      sql: (schema) => `
        CREATE UNLOGGED TABLE ${schema}.use (
          key text COLLATE "C" PRIMARY KEY, used double precision NOT NULL, at bigint NOT NULL,
          recent bigint[] NOT NULL
        ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
      `,
    },
  ],
}

const sweepMs = 60_000
const sweptAtOnce = 1_000
/** As many as one round trip can lose the answers of. */
const tokensKept = 64

/** Counts uses in the database, for all processes. Those that are counted together go in one round trip. */
export class SharedUses {
  readonly #database: PostgresDatabase
  readonly #sql: ReturnType<typeof statements>
  #sweptAt: number
  #token: number

  constructor(database: PostgresDatabase, runtime: Runtime) {
    this.#database = database
    this.#sql = statements(database.schema)
    this.#sweptAt = database.clock.now()
    this.#token = Math.floor(runtime.random() * 2 ** 52)
  }

  async count(uses: readonly Use[]): Promise<readonly Used[]> {
    const now = Math.floor(this.#database.clock.now())
    if (Math.abs(now - this.#sweptAt) > sweepMs) void this.#sweep(now).catch(() => {})
    return Promise.all(uses.map((use) => this.#count(use, now)))
  }

  async #count(use: Use, now: number): Promise<Used> {
    const { count, perSecond, max = Infinity } = use
    const values = [encodeKey(keptKey(use)), count, perSecond, max, now, ++this.#token]
    const { rows } = await this.#database.write(this.#sql.count, values, { durable: false })
    const [row] = rows
    return { used: Number(row?.used), isCounted: row?.counted === true }
  }

  async #sweep(now: number): Promise<void> {
    this.#sweptAt = now
    await this.#database.write(this.#sql.sweep, [now - usesKeptMs, now + usesKeptMs, now - lastingUsesKeptMs], {
      durable: false,
    })
  }
}

/** What `countUse` of core does, in SQL. */
function statements(schema: string) {
  const left = `greatest(own.used - greatest($5 - own.at, 0) / 1000.0 * $3::double precision, 0)`
  // Without the errors of floating-point arithmetic.
  const fits = (before: string) => `${before} + $2::double precision <= $4::double precision + 1e-6`
  const after = (before: string) => `CASE WHEN ${fits(before)} THEN greatest(${before} + $2, 0) ELSE ${before} END`
  const isKnown = `($6::bigint = ANY(own.recent) OR -$6::bigint = ANY(own.recent))`
  const unlessKnown = (known: string, then: string) => `CASE WHEN ${isKnown} THEN own.${known} ELSE ${then} END`
  const signed = (before: string) => `CASE WHEN ${fits(before)} THEN $6::bigint ELSE -$6::bigint END`
  const kept = `(own.recent || ${signed(left)})[greatest(1, cardinality(own.recent) - ${tokensKept - 2}):]`
  return namedStatements('use', {
    // $1 key, $2 count, $3 per second, $4 max, $5 now, $6 token
    count: `
      INSERT INTO ${schema}.use AS own (key, used, at, recent)
      VALUES ($1, ${after('0::double precision')}, $5::bigint, ARRAY[${signed('0')}])
      ON CONFLICT (key) DO UPDATE SET used = ${unlessKnown('used', after(left))}, at = ${unlessKnown('at', '$5')},
        recent = ${unlessKnown('recent', kept)}
      RETURNING used, $6 = ANY(own.recent) AS counted, ${relaxed(7)}`,
    // Not those that are being counted just now.
    sweep: `
      DELETE FROM ${schema}.use WHERE key IN (
        SELECT key FROM ${schema}.use WHERE at > $2::bigint OR at < $3::bigint
          OR (at < $1::bigint AND NOT starts_with(key, '${lastingPrefix}')) LIMIT ${sweptAtOnce} FOR UPDATE SKIP LOCKED)
      RETURNING ${relaxed(4)}`,
  })
}
