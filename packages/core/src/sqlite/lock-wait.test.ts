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
  return { wait, said, after }
}

test('a wait for a lock that lasts is said once, and the next one again', async () => {
  const { wait, said, after } = waiting()
  for (const ms of [0, 999]) expect(await after(ms)).toBeUndefined()
  expect(said).toEqual([])
  for (const ms of [1, 1, 1_000]) expect(await after(ms)).toBeUndefined()
  expect(said).toEqual(['warn'])
  wait.over()
  for (const ms of [0, 999]) expect(await after(ms)).toBeUndefined()
  expect(said).toEqual(['warn'])
  for (const ms of [1, 1]) expect(await after(ms)).toBeUndefined()
  expect(said).toEqual(['warn', 'warn'])
})

test('a wait of 30 seconds is an error, and the next one begins anew', async () => {
  const { after } = waiting()
  for (const ms of [0, 29_999]) expect(await after(ms)).toBeUndefined()
  expect(await after(1)).toMatchObject({ code: 'STORE_BUSY' })
  for (const ms of [0, 29_999]) expect(await after(ms)).toBeUndefined()
})
