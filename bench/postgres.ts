import type { BenchOptions, Figure } from './measure.ts'
import { postgresAppends } from './postgres/appends.ts'
import { DatabaseServer } from './postgres/database-server.ts'
import { postgresLiveText } from './postgres/live-text.ts'
import { postgresSize } from './postgres/size.ts'
import { postgresTakeover } from './postgres/takeover.ts'
import { postgresTurns } from './postgres/turns.ts'

/** An agent on several processes over one PostgreSQL server. */
export async function postgresBench(options: BenchOptions): Promise<Figure[]> {
  await using server = await DatabaseServer.start()
  const figures: Figure[] = []
  for (const part of [postgresAppends, postgresTurns, postgresLiveText, postgresTakeover, postgresSize]) {
    const t = performance.now()
    figures.push(...(await part(server, options)))
    console.error(part.name, Math.round(performance.now() - t))
  }
  return figures
}
