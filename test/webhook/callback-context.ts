import { PartTypeRegistry, TurnStateRegistry, type Principal, type Runtime } from '@cool-ai/beach-core'
import { callbackOriginator, webhooks } from '@cool-ai/beach-hooks'
import { defineActor, SessionTurnManager } from '@cool-ai/beach-session'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { channelContext } from '@cool-ai/beach-testing/contracts'
import { echo, secret, whsec } from './webhook-context.ts'

const principal: Principal = { kind: 'user', id: 'anna', tenant: 'default' }

/** A session on a simulated clock that calls back a receiver that is always out of order. */
export async function callbackContext(runtime: Runtime) {
  const store = new MemoryStore({ runtime })
  const partTypes = PartTypeRegistry.canonical()
  const attempts: number[] = []
  const ids: (string | null)[] = []
  const url = 'https://receiver.example/callback'
  const channel = webhooks({
    hooks: { out: { callback: { url, secrets: [whsec(5)] } } },
    fetch: async (_, init) => {
      attempts.push(runtime.clock.now())
      ids.push(new Headers(init?.headers).get('webhook-id'))
      return new Response(null, { status: 503 })
    },
  })
  const turnStates = TurnStateRegistry.canonical()
  const actors = { main: defineActor(echo) }
  const sessions = new SessionTurnManager({ store, runtime, partTypes, turnStates, actors, channels: [channel] })
  const ending = new AbortController()
  await channel.start(channelContext({ sessions, store, runtime, secret, partTypes, signal: ending.signal }))
  sessions.start()
  const session = await sessions.open({ principal })
  await sessions.join(session, callbackOriginator({ hook: 'out', url, principal }), principal)
  const from = { id: 'x', transport: 'sse', deliveryClass: 'streaming', principal } as const
  await sessions.post(session, { parts: [{ text: 'hello', metadata: { partType: 'message' } }], from }, principal)
  return {
    attempts,
    ids,
    deadLetters: async () => (await sessions.view(session, principal)).deadLetters.length,
    close: async () => {
      ending.abort()
      await sessions.stop()
    },
  }
}
