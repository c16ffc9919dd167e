import { expect, test } from 'vitest'
import type { Logger } from '../logger.ts'
import { simulatedRuntime } from '../simulated-runtime.ts'
import { LockWait } from './lock-wait.ts'

function waiting() {
  const said: string[] = []
  const logger: Logger = { log: (level) => void said.push(level) }
  const runtime = { ...simulatedRuntime(), logger }
  const wait = new LockWait(runtime, 'beach.db')
  const after = async (ms: number) => {
    await runtime.clock.advance(ms)
    return wait.goesOn()
  }
  return { said, after }
}

test('a wait for a lock that lasts is said once', async () => {
  const { said, after } = waiting()
  for (const ms of [0, 999]) expect(await after(ms)).toBeUndefined()
  expect(said).toEqual([])
  for (const ms of [1, 1, 1_000]) expect(await after(ms)).toBeUndefined()
  expect(said).toEqual(['warn'])
})

test('a wait of 30 seconds is an error', async () => {
  const { after } = waiting()
  for (const ms of [0, 29_999]) expect(await after(ms)).toBeUndefined()
  expect(await after(1)).toMatchObject({ code: 'STORE_BUSY' })
})
