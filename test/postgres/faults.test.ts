import { silentLogger, SimulatedClock, simulatedRuntime, systemRuntime } from '@cool-ai/beach-core'
import { channelContract, storeContract } from '@cool-ai/beach-core/contracts'
import { PostgresDatabase } from '@cool-ai/beach-core/postgres'
import { PostgresIdentityStore, PostgresMissiveStore } from '@cool-ai/beach-missives/postgres'
import { PostgresStore } from '@cool-ai/beach-session/postgres'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { testIdentityStore } from '../../packages/missives/src/identities/identity-store-suite.test-helper.ts'
import { testMissiveStore } from '../../packages/missives/src/missives/missive-store-suite.test-helper.ts'
import { faultPlans } from '../support/fault-plans.ts'
import { faultyProxy, type FaultPlan, type FaultyProxy } from '../support/faulty-proxy.ts'
import { emptySchema, newDatabase } from '../support/postgres.ts'
import { settled } from '../support/settled-database.ts'
import { webhookAttacks, webhookHarness } from '../webhook/webhook-harness.ts'

const none: FaultPlan = () => undefined
let server: Awaited<ReturnType<typeof newDatabase>>
let proxy: FaultyProxy
let url: string
beforeAll(async () => {
  server = await newDatabase()
  const direct = new URL(server.url)
  proxy = await faultyProxy({ port: Number(direct.port) })
  url = Object.assign(direct, { hostname: '127.0.0.1', port: String(proxy.port) }).href
})
afterAll(async () => {
  await proxy[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})
// A store opens and closes in peace.
afterEach(() => proxy.plan(none))

const quiet = systemRuntime({ logger: silentLogger })

describe.each(faultPlans())('with %s,', (_, plan) => {
  describe('the PostgreSQL store', () => {
    beforeEach(() => emptySchema(server, 'store'))

    test.each(storeContract.map((promise) => [promise.name, promise] as const))('%s', async (_name, promise) => {
      let database: PostgresDatabase | undefined
      const clock = new SimulatedClock(undefined, () => settled(database))
      const runtime = simulatedRuntime({ clock })
      database = await PostgresDatabase.open({ url, schema: 'store', runtime, time: 'runtime' })
      const store = await PostgresStore.open({ database, runtime })
      try {
        proxy.plan(plan)
        await promise.run({ runtime, store })
        proxy.plan(none)
      } finally {
        await store.close()
      }
    })
  })

  describe('the store of missives', () => {
    beforeEach(() => emptySchema(server, 'missives'))
    testMissiveStore(async () => {
      proxy.plan(none)
      const database = await PostgresDatabase.open({ url, schema: 'missives', runtime: quiet })
      const store = await PostgresMissiveStore.open({ database })
      onTestFinished(() => store.close())
      proxy.plan(plan)
      return store
    })
  })

  describe('identities', () => {
    beforeEach(() => emptySchema(server, 'identities'))
    testIdentityStore(async () => {
      proxy.plan(none)
      const database = await PostgresDatabase.open({ url, schema: 'identities', runtime: quiet })
      const store = await PostgresIdentityStore.open({ database })
      onTestFinished(() => store.close())
      proxy.plan(plan)
      return store
    })
  })

  describe('webhooks, as a channel on PostgreSQL', () => {
    beforeEach(() => emptySchema(server, 'channel'))
    const traits = { threads: true, pushes: true, approvals: false, attacks: webhookAttacks }
    test.each(channelContract(traits).map((promise) => [promise.name, promise] as const))('%s', async (_n, promise) => {
      const harness = await webhookHarness(async () => {
        proxy.plan(none)
        const database = await PostgresDatabase.open({ url, schema: 'channel', runtime: quiet })
        const store = await PostgresStore.open({ database, runtime: quiet })
        proxy.plan(plan)
        return store
      })
      await promise.run(harness)
    })
  })
})

test('a start whose connection is cut at any statement says so, and the next one finds the tables in order', async () => {
  // For the server, a cut after a statement is one before the next. A short run takes some of the places.
  const isWhole = process.env.BEACH_FAULTS === 'all'
  const faults = isWhole ? (['cut before', 'cut after'] as const) : (['cut after'] as const)
  let outcomes = ''
  for (const fault of faults) {
    for (let at = 0, isCut = true; isCut; at += isWhole ? 1 : 3) {
      await server.query('DROP SCHEMA IF EXISTS starting CASCADE')
      proxy.plan((statement) => (statement === at ? fault : undefined))
      const opening = open('starting')
      const started = await opening.catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE' })
      })
      outcomes += started === undefined ? 'x' : '.'
      await started?.close()
      isCut = proxy.faults > 0
      proxy.plan(none)
      const store = await open('starting')
      expect(await store.append('s', 0, [{ n: 1 }])).toBe(1)
      await store.close()
    }
  }
  // Both happen.
  expect(outcomes).toMatch(/x.*\./)
})

async function open(schema: string): Promise<PostgresStore> {
  const database = await PostgresDatabase.open({ url, schema, runtime: quiet })
  return PostgresStore.open({ database, runtime: quiet })
}
