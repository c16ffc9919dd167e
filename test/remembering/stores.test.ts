import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createBeach, defineActor, type Beach, type BeachOptions } from '@cool-ai/beach'
import { silentLogger, systemRuntime, type Principal } from '@cool-ai/beach-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { folderOfTest, simulated, eventually } from '../missives/test-context.ts'
import { newDatabase } from '../support/postgres.ts'

const ann: Principal = { kind: 'user', id: 'ann.secretid', tenant: 'default' }
const guest: Principal = { kind: 'anonymous', id: 'anon_ann', tenant: 'default' }
const bob: Principal = { kind: 'user', id: 'bob', tenant: 'default' }
const operator: Principal = { kind: 'operator', id: 'ops', tenant: 'default' }

const actors = {
  main: defineActor(({ respond }) =>
    respond({ parts: [{ partType: 'response', text: 'Hi.' }], turnState: 'complete' }),
  ),
}

async function start(options: Partial<BeachOptions> = {}) {
  const runtime = options.runtime ?? systemRuntime({ logger: silentLogger })
  const agent = { id: 'clerk', name: 'Clerk' }
  const beach = await createBeach({ agent, actors, data: 'memory', memory: true, runtime, ...options })
  onTestFinished(() => beach.close())
  if (beach.memory === undefined || beach.missives === undefined) throw new Error('It remembers nothing.')
  return { beach, memory: beach.memory, missives: beach.missives }
}

const said = (text: string, sessionId = 'sess_1') => ({ text, key: text, sessionId })
const texts = async (beach: Beach, who: Principal) => (await beach.memory?.of(who))?.entries.map(({ text }) => text)

/** All bytes of all files under a folder. */
function bytesIn(folder: string): Buffer {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return Buffer.concat(files.map((entry) => readFileSync(join(entry.parentPath, entry.name))))
}

describe.each(['sqlite', 'postgres', 'memory'] as const)('on %s', (store) => {
  /** Where the data is, and all that is stored there as text. */
  async function place(): Promise<{ data: NonNullable<BeachOptions['data']>; stored: () => Promise<string> }> {
    if (store === 'memory') return { data: 'memory', stored: async () => '' }
    if (store === 'sqlite') {
      const folder = folderOfTest()
      return { data: folder, stored: async () => bytesIn(folder).toString('latin1') }
    }
    const database = await newDatabase()
    onTestFinished(() => database[Symbol.asyncDispose]())
    return {
      data: { folder: database.url, secret: new Uint8Array(32) },
      async stored() {
        const { rows } = (await database.query(
          `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
        )) as { rows: { name: string }[] }
        const all = await Promise.all(rows.map(({ name }) => database.query(`SELECT t::text AS row FROM ${name} t`)))
        return JSON.stringify(all.map((result) => result.rows))
      },
    }
  }

  test('nothing is remembered without consent; entries are found by words, forgotten by id, and refused as a whole', async () => {
    const { data, stored } = await place()
    const { beach, memory } = await start({ data })
    await expect(memory.remember(ann, said('Is vegetarian.'))).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await memory.consent(ann, { via: 'smtp' })
    await memory.remember(ann, said('Is vegetarian. canary1'))
    await memory.remember(ann, said('Ißt gern Äpfel. canary2'))
    await memory.remember(ann, said('Is vegetarian. canary1'))
    await memory.consent(bob)
    await memory.remember(bob, said('Is bob.'))
    expect((await memory.of(ann)).consent).toMatchObject({ via: 'smtp' })
    expect(await texts(beach, ann)).toHaveLength(2)
    const [apples] = (await memory.recall(ann, { text: 'apfel birnen' })).entries
    expect(apples?.text).toContain('Äpfel')
    expect((await memory.recall(ann, { limit: 1 })).more).toBe(true)
    if (store !== 'memory') expect(await stored()).toContain('canary1')
    expect(await memory.forget(ann, [apples?.id ?? ''])).toBe(1)
    expect(await stored()).not.toContain('canary2')
    await memory.refuse(ann)
    expect(await memory.of(ann)).toMatchObject({ consent: undefined, entries: [] })
    expect(await stored()).not.toContain('canary')
    expect(await texts(beach, bob)).toEqual(['Is bob.'])
    await expect(memory.remember(ann, said('Again.'))).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })

  test('an erased person is forgotten in every table and file, an erased session by what was said there', async () => {
    const { data, stored } = await place()
    const { beach, memory, missives } = await start({ data })
    const session = await beach.sessions.open({ principal: ann })
    for (const who of [ann, bob]) await memory.consent(who)
    await memory.remember(ann, said('canary-here', session))
    await memory.remember(ann, said('canary-there'))
    await memory.remember(bob, said('Is bob.'))
    await missives.erase({ session }, operator)
    expect(await texts(beach, ann)).toEqual(['canary-there'])
    expect(await stored()).not.toContain('canary-here')
    expect(await missives.erase({ person: 'principal:user~ann.secretid' }, operator)).toMatchObject({ memories: 1 })
    expect(await memory.of(ann)).toEqual({ entries: [] })
    const left = await stored()
    for (const word of ['canary', 'secretid']) expect(left.includes(word), word).toBe(false)
    expect(await texts(beach, bob)).toEqual(['Is bob.'])
  })
})

test('all addresses of one person share what is remembered, and the last word on consent', async () => {
  const { beach, memory, missives } = await start()
  await memory.consent(guest)
  await memory.remember(guest, said('Likes window seats.'))
  expect(await texts(beach, ann)).toEqual([])
  await missives.identities.join(
    ['principal:anonymous~anon_ann', 'principal:user~ann.secretid', 'email:ann@example.com'],
    operator,
  )
  expect(await texts(beach, ann)).toEqual(['Likes window seats.'])
  await memory.remember(ann, said('Is vegetarian.'))
  expect((await memory.of(operator, 'email:ann@example.com')).entries).toHaveLength(2)
  await expect(memory.of(bob, 'email:ann@example.com')).rejects.toMatchObject({ code: 'FORBIDDEN' })
  await memory.refuse(ann)
  expect(await memory.of(guest)).toMatchObject({ consent: undefined, entries: [] })
  await expect(memory.remember(guest, said('x'))).rejects.toMatchObject({ code: 'FORBIDDEN' })
})

test('a person is forgotten whom a channel made of the erased address', async () => {
  const { memory, missives } = await start()
  const mailed: Principal = { kind: 'user', id: 'email:ann@example.com', tenant: 'default' }
  const other: Principal = { kind: 'user', id: 'email:joann@example.com', tenant: 'default' }
  for (const who of [mailed, other, { ...mailed, tenant: 'foreign' }]) await memory.consent(who)
  await missives.erase({ person: 'email:ann@example.com' }, operator)
  expect(await memory.of(mailed)).toEqual({ entries: [] })
  for (const who of [other, { ...mailed, tenant: 'foreign' }]) expect((await memory.of(who)).consent).toBeDefined()
})

test('R02: what is remembered in one tenant is recalled in no other, whatever the ids are', async () => {
  const { memory } = await start()
  const tricky = ['default', 'other', 'default:user~ann', 'default%3Auser~ann.secretid', '']
  await memory.consent(ann)
  await memory.remember(ann, said('Pays to account 1.'))
  for (const tenant of tricky.slice(1)) {
    for (const id of [ann.id, `${ann.id}~`, `user~${ann.id}`, encodeURIComponent(ann.id)]) {
      expect(await memory.of({ ...ann, tenant, id })).toEqual({ entries: [] })
    }
  }
  expect(await memory.of({ ...ann, kind: 'anonymous' })).toEqual({ entries: [] })
})

test('one person has so many entries of so many characters, also when they come at once', async () => {
  const { memory } = await start({ memory: { maxEntries: 3, maxCharacters: 20 } })
  await memory.consent(ann)
  await expect(memory.remember(ann, said('x'.repeat(21)))).rejects.toMatchObject({ code: 'TOO_LARGE' })
  await expect(memory.remember(ann, said('  '))).rejects.toMatchObject({ code: 'BAD_REQUEST' })
  const all = await Promise.allSettled(['a', 'b', 'c', 'd', 'e'].map((text) => memory.remember(ann, said(text))))
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
  expect((await memory.of(ann)).entries).toHaveLength(3)
  await expect(start({ memory: { maxEntries: 0 } })).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' })
})

test('a refusal at the same moment leaves nothing behind', async () => {
  const { memory } = await start()
  for (let round = 0; round < 20; round++) {
    await memory.consent(ann)
    await Promise.allSettled([memory.remember(ann, said(`round ${round}`)), memory.refuse(ann)])
    expect((await memory.of(ann)).entries).toEqual([])
  }
})

test('words that a process left when it died after a refusal are erased when the memory is next read', async () => {
  const folder = folderOfTest()
  const { openData } = await import('@cool-ai/beach')
  const data = await openData({ folder })
  const { memory } = await start({ data })
  await memory.consent(ann)
  await memory.remember(ann, said('canary'))
  const erase = data.store.erase.bind(data.store)
  data.store.erase = () => Promise.reject(new Error('died'))
  await expect(memory.refuse(ann)).rejects.toThrow('died')
  data.store.erase = erase
  expect((await memory.of(ann)).entries).toEqual([])
  expect(bytesIn(folder).includes('canary')).toBe(false)
})

test('a person sees and erases what is remembered of them by HTTP, and nothing of others', async () => {
  const { beach, memory } = await start()
  const call = async (method: string, path: string, token?: string) =>
    beach.fetch(
      new Request(`http://127.0.0.1${path}`, { method, headers: token ? { authorization: `Bearer ${token}` } : {} }),
    )
  const guestToken = async () => {
    const opened = await call('POST', '/sessions')
    const { sessionId, token } = (await opened.json()) as { sessionId: string; token: string }
    const owner = (await beach.sessions.view(sessionId, operator)).owner
    if (owner === undefined) throw new Error('It has no owner.')
    return { token, owner }
  }
  const [one, two] = [await guestToken(), await guestToken()]
  await memory.consent(one.owner, { via: 'sse' })
  const { id } = await memory.remember(one.owner, said('Is vegetarian.'))
  expect((await call('GET', '/memory')).status).toBe(401)
  expect(await (await call('GET', '/memory', one.token)).json()).toMatchObject({
    consent: { via: 'sse' },
    entries: [{ id, text: 'Is vegetarian.', sessionId: 'sess_1' }],
  })
  expect(await (await call('GET', '/memory', two.token)).json()).toEqual({ entries: [] })
  expect((await call('DELETE', `/memory/${id}`, two.token)).status).toBe(404)
  expect((await call('DELETE', `/memory/${id}`, one.token)).status).toBe(204)
  expect((await call('DELETE', '/memory', one.token)).status).toBe(204)
  expect((await memory.of(one.owner)).consent).toBeUndefined()
  const without = await start({ memory: false }).catch((error: unknown) => error)
  expect(without).toMatchObject({ message: 'It remembers nothing.' })
})

test('guests who can no longer come back are forgotten, others are not', async () => {
  const runtime = simulated()
  const { memory } = await start({ runtime })
  for (const who of [guest, ann]) await memory.consent(who)
  const day = 24 * 60 * 60 * 1_000
  const days = async (count: number) => {
    for (let n = 0; n < count; n++) await runtime.clock.advance(day)
  }
  await days(300)
  expect((await memory.of(guest)).consent).toBeDefined()
  await days(80)
  await eventually(async () => (await memory.of(guest)).consent === undefined)
  expect((await memory.of(ann)).consent).toBeDefined()
})
