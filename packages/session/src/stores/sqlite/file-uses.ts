import type { DatabaseSync } from 'node:sqlite'
import type { Use, Used } from '@cool-ai/beach-core/ports'
import { countUse, keptKey, lastingPrefix, lastingUsesKeptMs, usesKeptMs } from '@cool-ai/beach-core/runtime'

/** Counts uses in the file, for all processes that have it open. Called inside a transaction. */
export class FileUses {
  readonly #sql: ReturnType<typeof prepare>
  #sweptAt = 0

  constructor(db: DatabaseSync) {
    this.#sql = prepare(db)
  }

  count(uses: readonly Use[], now: number): Used[] {
    if (Math.abs(now - this.#sweptAt) > usesKeptMs) {
      this.#sweptAt = now
      this.#sql.sweep.run(...[-usesKeptMs, -lastingUsesKeptMs, usesKeptMs].map((ms) => Math.floor(now + ms)))
    }
    return uses.map((use) => {
      const key = keptKey(use)
      const row = this.#sql.get.get(key)
      const before = row && { used: Number(row.used), at: Number(row.at) }
      const counted = countUse(before, use, Math.floor(now))
      this.#sql.set.run(key, counted.used, counted.at)
      return counted
    })
  }
}

function prepare(db: DatabaseSync) {
  return {
    get: db.prepare('SELECT used, at FROM use WHERE key = ?'),
    set: db.prepare(
      'INSERT INTO use (key, used, at) VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET used = excluded.used, at = excluded.at',
    ),
    // What lies ahead was written before the clock was set back.
    sweep: db.prepare(`DELETE FROM use WHERE (at < ?1 AND key NOT GLOB '${lastingPrefix}*') OR at < ?2 OR at > ?3`),
  }
}
