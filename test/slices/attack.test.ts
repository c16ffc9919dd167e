import { EventType, type BaseEvent } from '@ag-ui/core'
import { PartTypeRegistry, type Authenticator } from '@cool-ai/beach-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { customs, Gate, startAgent, StockAgent } from '../agui/agent.ts'
import { counterSlice, registerCounter } from './counter.ts'

const uuid = () => crypto.randomUUID()
const add = (by: number, id: string = uuid()) => ({ type: 'CUSTOM', name: 'counter.add', value: { id, by } })

function start(options: Parameters<typeof startAgent>[0] = {}) {
  const partTypes = PartTypeRegistry.canonical()
  registerCounter(partTypes)
  return startAgent({ slices: [counterSlice()], partTypes, ...options })
}

function socketTo(url: string, headers: Record<string, string> = {}) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/counter/ws`, ['counter.v1'], { headers })
  onTestFinished(() => socket.terminate())
  const reported: BaseEvent[] = []
  let look = () => {}
  socket.on('message', (data: Buffer) => {
    reported.push(JSON.parse(data.toString()) as BaseEvent)
    look()
  })
  const closed = new Promise<number>((resolve) => socket.once('close', resolve))
  const opened = new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  const until = (condition: () => boolean) =>
    new Promise<void>((resolve) => {
      look = () => {
        if (condition()) resolve()
      }
      look()
    })
  return { socket, reported, closed, opened, until, send: (message: unknown) => socket.send(JSON.stringify(message)) }
}

const isGreeted = (reported: readonly BaseEvent[]) => reported.some(({ type }) => type === EventType.STATE_SNAPSHOT)

describe('a WebSocket to a slice', () => {
  test('a client that leaves during authentication takes no place', async () => {
    const asked = new Gate()
    const known = new Gate()
    const alice = { kind: 'user', id: 'alice', tenant: 'default' } as const
    const authenticate: Authenticator = async (request) => {
      const token = request.headers.get('authorization')
      if (token === 'Bearer slow') {
        asked.open()
        await known.opened
      }
      return token === null ? undefined : { principal: alice, credential: { type: 'test' } }
    }
    const { url } = await start({ access: { authenticators: [authenticate], limits: { streamsPerPrincipal: 1 } } })
    const gone = socketTo(url)
    await gone.opened
    gone.send({ type: 'hello', threadId: 'a', token: 'slow' })
    await asked.opened
    gone.socket.terminate()
    await gone.closed
    // The agent has seen it go when it answers a caller that came later.
    await fetch(`${url}/agui/capabilities`)
    known.open()
    const { reported, send, opened, until, closed } = socketTo(url)
    await opened
    send({ type: 'hello', threadId: 'a', token: 'quick' })
    await Promise.race([until(() => isGreeted(reported)), closed])
    expect(isGreeted(reported)).toBe(true)
  })

  test('of a caller that reads no answer no more is taken than can be answered', async () => {
    let received = 0
    const counter = counterSlice()
    const slice: typeof counter = {
      ...counter,
      handle: (...given) => {
        received++
        return counter.handle?.(...given) ?? { drafts: [], reply: {} }
      },
    }
    const { url } = await start({ slices: [slice], protocols: { heartbeatMs: 500 } })
    const { socket, reported, send, opened, until, closed } = socketTo(url)
    await opened
    send({ type: 'hello', threadId: uuid() })
    await until(() => isGreeted(reported))
    socket.pause()
    // Each is answered by as much as it says.
    const id = 'x'.repeat(1_000_000)
    for (let count = 0; count < 60; count++) send({ type: 'said', id: `${count}`, said: { events: [add(-1, id)] } })
    // It answers no pings either, and is let go.
    socket.on('error', () => {})
    await closed
    expect(received).toBeLessThan(60)
  })

  test('what is refused of a greeting is told', async () => {
    const { url } = await start()
    const { reported, send, opened, until } = socketTo(url)
    await opened
    send({ type: 'hello', threadId: uuid(), events: [add(-1, 'mine')] })
    await until(() => isGreeted(reported))
    expect(customs(reported, 'counter.refused')).toEqual([{ id: 'mine', by: -1 }])
  })

  test('a page of another site does not get in, as it does not by POST', async () => {
    const { url } = await start()
    const origin = 'https://evil.example'
    const posted = await fetch(`${url}/counter/events`, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: JSON.stringify({ threadId: uuid(), events: [] }),
    })
    expect(posted.status).toBe(403)
    await expect(socketTo(url, { origin }).opened).rejects.toThrow('403')
  })
})

test('the first run of a thread shows what it has said to a slice and to the agent', async () => {
  const { url } = await start()
  const agent = new StockAgent({ url, threadId: uuid() })
  const { events } = await agent.say('hello', { forwardedProps: { counter: { events: [add(2)] } } })
  expect(customs(events, 'counter.counted')).toEqual([{ count: 2 }])
  expect(agent.agent.state).toMatchObject({ counter: 2 })
})

test('the id of an instance is read as it is meant', async () => {
  const counter = counterSlice()
  const asked: unknown[] = []
  const slice: typeof counter = {
    ...counter,
    handle: (state, said, context) => {
      asked.push(said)
      return counter.handle?.(state, said, context) ?? { drafts: [], reply: {} }
    },
  }
  const { url } = await start({ slices: [slice] })
  const at = (id: string) => fetch(`${url}/counter/instances/${id}?threadId=${uuid()}`)
  expect((await at('my%20flow')).status).toBe(200)
  expect(asked.at(-1)).toEqual({ look: { instanceId: 'my flow' } })
  expect((await at('%E0%A4%A')).status).toBe(400)
})
