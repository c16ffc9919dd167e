import { partsOf, type BenchOptions, type Figure } from './measure.ts'
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
  const parts = [postgresAppends, postgresTurns, postgresLiveText, postgresTakeover, postgresSize]
  return await partsOf(options, parts, (part) => part(server, options))
}
