import { MemoryStore } from '@cool-ai/beach-session/memory'
import { simulatedRuntime } from '@cool-ai/beach-core'
import { createTelegramAdapter } from '@chat-adapter/telegram'
import { expect, test } from 'vitest'
import { Drafts } from '../../packages/chat/src/drafts.ts'
import { LiveAnswer } from '../../packages/chat/src/live-answer.ts'
import { Platform } from '../../packages/chat/src/platform.ts'
import { workspaceOf } from '../../packages/chat/src/places.ts'
import { StoreState } from '../../packages/chat/src/store-state.ts'

const noForms = { openForm: async () => undefined, filledIn: async () => undefined }

/** A platform that answers nothing by itself; calls are given as functions. */
function platform() {
  const runtime = simulatedRuntime()
  const adapter = createTelegramAdapter({ botToken: '1:a', mode: 'webhook', secretToken: 'word-1' })
  adapter.initialize = async () => {}
  const store = new MemoryStore({ runtime })
  const state = new StoreState(store, runtime, 'acme')
  const calls = new Platform({ name: 'telegram', adapter, state, runtime, take: async () => {}, ...noForms })
  return { runtime, store, adapter, calls }
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

test('a message is edited no faster than the platform takes it, and has the newest text each time', async () => {
  const { runtime, store, adapter, calls } = platform()
  const edits: { readonly at: number; readonly text: string }[] = []
  const noted = (message: Parameters<typeof adapter.postMessage>[1]) => {
    const text = typeof message === 'object' && 'markdown' in message ? message.markdown : ''
    edits.push({ at: runtime.clock.now(), text })
    return { id: '1', threadId: 'telegram:1', raw: undefined as never }
  }
  adapter.postMessage = async (_, message) => noted(message)
  adapter.editMessage = async (_, __, message) => noted(message)
  const place = { adapter: 'telegram', workspace: '-', thread: 'telegram:1', key: 'place', platform: calls }
  const drafts = new Drafts(store, runtime, 'acme')
  const live = new LiveAnswer({ place, runtime, drafts, everyMs: 1_000, writer: 'one', signal: never })
  const about = { kind: 'delta', epoch: 1, turnId: 'turn', partId: 'part', partType: 'response' } as const
  for (let count = 0; count < 100; count++) {
    live.apply({ ...about, offset: count, text: 'a' })
    await runtime.clock.advance(100)
  }
  await live.stop()
  const pauses = edits.slice(1).map(({ at }, index) => at - (edits[index]?.at ?? 0))
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(1_000)
  expect(edits.length).toBeGreaterThan(5)
  for (const { text } of edits) expect(text).toMatch(/^a+$/)
})

test('one process at a time writes a growing message, and none once its answer is there', async () => {
  const { runtime, store } = platform()
  const [one, other] = [new Drafts(store, runtime, 'acme'), new Drafts(store, runtime, 'acme')]
  const at = { place: 'place', turnId: 'turn' }
  expect(await one.hold(at, 'one')).toBe(true)
  expect(await other.hold(at, 'other')).toBe(false)
  expect(await one.put(at, 'm1')).toBe(true)
  expect(await other.close(at)).toBe('busy')
  await runtime.clock.advance(15_000)
  expect(await other.close(at)).toMatchObject({ messageId: 'm1', isBehind: false })
  expect(await other.close(at)).toMatchObject({ messageId: 'm1' })
  expect(await one.hold(at, 'one')).toBe(false)
})

test.each([
  ['a message of Slack', { team_id: 'T1', team: 'T2' }, 'T1'],
  ['a press of Slack', { team: { id: 'T1' }, user: { id: 'U1', team_id: 'T1' } }, 'T1'],
  ['a press in an app of a whole organisation', { team: null, user: { id: 'U1', team_id: 'T1' } }, 'T1'],
  ['an activity in a team', { channelData: { tenant: { id: 'tenant' } }, team: { id: '19:team' } }, 'tenant'],
  ['a server of Discord', { guild_id: 'G1', user: { id: '1' } }, 'G1'],
  ['an update of Telegram', { message_id: 1 }, '-'],
])('%s comes from one workspace', (_, raw, workspace) => {
  expect(workspaceOf(raw)).toBe(workspace)
})
