import type { Use, Used } from '@cool-ai/beach-core/ports'
import {
  encodeKey,
  namedStatements,
  relaxed,
  type Component,
  type PostgresDatabase,
} from '@cool-ai/beach-core/postgres'
import { usesKeptMs } from '@cool-ai/beach-core/runtime'

/** Not in the server's log: after a crash all limits begin anew. `counted` tells whether the last use was counted. */
export const useTables: Component = {
  name: 'use',
  migrations: [
    {
      version: 1,
      sql: (schema) => `
        CREATE UNLOGGED TABLE ${schema}.use (
          key text COLLATE "C" PRIMARY KEY, used double precision NOT NULL, at bigint NOT NULL, counted boolean NOT NULL
        ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
      `,
    },
  ],
}

const sweepMs = 60_000
const sweptAtOnce = 1_000

/** Counts uses in the database, for all processes. Those that are counted together go in one round trip. */
export class SharedUses {
  readonly #database: PostgresDatabase
  readonly #sql: ReturnType<typeof statements>
  #sweptAt: number

  constructor(database: PostgresDatabase) {
    this.#database = database
    this.#sql = statements(database.schema)
    this.#sweptAt = database.clock.now()
  }

  async count(uses: readonly Use[]): Promise<readonly Used[]> {
    const now = Math.floor(this.#database.clock.now())
    if (Math.abs(now - this.#sweptAt) > sweepMs) void this.#sweep(now).catch(() => {})
    return Promise.all(uses.map((use) => this.#count(use, now)))
  }

  async #count({ key, count, perSecond, max = Infinity }: Use, now: number): Promise<Used> {
    const values = [encodeKey(key), count, perSecond, max, now]
    const { rows } = await this.#database.write(this.#sql.count, values, { durable: false })
    const [row] = rows
    return { used: Number(row?.used), isCounted: row?.counted === true }
  }

  async #sweep(now: number): Promise<void> {
    this.#sweptAt = now
    await this.#database.write(this.#sql.sweep, [now - usesKeptMs, now + usesKeptMs], { durable: false })
  }
}

/** What `countUse` of core does, in SQL. */
function statements(schema: string) {
  const left = `greatest(own.used - greatest($5 - own.at, 0) / 1000.0 * $3::double precision, 0)`
  // Without the errors of floating-point arithmetic.
  const fits = (before: string) => `${before} + $2::double precision <= $4::double precision + 1e-6`
  const after = (before: string) => `CASE WHEN ${fits(before)} THEN greatest(${before} + $2, 0) ELSE ${before} END`
  return namedStatements('use', {
    // $1 key, $2 count, $3 per second, $4 max, $5 now
    count: `
      INSERT INTO ${schema}.use AS own (key, used, at, counted)
      VALUES ($1, ${after('0::double precision')}, $5::bigint, ${fits('0')})
      ON CONFLICT (key) DO UPDATE SET used = ${after(left)}, at = $5, counted = ${fits(left)}
      RETURNING used, counted, ${relaxed(6)}`,
    // Not those that are being counted just now.
    sweep: `
      DELETE FROM ${schema}.use WHERE key IN (
        SELECT key FROM ${schema}.use WHERE at < $1::bigint OR at > $2::bigint LIMIT ${sweptAtOnce} FOR UPDATE SKIP LOCKED)
      RETURNING ${relaxed(3)}`,
  })
}
