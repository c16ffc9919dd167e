import { createBeach, defineActor, openData, type Beach } from '@cool-ai/beach'
import { systemRuntime } from '@cool-ai/beach-core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { newDatabase } from '../support/postgres.ts'
import { mergeOptions } from '../support/merge-options.ts'

const agent = { id: 'clerk', name: 'Clerk' }
const secret = new TextEncoder().encode('a secret of thirty-two characters')
const actors = { clerk: defineActor(async ({ respond }) => respond({ parts: [], turnState: 'complete' })) }
const runtime = systemRuntime({ logger: { log: () => {} } })
const user = { kind: 'user', id: 'anna', tenant: 'default' } as const

let database: Awaited<ReturnType<typeof newDatabase>>
const running: Beach[] = []

beforeEach(async () => {
  database = await newDatabase()
})

afterEach(async () => {
  for (const beach of running.splice(0)) await beach.close()
  await database[Symbol.asyncDispose]()
})

async function started(more: Partial<Parameters<typeof createBeach>[0]> = {}): Promise<Beach> {
  const beach = await createBeach(
    mergeOptions({ agent, actors, runtime, data: { folder: database.url, secret } }, more),
  )
  running.push(beach)
  return beach
}

async function tables(schema: string): Promise<number> {
  const { rows } = await database.query('SELECT count(*)::int AS count FROM pg_tables WHERE schemaname = $1', [schema])
  return (rows[0] as { count: number }).count
}

test('createBeach keeps an agent’s data at the address of a database, for any number of processes', async () => {
  const first = await started()
  const second = await started()
  const session = await first.sessions.open({ principal: user, key: 'one' })
  expect(await second.sessions.open({ principal: user, key: 'one' })).toBe(session)
  const artifact = await putText()
  const link = await second.artifactUrl(artifact)
  const answer = await second.fetch(new Request(`http://127.0.0.1${link}`))
  expect(await answer.text()).toBe('kept')
  expect(await tables('beach_clerk')).toBeGreaterThan(10)
})

async function putText() {
  const data = await openData({ store: database.url, agent: agent.id, secret, runtime })
  try {
    const about = { tenant: 'default', session: 's', name: 'x.txt', mimeType: 'text/plain' }
    return await data.artifacts.put(new Blob(['kept']).stream(), about)
  } finally {
    await data.missives.store.close()
    await data.missives.identities.close()
    await data.artifacts.close?.()
    await data.store.close()
  }
}

// The server ends a connection a moment after its client has closed it.
async function connections(): Promise<unknown[]> {
  const { rows } = await database.query(
    'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  )
  return rows
}

test('a closed agent has no connection left', async () => {
  const beach = await createBeach({ agent, actors, runtime, data: { folder: database.url, secret } })
  await beach.sessions.open({ principal: user, key: 'one' })
  await beach.close()
  await expect.poll(connections).toEqual([])
})

test('an agent that cannot be made closes the connections that it has opened', async () => {
  const onStart = () => Promise.reject(new Error('It cannot start.'))
  await expect(
    createBeach({ agent, actors, runtime, data: { folder: database.url, secret }, onStart }),
  ).rejects.toThrow('cannot start')
  await expect.poll(connections).toEqual([])
})

test('two agents in one database have a schema each, and neither may use the other’s', async () => {
  await started()
  await started({ agent: { id: 'porter', name: 'Porter' } })
  expect(await tables('beach_porter')).toBe(await tables('beach_clerk'))
  const data = `${database.url}?schema=beach_clerk`
  const stranger = createBeach({
    agent: { id: 'porter', name: 'Porter' },
    actors,
    runtime,
    data: { folder: data, secret },
  })
  await expect(stranger).rejects.toThrow("The schema beach_clerk has the data of the agent 'clerk'")
})

test('processes must be given the secret that they share', async () => {
  const unset = createBeach({ agent, actors, runtime, data: database.url })
  await expect(unset).rejects.toThrow('Set BEACH_SECRET')
  expect(await tables('beach_clerk')).toBe(0)
})

test.each([
  ['mysql://anna:hidden@db.example/beach', "There is no store 'mysql://anna:…@db.example/beach'"],
  ['postgres:nowhere', 'postgres://user@host/database'],
])('the address %s is refused, and its password is not repeated', async (store, reason) => {
  const opening = openData({ store, secret, runtime })
  await expect(opening).rejects.toThrow(reason)
  await expect(opening).rejects.not.toThrow('hidden')
  // A typing error in it does not make a data folder of that name.
  const creating = createBeach({ agent, actors, runtime, data: { folder: store, secret } })
  await expect(creating).rejects.toThrow(reason)
})

test('a bucket for large artifacts needs credentials', async () => {
  process.env.BEACH_S3_BUCKET = 'https://s3.example/beach'
  try {
    const opening = openData({ store: database.url, agent: agent.id, secret, runtime })
    await expect(opening).rejects.toThrow('BEACH_S3_BUCKET is set, so AWS_')
  } finally {
    delete process.env.BEACH_S3_BUCKET
  }
})
