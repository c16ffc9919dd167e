import { PartTypeRegistry, simulatedRuntime, TurnStateRegistry, type Principal } from '@cool-ai/beach-core'
import { standardWebhooks, webhooks } from '@cool-ai/beach-hooks'
import { defineActor, SessionTurnManager } from '@cool-ai/beach-session'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { channelContext } from '@cool-ai/beach-testing/contracts'
import { expect, test } from 'vitest'
import { echo, secret, standardHeaders, textParts, whsec } from './webhook-context.ts'

const day = 24 * 60 * 60 * 1_000
const operator: Principal = { kind: 'operator', id: 'test', tenant: 'default' }

async function context() {
  const runtime = simulatedRuntime()
  const store = new MemoryStore({ runtime })
  const partTypes = PartTypeRegistry.canonical()
  const verify = standardWebhooks({ secrets: [whsec(1)] })
  const hooks = { notes: { verify, parts: textParts, session: () => 'one' } }
  const channel = webhooks({ hooks })
  const turnStates = TurnStateRegistry.canonical()
  const actors = { main: defineActor(echo) }
  const sessions = new SessionTurnManager({ store, runtime, partTypes, turnStates, actors, channels: [channel] })
  const ending = new AbortController()
  await channel.start(channelContext({ sessions, store, runtime, secret, partTypes, signal: ending.signal }))
  sessions.start()
  return {
    runtime,
    store,
    send: async (id: string) => {
      const body = JSON.stringify({ text: id })
      const headers = standardHeaders(body, { id, at: runtime.clock.now() })
      const request = new Request('http://127.0.0.1/webhooks/notes', { method: 'POST', headers, body })
      const route = channel.routes?.find(({ path }) => path === '/webhooks/:name')
      return (await route?.answer(request, { name: 'notes' }))?.status
    },
    said: async () => {
      const [session] = (await sessions.list({}, operator)).items
      const to = { id: 'test', transport: 'sse', deliveryClass: 'streaming', principal: operator } as const
      const all: (string | undefined)[] = []
      for await (const frame of sessions.history(session?.sessionId ?? '', to)) {
        if (frame.kind === 'part' && frame.role === 'user') all.push(frame.part.text)
      }
      return all
    },
    stop: async () => {
      ending.abort()
      await sessions.stop()
    },
  }
}

test('a delivery is remembered for eight days, longer than the log remembers its keys', async () => {
  const { runtime, send, said, stop } = await context()
  expect(await send('m1')).toBe(200)
  for (const id of ['m2', 'm3', 'm4', 'm5']) {
    await runtime.clock.advance(1.9 * day)
    expect(await send(id)).toBe(200)
    expect(await send('m1')).toBe(200)
  }
  expect(await said()).toEqual(['m1', 'm2', 'm3', 'm4', 'm5'])
  await stop()
})

test('an older delivery is forgotten', async () => {
  const { runtime, store, send, stop } = await context()
  for (let n = 0; n < 10; n++) await send(`m${n}`)
  expect(await store.list('webhook:')).toHaveLength(10)
  await runtime.clock.advance(30 * day)
  expect(await store.list('webhook:')).toEqual([])
  await send('new')
  expect(await store.list('webhook:')).toHaveLength(1)
  await stop()
})

test('a delivery is remembered when the clock is set back', async () => {
  const { runtime, send, said, stop } = await context()
  const eightDays = 8 * day
  // The first moment of a generation, so that a second before is another one.
  runtime.clock.step(eightDays - (runtime.clock.now() % eightDays))
  expect(await send('m1')).toBe(200)
  runtime.clock.step(-60 * 60 * 1_000)
  expect(await send('m1')).toBe(200)
  // By now the session's log has forgotten the key.
  await runtime.clock.advance(3 * day)
  expect(await send('m2')).toBe(200)
  await runtime.clock.advance(3 * day)
  expect(await send('m1')).toBe(200)
  expect(await said()).toEqual(['m1', 'm2'])
  await stop()
})
