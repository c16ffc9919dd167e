import { systemRuntime } from '@cool-ai/beach-core'
import { PostgresDatabase } from '@cool-ai/beach-core/postgres'
import { PostgresStore } from '@cool-ai/beach-session/postgres'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { newDatabase } from '../support/postgres.ts'

let server: Awaited<ReturnType<typeof newDatabase>>
beforeAll(async () => {
  server = await newDatabase()
})
afterAll(() => server[Symbol.asyncDispose]())

let schemas = 0

async function openStore() {
  const schema = `grouped_${schemas++}`
  const runtime = systemRuntime({ logger: { log() {} } })
  const database = await PostgresDatabase.open({ url: server.url, schema, runtime })
  const store = await PostgresStore.open({ database, runtime })
  onTestFinished(() => store.close())
  /** The transactions that have written the sessions' rows. */
  const transactions = async () => {
    const { rows } = await server.query(`SELECT DISTINCT xmin::text AS id FROM ${schema}.event`)
    return rows.length
  }
  return { store, schema, transactions }
}

const sessions = Array.from({ length: 20 }, (_, index) => `s${index}`)

test('appends of many sessions at once are one transaction, and each has its own head', async () => {
  const { store, transactions } = await openStore()
  const heads = await Promise.all(
    sessions.map((session, index) =>
      store.append(
        session,
        0,
        Array.from({ length: index + 1 }, (_, n) => ({ n })),
      ),
    ),
  )
  expect(heads).toEqual(sessions.map((_, index) => index + 1))
  expect(await transactions()).toBe(1)
  expect((await store.read('s19', 0)).map(({ data }) => data)).toEqual(Array.from({ length: 20 }, (_, n) => ({ n })))
})

test('an append that expects another head is refused, and the others of its group are written', async () => {
  const { store } = await openStore()
  await store.append('s3', 0, [{ n: 1 }])
  const results = await Promise.allSettled(sessions.map((session) => store.append(session, 0, [{ n: 2 }])))
  const refused = results.flatMap((result, index) => (result.status === 'rejected' ? [sessions[index]] : []))
  expect(refused).toEqual(['s3'])
  expect((await store.read('s3', 0)).map(({ data }) => data)).toEqual([{ n: 1 }])
  expect((await store.read('s4', 0)).map(({ data }) => data)).toEqual([{ n: 2 }])
})

test('of two appends to one session at once, one is written', async () => {
  const { store } = await openStore()
  const results = await Promise.allSettled(
    [1, 2].flatMap((n) => sessions.map((session) => store.append(session, 0, [{ n }]))),
  )
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(sessions.length)
  for (const session of sessions) expect(await store.read(session, 0)).toHaveLength(1)
})

test('when the database refuses one append, the others of its group are written', async () => {
  const { store, schema } = await openStore()
  await server.query(`
    CREATE FUNCTION ${schema}.refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN IF NEW.session = 's7' THEN RAISE 'not this one'; END IF; RETURN NEW; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON ${schema}.event FOR EACH ROW EXECUTE FUNCTION ${schema}.refuse()`)
  const results = await Promise.allSettled(sessions.map((session) => store.append(session, 0, [{ n: 1 }])))
  expect(results.flatMap((result, index) => (result.status === 'rejected' ? [sessions[index]] : []))).toEqual(['s7'])
  expect(String((results[7] as PromiseRejectedResult).reason)).toContain('not this one')
  for (const session of sessions) expect(await store.read(session, 0)).toHaveLength(session === 's7' ? 0 : 1)
})

test('sessions of odd names and large appends are written with the others', async () => {
  const { store } = await openStore()
  const odd = ['half \uD83C', 'null \0', `long ${'é'.repeat(2_000)}`, '"quoted" \\ {a,b}', 'NULL', '']
  const large = 'x'.repeat(200_000)
  const heads = await Promise.all([
    ...odd.map((session) => store.append(session, 0, [{ session: 1 }])),
    store.append('large', 0, [{ large }]),
    ...sessions.map((session) => store.append(session, 0, [{ n: 1 }])),
  ])
  expect(heads.every((head) => head === 1)).toBe(true)
  for (const session of odd) expect(await store.append(session, 1, [{ n: 2 }])).toBe(2)
  expect((await store.read('large', 0)).map(({ data }) => data)).toEqual([{ large }])
})
