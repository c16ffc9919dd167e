import { SimulatedClock, simulatedRuntime } from '@cool-ai/beach-core'
import { storeContract } from '@cool-ai/beach-core/contracts'
import { PostgresDatabase } from '@cool-ai/beach-core/postgres'
import { PostgresStore } from '@cool-ai/beach-session/postgres'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { newDatabase } from '../support/postgres.ts'
import { settled } from '../support/settled-database.ts'

let server: Awaited<ReturnType<typeof newDatabase>>
beforeAll(async () => {
  server = await newDatabase()
})
afterAll(() => server[Symbol.asyncDispose]())

describe('the PostgreSQL store', () => {
  for (const [index, promise] of storeContract.entries()) {
    test(promise.name, async () => {
      let database: PostgresDatabase | undefined
      const clock = new SimulatedClock(undefined, () => settled(database))
      const runtime = simulatedRuntime({ clock })
      database = await PostgresDatabase.open({ url: server.url, schema: `store_${index}`, runtime, time: 'runtime' })
      const store = await PostgresStore.open({ database, runtime })
      try {
        await promise.run({ runtime, store })
      } finally {
        await store.close()
      }
    })
  }
})
