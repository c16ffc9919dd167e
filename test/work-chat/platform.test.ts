import { MemoryStore } from '@cool-ai/beach-session/memory'
import { simulatedRuntime } from '@cool-ai/beach-core'
import { createTelegramAdapter } from '@chat-adapter/telegram'
import { expect, test } from 'vitest'
import { Platform } from '../../packages/chat/src/platform.ts'
import { StoreState } from '../../packages/chat/src/store-state.ts'

/** A platform that answers nothing by itself; calls are given as functions. */
function platform() {
  const runtime = simulatedRuntime()
  const adapter = createTelegramAdapter({ botToken: '1:a', mode: 'webhook', secretToken: 'word-1' })
  adapter.initialize = async () => {}
  const state = new StoreState(new MemoryStore({ runtime }), runtime, 'acme')
  return { runtime, calls: new Platform({ name: 'telegram', adapter, state, runtime, take: async () => {} }) }
}

const never = new AbortController().signal

test('nothing is sent before the time that the platform has asked for', async () => {
  const { runtime, calls } = platform()
  const limited = Object.assign(new Error('slow down'), { name: 'AdapterRateLimitError', retryAfter: 10 })
  const refused = await calls.call('-', () => Promise.reject(limited), never)
  expect(refused).toMatchObject({ failure: { status: 'failed', waitMs: 10_000 } })
  const ran: string[] = []
  const next = calls.call('-', async () => ran.push('sent'), never)
  await runtime.clock.advance(9_999)
  expect(ran).toEqual([])
  await runtime.clock.advance(1)
  expect(await next).toEqual({ done: 1 })
})

test('a call that would wait for long fails at once, to be tried again later', async () => {
  const { calls } = platform()
  const limited = Object.assign(new Error('slow down'), { name: 'AdapterRateLimitError', retryAfter: 600 })
  await calls.call('-', () => Promise.reject(limited), never)
  const next = await calls.call('-', async () => 'sent', never)
  expect(next).toEqual({ failure: { status: 'failed', reason: 'telegram has asked us to wait.' } })
})
