import { simulatedRuntime } from '@cool-ai/beach-core'
import { PostgresDatabase } from '@cool-ai/beach-core/postgres'
import { PostgresIdentityStore } from '@cool-ai/beach-missives/postgres'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { Identities } from '@cool-ai/beach-missives'
import {
  identityContext,
  mail,
  operator,
  page,
  phone,
  tenant,
  testIdentityStore,
} from '../../packages/missives/src/identities/identity-store-suite.test-helper.ts'
import { losingProxy } from '../support/losing-proxy.ts'
import { newDatabase } from '../support/postgres.ts'

let server: Awaited<ReturnType<typeof newDatabase>>
beforeAll(async () => {
  server = await newDatabase()
})
afterAll(() => server[Symbol.asyncDispose]())

let schemas = 0
const newSchema = () => `identities_${++schemas}`

async function open(schema = newSchema(), url = server.url): Promise<PostgresIdentityStore> {
  const database = await PostgresDatabase.open({ url, schema })
  const store = await PostgresIdentityStore.open({ database })
  onTestFinished(() => store.close())
  return store
}

describe('identities in the PostgreSQL store', () => {
  testIdentityStore(() => open())
})

describe('two processes', () => {
  async function two() {
    const schema = newSchema()
    const stores = [await open(schema), await open(schema)] as const
    return { schema, stores, one: await identityContext(stores[0]), other: await identityContext(stores[1]) }
  }

  test('that claim one address for two persons at once leave it with one person of all', async () => {
    const { stores } = await two()
    for (let round = 0; round < 20; round++) {
      const shared = `phone:+49301${1_000 + round}`
      const own = [`email:a${round}@example.com`, `email:b${round}@example.com`]
      const event = { at: round, kind: 'joined', how: 'operator' } as const
      await Promise.all(
        stores.map((store, n) => {
          const addresses = [own[n] ?? '', shared]
          return store.join(tenant, addresses, { ...event, addresses }, `person_${round}_${n}`)
        }),
      )
      const persons = await Promise.all([shared, ...own].map((address) => stores[0].personOf(tenant, address)))
      expect(persons[0]?.addresses).toEqual([...own, shared])
      expect(persons[1]).toEqual(persons[0])
      expect(persons[2]).toEqual(persons[0])
    }
  })

  test('that change one person by different addresses at once lose none of its addresses', async () => {
    const { schema, stores } = await two()
    const join = (store: PostgresIdentityStore, addresses: string[], person: string) =>
      store.join(tenant, addresses, { at: 0, kind: 'joined', how: 'operator', addresses }, person)
    for (let round = 0; round < 20; round++) {
      const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map((name) => `email:${name}${round}@example.com`) as [
        string,
        string,
        string,
        string,
        string,
      ]
      await join(stores[0], [a, b], `person_${round}_ab`)
      await join(stores[0], [c, d], `person_${round}_cd`)
      // One adds to the person of a and b while the other makes that person one with another.
      await Promise.all([join(stores[0], [b, e], 'unused'), join(stores[1], [c, a], 'unused')])
      expect((await stores[0].personOf(tenant, e))?.addresses).toEqual([a, b, c, d, e])
      const split = (store: PostgresIdentityStore, address: string) =>
        store.split(tenant, address, { at: 0, kind: 'split', addresses: [address] })
      await Promise.all([a, b, c, d].map((address, n) => split(stores[n % 2] ?? stores[0], address)))
    }
    expect((await server.query(`SELECT FROM ${schema}.identity_address`)).rows).toEqual([])
  })

  test('that enter one code at once: one of them gets in, and wrong codes are all counted', async () => {
    const { stores, one } = await two()
    await one.identities.startJoin({ from: page, to: mail, tenant })
    const code = one.sent[0]?.code ?? ''
    const { runtime } = one
    const processes = stores.map((store) => new Identities({ store, runtime, sendCode: async () => {} }))
    const enter = (entered: string) =>
      Promise.allSettled(
        [...processes, ...processes].map((each) => each.confirmJoin({ from: page, code: entered, tenant })),
      )
    await enter('wrong')
    const tried = await enter(code)
    expect(tried.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await one.identities.startJoin({ from: page, to: phone, tenant })
    const refused = [...(await enter('wrong')), ...(await enter('wrong'))]
    const codes = refused.map((result) =>
      result.status === 'rejected' ? (result.reason as { code: string }).code : '',
    )
    expect(codes.filter((each) => each === 'FORBIDDEN')).toHaveLength(5)
    expect(codes.filter((each) => each === 'EXPIRED')).toHaveLength(3)
  })

  test('send no more codes to a person than one', async () => {
    const { one, other } = await two()
    const tried = await Promise.allSettled(
      Array.from({ length: 12 }, (_, n) =>
        (n % 2 === 0 ? one : other).identities.startJoin({ from: `phone:+4930123${100 + n}`, to: mail, tenant }),
      ),
    )
    expect(tried.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
    expect(one.sent.length + other.sent.length).toBe(5)
  })

  test('that join, split and erase the same addresses at once get no deadlock, and no person of one address', async () => {
    const { schema, stores } = await two()
    const all = Array.from({ length: 6 }, (_, n) => `phone:+4930123${100 + n}`)
    const runtime = simulatedRuntime({ seed: 7 })
    const processes = stores.map((store) => new Identities({ store, runtime }))
    const pick = () => all[Math.floor(runtime.random() * all.length)] ?? ''
    const results = await Promise.allSettled(
      Array.from({ length: 60 }, async (_, n) => {
        const identities = processes[n % 2] ?? processes[0]
        const [first, second] = [pick(), pick()]
        if (n % 10 === 9) return identities?.erase(tenant, [first])
        if (n % 3 === 2) return identities?.split(first, operator)
        return first === second ? undefined : identities?.join([first, second], operator)
      }),
    )
    expect(results.filter(({ status }) => status === 'rejected')).toEqual([])
    const { rows } = await server.query(
      `SELECT person FROM ${schema}.identity_address GROUP BY person HAVING count(*) < 2`,
    )
    expect(rows).toEqual([])
  })
})

test('a connection that is cut at a commit does nothing twice, and its process is told what was done', async () => {
  await using proxy = await losingProxy(Number(new URL(server.url).port))
  const url = new URL(server.url)
  url.hostname = '127.0.0.1'
  url.port = String(proxy.port)
  const store = await open(newSchema(), url.href)
  const { identities, sent } = await identityContext(store)
  const lost = async <Value>(run: () => Promise<Value>): Promise<Value> => {
    const losing = proxy.loseAnswerTo(/COMMIT/)
    const value = await run()
    await losing
    return value
  }
  await lost(() => identities.startJoin({ from: page, to: mail, tenant }))
  await expect(lost(() => identities.confirmJoin({ from: page, code: 'x', tenant }))).rejects.toMatchObject({
    message: expect.stringContaining('4 more') as string,
  })
  const confirmed = await lost(() => identities.confirmJoin({ from: page, code: sent[0]?.code ?? '', tenant }))
  expect(confirmed.addresses).toEqual([mail, page])
  expect(await lost(() => identities.split(mail, operator))).toBe(true)
  await lost(() => identities.join([mail, phone], operator))
  await lost(() => identities.erase(tenant, [mail]))
  const { items } = await identities.events({}, operator)
  expect(items.map(({ kind }) => kind)).toEqual(['erased', 'joined', 'split', 'joined', 'codeRefused', 'joinStarted'])
  await store.close()
})

test('the tables have neither codes nor, once erased, the person', async () => {
  const schema = newSchema()
  const { identities, sent, joined } = await identityContext(await open(schema))
  const everything = async () => {
    const tables = ['identity_address', 'identity_join', 'identity_join_started', 'identity_event']
    const union = tables.map((table) => `SELECT t::text AS row FROM ${schema}.${table} t`).join(' UNION ALL ')
    return JSON.stringify((await server.query(union)).rows)
  }
  await joined(page, mail)
  await identities.startJoin({ from: page, to: phone, tenant })
  for (const { code } of sent) expect(await everything()).not.toContain(code)
  expect(await everything()).toContain('ann@example.com')
  await identities.erase(tenant, [page, mail])
  expect(await everything()).not.toMatch(/ann@example\.com|anon_1/)
})

test('the tables have no codes that have expired, and the last 10,000 of what was done', async () => {
  const schema = newSchema()
  const { identities, runtime } = await identityContext(await open(schema))
  const count = async (table: string) =>
    Number((await server.query(`SELECT count(*) AS n FROM ${schema}.${table}`)).rows[0]?.n)
  await server.query(`
    INSERT INTO ${schema}.identity_event (tenant, about, named, operation)
    SELECT '${tenant}', '{}', '{}', '' FROM generate_series(1, 10000)`)
  await identities.startJoin({ from: page, to: mail, tenant })
  await runtime.clock.advance(60 * 60 * 1_000)
  await identities.startJoin({ from: 'principal:anonymous~anon_2', to: phone, tenant })
  expect(await count('identity_join')).toBe(1)
  expect(await count('identity_join_started')).toBe(1)
  expect(await count('identity_event')).toBe(10_000)
})
