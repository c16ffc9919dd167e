import type { Runtime } from '@cool-ai/beach-core'
import { namedStatements, type PostgresDatabase, type Transaction } from '@cool-ai/beach-core/postgres'
import { elapsed } from '@cool-ai/beach-core/runtime'
import { replacedBy, tablesOf } from './missive-tables.ts'

const useMs = 10 * 60 * 1_000

interface Version {
  readonly version: number
  readonly tables: readonly string[]
}

/**
 * The versions of the projection that are in the database, each in tables of its own. While programs of two versions
 * run, each reads and writes its own; what is erased by one is taken out of the other's too, which then reads that
 * session's log anew. Tables that were not used for a day are emptied, and readable ones once missives are encrypted.
 */
export class ProjectionVersions {
  readonly #database: PostgresDatabase
  readonly #runtime: Runtime
  readonly #sql: ReturnType<typeof statements>
  readonly #own: number
  #usedAt = -Infinity

  /** With the version that this program reads and writes. */
  constructor(database: PostgresDatabase, runtime: Runtime, own: number) {
    this.#database = database
    this.#own = own
    this.#runtime = runtime
    this.#sql = statements(`${database.schema}.missive_projection`)
  }

  /** Says that this version is in use, and empties those that are not. */
  async use(): Promise<void> {
    this.#usedAt = elapsed(this.#runtime.clock)
    const tables = Object.values(tablesOf(this.#own))
    await this.#database.transaction(async (transaction) => {
      await transaction.rows(this.#sql.use, [this.#own, tables])
      for (const { version, tables: unused } of await this.#unused(transaction)) {
        await transaction.rows({ name: '', text: `TRUNCATE ${this.#full(unused).join(', ')}` })
        await transaction.rows(this.#sql.forget, [version])
        this.#runtime.logger.log('info', 'emptied missives of a version that is not in use', { version })
      }
    })
  }

  /** The same, now and then, without waiting for it. */
  touch(): void {
    if (elapsed(this.#runtime.clock) - this.#usedAt < useMs) return
    this.use().catch((error: unknown) => {
      this.#runtime.logger.log('warn', 'the use of the missives could not be noted; it is tried again', { error })
    })
  }

  /** Takes a session out of the tables of all other versions. */
  async dropElsewhere(session: string): Promise<void> {
    const others = (await this.#database.rows(this.#sql.others, [this.#own])) as unknown as Version[]
    for (const { tables } of others) {
      await this.#database.transaction(async ({ rows }) => {
        // The first one has the read position: a writer of the session waits for it, and begins anew.
        for (const table of this.#full(tables)) {
          await rows({ name: '', text: `DELETE FROM ${table} WHERE session = $1` }, [session])
        }
      })
    }
  }

  async #unused({ rows }: Transaction): Promise<Version[]> {
    return (await rows(this.#sql.unused, [this.#own, replacedBy(this.#own)])) as unknown as Version[]
  }

  #full(tables: readonly string[]): string[] {
    return tables.filter((table) => /^[a-z_0-9]+$/.test(table)).map((table) => `${this.#database.schema}.${table}`)
  }
}

function statements(table: string) {
  return namedStatements('missives', {
    use: `
      INSERT INTO ${table} (version, tables, used) VALUES ($1, $2, now())
      ON CONFLICT (version) DO UPDATE SET used = now(), tables = excluded.tables`,
    others: `SELECT version, tables FROM ${table} WHERE version <> $1 ORDER BY version`,
    unused: `
      SELECT version, tables FROM ${table}
      WHERE version <> $1 AND (used < now() - interval '1 day' OR version = ANY($2::integer[]))
      ORDER BY version FOR UPDATE SKIP LOCKED`,
    forget: `DELETE FROM ${table} WHERE version = $1`,
  })
}
