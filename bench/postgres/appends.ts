import { PostgresDatabase } from '@cool-ai/beach-core/postgres'
import { PostgresStore } from '@cool-ai/beach-session/postgres'
import { Client } from 'pg'
import { appendFigures, type AppendsOptions } from '../appends.ts'
import type { BenchOptions, Figure } from '../measure.ts'
import type { DatabaseServer } from './database-server.ts'

/** Appends of 32 sessions that share a round trip and a flush, against prepared inserts that share a transaction. */
export async function postgresAppends(server: DatabaseServer, { quick }: BenchOptions): Promise<Figure[]> {
  const url = await server.newDatabase('appends')
  const store = await PostgresStore.open({ database: await PostgresDatabase.open({ url }) })
  const bare = new Client({ connectionString: url, pipeline: true })
  await bare.connect()
  try {
    await bare.query(`
      CREATE TABLE bare_event (
        seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, session text COLLATE "C" NOT NULL, data text NOT NULL);
      CREATE INDEX ON bare_event (session)`)
    return await appendFigures({ name: 'postgres', store, insertGroup: inserter(bare), goal: '>= 0.7', quick })
  } finally {
    await bare.end()
    await store.close()
  }
}

/** Everything is sent before the first answer is awaited: one round trip, as the store has it. */
function inserter(client: Client): AppendsOptions['insertGroup'] {
  const insert = { name: 'insert', text: 'INSERT INTO bare_event (session, data) VALUES ($1, $2)' }
  return async (events) => {
    await Promise.all([
      client.query('BEGIN'),
      ...events.map(({ session, event }) => client.query({ ...insert, values: [session, JSON.stringify(event)] })),
      client.query('COMMIT'),
    ])
  }
}
