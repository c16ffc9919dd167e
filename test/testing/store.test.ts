import { MemoryStore } from '@cool-ai/beach-session/memory'
import { simulatedRuntime } from '@cool-ai/beach-testing'
import { storeContract } from '@cool-ai/beach-testing/contracts'
import { test } from 'vitest'

test.each(storeContract.map((promise) => [promise.name, promise] as const))('my store %s', async (_, promise) => {
  const runtime = simulatedRuntime()
  await promise.run({ runtime, store: new MemoryStore({ runtime }) })
})
