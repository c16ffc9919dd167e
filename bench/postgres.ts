import type { BenchOptions, Figure } from './measure.ts'
import { postgresAppends } from './postgres/appends.ts'
import { DatabaseServer } from './postgres/database-server.ts'
import { postgresLiveText } from './postgres/live-text.ts'
import { postgresSize } from './postgres/size.ts'
import { postgresSizing } from './postgres/sizing.ts'
import { postgresTakeover } from './postgres/takeover.ts'
import { postgresTurns } from './postgres/turns.ts'

/** An agent on several processes over one PostgreSQL server. */
export async function postgresBench(options: BenchOptions): Promise<Figure[]> {
  await using server = await DatabaseServer.start()
  await postgresSizing(server, options)
  const figures: Figure[] = []
  for (const part of [postgresAppends, postgresTurns, postgresLiveText, postgresTakeover, postgresSize]) {
    figures.push(...(await part(server, options)))
  }
  return figures
}
