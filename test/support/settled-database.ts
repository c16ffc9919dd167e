import type { PostgresDatabase } from '@cool-ai/beach-core/postgres'

/** Waits until a database works no more: simulated time stands still meanwhile. */
export async function settled(database: PostgresDatabase | undefined): Promise<void> {
  for (let quiet = 0; quiet < 3; quiet++) {
    await new Promise((resolve) => setImmediate(resolve))
    if (database === undefined || database.isIdle) continue
    await database.idle()
    quiet = 0
  }
}
