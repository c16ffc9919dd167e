import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { simulatedRuntime } from '@cool-ai/beach-core'
import { storeContract } from '@cool-ai/beach-core/contracts'
import { afterEach, beforeEach, describe, test } from 'vitest'
import { MemoryStore } from './memory/memory-store.ts'
import { SqliteStore } from './sqlite/sqlite-store.ts'

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
