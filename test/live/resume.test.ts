import { defineActor } from '@cool-ai/beach'
import type { Frame } from '@cool-ai/beach-core'
import { EnvelopeStream } from '@cool-ai/beach-protocol/stream'
import { describe, expect, test, type TestContext } from 'vitest'
import { frailConnection } from '../support/frail-connection.ts'
import { readEvents } from '../support/server-events.ts'
import { openSocket } from '../support/socket.ts'
import { call, openSession, spokenBy, Speech, startAgent, type Opened } from './agent.ts'

type Via = 'sse' | 'websocket'

/** Follows a session by one connection, until it breaks or is left. */
async function* follow(context: TestContext, via: Via, url: string, { token }: Opened, after?: string) {
  const headers = { authorization: `Bearer ${token}` }
  if (via === 'websocket') {
    const socket = openSocket(context, `${url}/ws`, { headers, ...(after !== undefined && { after }) })
    try {
      for (let place = 0; ; place++) {
        await socket.until(() => socket.frames.length > place)
        yield socket.frames[place] as Frame
      }
    } finally {
      socket.close()
    }
  }
  const address = after === undefined ? `${url}/events` : `${url}/events?after=${after}`
  for await (const { event, id, data } of readEvents(address, headers)) {
    yield { kind: event, ...(id !== undefined && { cursor: id }), ...(data as object) } as Frame
  }
}

/** A listener that comes back with its cursor whenever its connection breaks, and keeps all that it was given. */
class Listener {
  readonly stream = new EnvelopeStream()
  readonly frames: Frame[] = []
  readonly #connect: (after: string | undefined) => AsyncGenerator<Frame>

  constructor(connect: (after: string | undefined) => AsyncGenerator<Frame>) {
    this.#connect = connect
  }

  async until(condition: (stream: EnvelopeStream) => boolean): Promise<void> {
    while (!condition(this.stream)) {
      try {
        for await (const frame of this.#connect(this.stream.lastCursor)) {
          this.frames.push(frame)
          this.stream.apply(frame)
          if (condition(this.stream)) return
        }
      } catch {
        // The connection broke.
      }
    }
  }

  get text(): string {
    return this.stream.parts.findLast(({ partType }) => partType === 'response')?.text ?? ''
  }
}

describe.for(['sse', 'websocket'] as const)('a listener by %s', (via) => {
  test('whose connection is cut again and again loses nothing and gets nothing twice', async (context) => {
    const steps = 40
    let next = () => {}
    const counter = defineActor(async ({ respond }) => {
      for (let n = 0; n < steps; n++) {
        await new Promise<void>((resolve) => (next = resolve))
        await respond({ parts: [{ partType: 'ack', text: `${n}` }], turnState: 'awaiting' })
      }
      await respond({ parts: [{ partType: 'response', text: 'done' }], turnState: 'complete' })
    })
    const { url } = await startAgent(context, { actors: { counter } })
    const frail = await frailConnection(context, Number(new URL(url).port))
    const opened = await openSession(url)
    const path = `/sessions/${opened.sessionId}`
    const listener = new Listener((after) => follow(context, via, frail.url + path, opened, after))
    await call(`${url}${path}/messages`, { token: opened.token, body: { text: 'count' } })
    for (let n = 0; n < steps; n++) {
      const reported = listener.until(({ parts }) => parts.some(({ text }) => text === `${n}`))
      // The actor may not have come to wait for this step yet.
      const prod = setInterval(() => next(), 1)
      if (n % 3 === 0) frail.cut()
      await reported
      clearInterval(prod)
    }
    const over = listener.until(({ turns }) => turns.at(-1)?.settled === true)
    const prod = setInterval(() => next(), 1)
    await over
    clearInterval(prod)
    const numbers = Array.from({ length: steps }, (_, n) => `${n}`)
    expect(listener.stream.parts.map(({ text }) => text)).toEqual(['count', ...numbers, 'done'])
    const cursors = listener.frames.flatMap(({ cursor }) => cursor ?? [])
    expect(new Set(cursors).size).toBe(cursors.length)
    const partIds = listener.frames.flatMap((frame) => (frame.kind === 'part' ? frame.partId : []))
    expect(new Set(partIds).size).toBe(partIds.length)
  })

  test('that is cut off in mid-text has all of the text when it is back, and then goes on', async (context) => {
    const speech = new Speech()
    const { url } = await startAgent(context, { actors: { speaker: spokenBy(speech) } })
    const frail = await frailConnection(context, Number(new URL(url).port))
    const opened = await openSession(url)
    const path = `/sessions/${opened.sessionId}`
    await call(`${url}${path}/messages`, { token: opened.token, body: { text: 'speak' } })
    const listener = new Listener((after) => follow(context, via, frail.url + path, opened, after))
    speech.say('One, two')
    await listener.until(() => listener.text === 'One, two')
    frail.cut()
    speech.say(', three')
    await listener.until(() => listener.text === 'One, two, three')
    const caughtUp = listener.frames.findLast((frame) => frame.kind === 'delta')
    expect(caughtUp, 'the open text comes whole').toMatchObject({ offset: 0, text: 'One, two, three' })
    speech.say(', four')
    await listener.until(() => listener.text === 'One, two, three, four')
    speech.end()
    await listener.until(({ turns }) => turns.at(-1)?.settled === true)
    expect(listener.text).toBe('One, two, three, four')
    expect(listener.stream.parts.filter(({ partType }) => partType === 'response')).toHaveLength(1)
  })
})

test('a browser’s Last-Event-ID counts more than the cursor in the address it began with', async (context) => {
  const { url } = await startAgent(context)
  const { sessionId, token } = await openSession(url)
  const session = `${url}/sessions/${sessionId}`
  await call(`${session}/messages`, { token, body: { text: 'hello' } })
  const all: (string | undefined)[] = []
  for await (const { event, id } of readEvents(`${session}/events`, { authorization: `Bearer ${token}` })) {
    if (event !== 'delta') all.push(id)
    if (event === 'settled') break
  }
  const rest: (string | undefined)[] = []
  const headers = { authorization: `Bearer ${token}`, 'last-event-id': all[4] ?? '' }
  for await (const { event, id } of readEvents(`${session}/events?after=${all[0]}`, headers)) {
    rest.push(id)
    if (event === 'settled') break
  }
  expect(rest).toEqual(all.slice(5))
})
