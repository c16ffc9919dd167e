import { EventType, type BaseEvent } from '@ag-ui/core'
import { defineActor } from '@cool-ai/beach'
import { aguiChannel } from '@cool-ai/beach-agui'
import { Admission } from '@cool-ai/beach-channel/admission'
import { PartTypeRegistry, TurnStateRegistry, type Originator, type Sessions } from '@cool-ai/beach-core'
import { SessionTurnManager } from '@cool-ai/beach-session'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { channelContext } from '@cool-ai/beach-testing/contracts'
import { expect, onTestFinished, test } from 'vitest'
import { customs, runtime } from '../agui/agent.ts'
import { counterSlice, registerCounter } from './counter.ts'

const threadId = 'a-thread-whose-name-nobody-can-guess'
const add = (by: number) => ({ type: 'CUSTOM', name: 'counter.add', value: { id: crypto.randomUUID(), by } })

/** AG-UI over sessions; `afterHearing` happens once something was said to a slice, before its run goes on. */
async function start(afterHearing: (sessions: Sessions, session: string) => Promise<void>) {
  const partTypes = PartTypeRegistry.canonical()
  registerCounter(partTypes)
  const actor = defineActor(async ({ respond }) => {
    await respond({ parts: [{ partType: 'response', text: 'Yes.' }], turnState: 'complete' })
  })
  const store = new MemoryStore({ runtime })
  const sessions = new SessionTurnManager({
    store,
    runtime,
    partTypes,
    turnStates: TurnStateRegistry.canonical(),
    actors: { actor },
    slices: [counterSlice()],
  })
  const receive: Sessions['handle'] = async (session, ...said) => {
    const reported = await sessions.handle(session, ...said)
    await afterHearing(sessions, session)
    return reported
  }
  const received = new Proxy<Sessions>(sessions, {
    get(_, name: keyof Sessions) {
      if (name === 'handle') return receive
      const value = sessions[name]
      return typeof value === 'function' ? value.bind(sessions) : value
    },
  })
  const channel = aguiChannel()
  const ending = new AbortController()
  const context = {
    ...channelContext({ sessions: received, store, partTypes, runtime, signal: ending.signal }),
    authenticate: async () => undefined,
    admission: new Admission({ clock: runtime.clock }),
    handledNamespaces: [],
  }
  await channel.start(context)
  sessions.start()
  onTestFinished(async () => {
    ending.abort()
    await sessions.stop()
  })
  return async (given: object): Promise<readonly BaseEvent[]> => {
    const input = { threadId, runId: crypto.randomUUID(), messages: [], tools: [], context: [], state: {}, ...given }
    const body = JSON.stringify(input)
    const headers = { 'content-type': 'application/json' }
    const response = await channel.fetch?.(new Request('http://127.0.0.1/agui', { method: 'POST', headers, body }))
    const lines = ((await response?.text()) ?? '').split('\n').filter((line) => line.startsWith('data: '))
    return lines.map((line) => JSON.parse(line.slice('data: '.length)) as BaseEvent)
  }
}

test('a run shows what came of what it has said, also when another run has shown it before', async () => {
  let isBetween = false
  const run = await start(async () => {
    if (!isBetween) return
    isBetween = false
    await run({})
  })
  await run({ forwardedProps: { counter: { events: [add(1)] } } })
  isBetween = true
  const alone = await run({ forwardedProps: { counter: { events: [add(2)] } } })
  expect(customs(alone, 'counter.counted')).toContainEqual({ count: 3 })
  expect(alone.find(({ type }) => type === EventType.STATE_SNAPSHOT)).toMatchObject({ snapshot: { counter: 1 } })
  isBetween = true
  const messages = [{ id: 'm1', role: 'user', content: 'hello' }]
  const both = await run({ messages, forwardedProps: { counter: { events: [add(4)] } } })
  expect(customs(both, 'counter.counted')).toContainEqual({ count: 7 })
  expect(both.find(({ type }) => type === EventType.STATE_SNAPSHOT)).toMatchObject({ snapshot: { counter: 3 } })
})

test('a run ends whose work was done before it could look', async () => {
  let awaited: string | undefined
  const run = await start(async (sessions, session) => {
    if (awaited === undefined) return
    await done(sessions, session, awaited)
    awaited = undefined
    await run({})
  })
  await run({ forwardedProps: { counter: { events: [add(1)] } } })
  awaited = 'a'
  const alone = await run({ forwardedProps: { counter: { slowly: { id: 'a', by: 5 } } } })
  expect(customs(alone, 'counter.counted')).toContainEqual({ count: 6 })
  awaited = 'b'
  const messages = [{ id: 'm1', role: 'user', content: 'hello' }]
  const both = await run({ messages, forwardedProps: { counter: { slowly: { id: 'b', by: 5 } } } })
  expect(customs(both, 'counter.counted')).toContainEqual({ count: 11 })
})

const watcher: Originator = {
  id: 'sse:watcher',
  transport: 'sse',
  deliveryClass: 'streaming',
  principal: { kind: 'operator', id: 'watcher', tenant: 'default' },
}

/** Waits until what was said under an id is done. */
async function done(sessions: Sessions, session: string, id: string): Promise<void> {
  for await (const frame of sessions.follow(session, watcher, '0', new AbortController().signal)) {
    if (frame.kind === 'part' && frame.answers?.includes(id) === true) return
  }
}
