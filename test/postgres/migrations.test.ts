import { systemRuntime } from '@cool-ai/beach-core'
import { PostgresDatabase, type Component } from '@cool-ai/beach-core/postgres'
import { PostgresStore } from '@cool-ai/beach-session/postgres'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { newDatabase } from '../support/postgres.ts'

let server: Awaited<ReturnType<typeof newDatabase>>
beforeAll(async () => {
  server = await newDatabase()
})
afterAll(() => server[Symbol.asyncDispose]())

const runtime = systemRuntime({ logger: { log() {} } })

async function open(schema: string, url = server.url): Promise<PostgresDatabase> {
  const database = await PostgresDatabase.open({ url, schema, runtime })
  onTestFinished(() => database.close())
  return database
}

const first = { version: 1, sql: (schema: string) => `CREATE TABLE ${schema}.thing (name text)` }
const expanded = { version: 2, sql: (schema: string) => `ALTER TABLE ${schema}.thing ADD COLUMN title text` }
const contracted = {
  version: 3,
  sql: (schema: string) => `ALTER TABLE ${schema}.thing DROP COLUMN name`,
  compatibleFrom: 2,
}
const release = (...migrations: readonly Component['migrations'][number][]): Component => ({
  name: 'things',
  migrations,
})

test('many processes that start at once on an empty database all start, and the tables are made once', async () => {
  const stores = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const database = await PostgresDatabase.open({ url: server.url, schema: 'at_once', runtime })
      return PostgresStore.open({ database, runtime })
    }),
  )
  expect(await stores[0]?.append('s', 0, [{ n: 1 }])).toBe(1)
  expect((await stores[7]?.read('s', 0))?.length).toBe(1)
  await Promise.all(stores.map((store) => store.close()))
})

test('an older program goes on and starts again while a newer one has only added to the tables', async () => {
  const older = await open('expand')
  await older.use(release(first))
  const newer = await open('expand')
  await newer.use(release(first, expanded))
  await expect(older.check()).resolves.toBeUndefined()
  await (await open('expand')).use(release(first))
  const { rows } = await server.query('SELECT version FROM expand.migration')
  expect(rows).toEqual([{ version: 2 }])
})

test('a program that is too old for the tables does not start, and a running one says that it is not ready', async () => {
  const older = await open('contract')
  await older.use(release(first))
  const between = await open('contract')
  await between.use(release(first, expanded))
  await (await open('contract')).use(release(first, expanded, contracted))
  const message = /have version 3, which programs older than version 2 cannot use; this one has version 1/
  await expect((await open('contract')).use(release(first))).rejects.toMatchObject({
    code: 'INVALID_CONFIGURATION',
    message: expect.stringMatching(message) as string,
  })
  await expect(older.check()).rejects.toThrow(message)
  await expect(between.check()).resolves.toBeUndefined()
})

test('a migration that fails changes nothing, and the next start tries it again', async () => {
  const broken = { version: 2, sql: (schema: string) => `${expanded.sql(schema)}; SELECT 1 / 0` }
  const database = await open('broken')
  await database.use(release(first))
  await expect(database.use(release(first, broken))).rejects.toThrow(/division by zero/)
  await database.use(release(first, expanded))
})

test('a user without the right to make tables is told what to do, and needs none once they are there', async () => {
  const name = `plain_${process.pid}`
  await server.query(`CREATE ROLE ${name} LOGIN PASSWORD 'x'`)
  onTestFinished(async () => void (await server.query(`DROP OWNED BY ${name}; DROP ROLE ${name}`)))
  const url = new URL(server.url)
  Object.assign(url, { username: name, password: 'x' })
  const plain = await open('rights', url.href)
  await expect(plain.use(release(first))).rejects.toMatchObject({
    code: 'INVALID_CONFIGURATION',
    message: expect.stringContaining('beach data migrate') as string,
  })
  await (await open('rights')).use(release(first))
  await server.query(
    `GRANT USAGE ON SCHEMA rights TO ${name}; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA rights TO ${name}`,
  )
  await plain.use(release(first))
  await plain.check()
})

test('a migration that waits for a table lets those through who want it meanwhile', async () => {
  const older = await open('waiting')
  await older.use(release(first))
  await server.query('BEGIN')
  await server.query('SELECT * FROM waiting.thing')
  const newer = await open('waiting')
  const migrating = newer.use(release(first, expanded))
  const watching = await open('watching')
  const waits = { name: '', text: 'SELECT FROM pg_locks WHERE NOT granted AND locktype = $1' }
  while ((await watching.rows(waits, ['relation'])).length === 0) await new Promise((resolve) => setImmediate(resolve))
  // It waits behind the migration, until that gives up for now; a statement that waits for 5 s fails.
  expect(await older.rows({ name: '', text: 'SELECT name FROM waiting.thing' })).toEqual([])
  await server.query('COMMIT')
  await migrating
  expect(await older.rows({ name: '', text: 'SELECT title FROM waiting.thing' })).toEqual([])
})

test.each([
  ['mysql://here', /is not one/],
  ['postgres://here/db?schema=Not%20one', /cannot be the name of a schema/],
  ['postgres://here/db?connections=none', /connections=none is not a number/],
])('the address %s is refused with a sentence', async (url, message) => {
  await expect(PostgresDatabase.open({ url, runtime })).rejects.toThrow(message)
})
