import { createBeach, defineActor } from '@cool-ai/beach'
import { PostgresDatabase } from '@cool-ai/beach-core/postgres'
import { openPostgresMissives } from '@cool-ai/beach-missives/postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newDatabase } from '../support/postgres.ts'

let server: Awaited<ReturnType<typeof newDatabase>>
beforeAll(async () => {
  server = await newDatabase()
})
afterAll(() => server[Symbol.asyncDispose]())

const about = { name: 'plan.txt', mimeType: 'text/plain', tenant: 'default' }

/** How many connections lead to the database, besides the test's own. */
async function connections(): Promise<number> {
  const { rows } = await server.query(
    `SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'beach %'`,
  )
  return Number(rows[0]?.n)
}

test('an agent keeps its missives, identities and artifacts in one database, and lets go of it when it ends', async () => {
  const database = await PostgresDatabase.open({ url: server.url, schema: 'one' })
  const data = await openPostgresMissives(database)
  const actors = { clerk: defineActor(async ({ respond }) => respond({ parts: [], turnState: 'complete' })) }
  const beach = await createBeach({
    agent: { id: 'clerk', name: 'Clerk' },
    actors,
    data: { folder: 'memory', ...data },
  })
  const { artifactId } = await data.artifacts.put(Buffer.from('x'), about)
  expect(await data.artifacts.get(artifactId, 'default')).toBeDefined()
  expect(await connections()).toBeGreaterThan(0)
  await beach.close()
  await expect(data.artifacts.get(artifactId, 'default')).rejects.toMatchObject({ code: 'STORE_CLOSED' })
  await expect(database.rows({ name: '', text: 'SELECT 1' })).rejects.toMatchObject({ code: 'STORE_CLOSED' })
})

test('when one of the stores cannot be opened, none stays open', async () => {
  const database = await PostgresDatabase.open({ url: server.url, schema: 'two' })
  await (await openPostgresMissives(await PostgresDatabase.open({ url: server.url, schema: 'two' }))).artifacts.close()
  await server.query(`UPDATE two.migration SET compatible_from = 99, version = 99 WHERE component = 'identities'`)
  await expect(openPostgresMissives(database)).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' })
  await expect(database.rows({ name: '', text: 'SELECT 1' })).rejects.toMatchObject({ code: 'STORE_CLOSED' })
})
