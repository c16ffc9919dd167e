import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { simulatedRuntime } from '@cool-ai/beach-core'
import { storeContract } from '@cool-ai/beach-core/contracts'
import { afterEach, beforeEach, describe, test } from 'vitest'
import { givenKeys, TenantKeys } from '@cool-ai/beach-core/encryption'
import type { Store } from '@cool-ai/beach-core'
import { MemoryStore } from './memory/memory-store.ts'
import { SealedStore } from './sealed/sealed-store.ts'
import { SqliteStore } from './sqlite/sqlite-store.ts'

async function sealed(store: Store): Promise<Store> {
  return new SealedStore(store, await TenantKeys.open(store, givenKeys(Buffer.alloc(32, 7).toString('base64'))))
}

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'beach-store-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('the memory store', () => {
  for (const promise of storeContract) {
    test(promise.name, async () => {
      const runtime = simulatedRuntime()
      await promise.run({ runtime, store: new MemoryStore({ runtime }) })
    })
  }
})

describe('the memory store, encrypted', () => {
  for (const promise of storeContract) {
    test(promise.name, async () => {
      const runtime = simulatedRuntime()
      await promise.run({ runtime, store: await sealed(new MemoryStore({ runtime })) })
    })
  }
})

describe('the SQLite store, encrypted', () => {
  for (const promise of storeContract) {
    test(promise.name, async () => {
      const runtime = simulatedRuntime()
      const store = await SqliteStore.open({ path: join(folder, 'beach.db'), runtime })
      try {
        await promise.run({ runtime, store: await sealed(store) })
      } finally {
        await store.close()
      }
    })
  }
})

describe('the SQLite store', () => {
  for (const promise of storeContract) {
    test(promise.name, async () => {
      const runtime = simulatedRuntime()
      const store = await SqliteStore.open({ path: join(folder, 'beach.db'), runtime })
      try {
        await promise.run({ runtime, store })
      } finally {
        await store.close()
      }
    })
  }
})
