import { connect } from 'node:net'
import { defineActor } from '@cool-ai/beach'
import type { Frame } from '@cool-ai/beach-core'
import { describe, expect, test, type TestContext } from 'vitest'
import { readEvents } from '../support/server-events.ts'
import { closeOf, connected } from '../support/raw-socket.ts'
import { openSocket } from '../support/socket.ts'
import { call, openSession, Speech, startAgent, type Opened } from './agent.ts'

/** An agent that says what the test says, two viewers that keep up, and room for one more. */
async function talk(context: TestContext, heartbeatMs?: number) {
  const speech = new Speech()
  const speaker = defineActor(async ({ respond }) => {
    for await (const text of speech) await respond({ parts: [{ partType: 'ack', text }], turnState: 'awaiting' })
  })
  const serving = await startAgent(context, {
    actors: { speaker },
    access: { limits: { streamsPerPrincipal: 3, viewer: { frames: 10_000, characters: 400_000 } } },
    protocols: { heartbeatMs },
  })
  const opened = await openSession(serving.url)
  const session = `${serving.url}/sessions/${opened.sessionId}`
  const headers = { authorization: `Bearer ${opened.token}` }
  const socket = openSocket(context, `${session}/ws`, { headers })
  await socket.ready()
  let received = 0
  const leave = new AbortController()
  context.onTestFinished(() => leave.abort())
  const reading = (async () => {
    for await (const { event, data } of readEvents(`${session}/events`, headers)) {
      if (event === 'part') received += lengthOf({ kind: 'part', ...(data as object) } as Frame)
      if (event === 'settled' || leave.signal.aborted) return
    }
  })()
  reading.catch(() => {})
  await call(`${session}/messages`, { token: opened.token, body: { text: 'speak' } })
  await socket.until(() => socket.frames.some(({ kind }) => kind === 'turn'))
  const receivedBySocket = () => socket.frames.reduce((sum, frame) => sum + lengthOf(frame), 0)
  return { serving, opened, session, headers, speech, received: () => [received, receivedBySocket()], socket }
}

/** How much the agent has said with a frame. */
function lengthOf(frame: Frame): number {
  return frame.kind === 'part' && frame.role === 'agent' ? (frame.part.text?.length ?? 0) : 0
}

/** A reader by server-sent events that has begun, and then takes nothing. */
function stalledEvents(context: TestContext, url: string, { token }: Opened) {
  const { hostname, port, pathname } = new URL(url)
  return new Promise<ReturnType<typeof connect>>((resolve) => {
    const socket = connect(Number(port), hostname)
    context.onTestFinished(() => void socket.destroy())
    socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${token}\r\n\r\n`)
    socket.on('error', () => {})
    socket.once('data', () => resolve(socket.pause()))
  })
}

describe('a reader that takes nothing', () => {
  test.for(['sse', 'websocket'] as const)(
    'by %s is let go at a limit, while others get everything',
    async (via, context) => {
      const { opened, session, headers, speech, received } = await talk(context)
      const stalled =
        via === 'sse'
          ? await stalledEvents(context, `${session}/events`, opened)
          : (await connected(context, `${session}/ws`, headers)).pause()
      const piece = 'x'.repeat(20_000)
      let said = 0
      // As long as it is there, it has the third place.
      let status = 429
      while (status === 429) {
        for (let count = 0; count < 10; count++) {
          speech.say(piece)
          said += piece.length
        }
        while (received().some((length) => length < said)) await new Promise((resolve) => setImmediate(resolve))
        const tried = await fetch(`${session}/events`, { headers })
        status = tried.status
        await tried.body?.cancel()
        expect(said, 'it was never let go').toBeLessThan(100_000_000)
      }
      expect(status).toBe(200)
      expect(received()).toEqual([said, said])
      if (via === 'websocket') {
        expect(await closeOf(stalled)).toEqual({
          code: 4503,
          reason: 'This reader did not keep up. Connect again with the last event id.',
        })
      }
    },
  )

  test.for(['sse', 'websocket'] as const)(
    'by %s is let go after two heartbeats, long before the limit',
    async (via, context) => {
      const { opened, session, headers, speech, received } = await talk(context, 100)
      const stalled =
        via === 'sse'
          ? await stalledEvents(context, `${session}/events`, opened)
          : (await connected(context, `${session}/ws`, headers)).pause()
      let status = 429
      while (status === 429) {
        const tried = await fetch(`${session}/events`, { headers })
        status = tried.status
        await tried.body?.cancel()
        if (via === 'sse') speech.say('x'.repeat(20_000))
      }
      expect(status).toBe(200)
      stalled.destroy()
      speech.say('still here')
      const [before = 0] = received()
      while (received().some((length) => length < before)) await new Promise((resolve) => setImmediate(resolve))
    },
  )
})

describe('an agent that shuts down', () => {
  test('says so to connected clients, and does not wait for clients that read nothing', async (context) => {
    const { serving, session, headers, socket, speech, received } = await talk(context)
    const paused = (await connected(context, `${session}/ws`, headers)).pause()
    speech.say('half a sentence')
    while (received().some((length) => length < 15)) await new Promise((resolve) => setImmediate(resolve))
    await serving.close()
    expect(await socket.closed).toEqual({ code: 1001, reason: 'The agent shuts down. Connect again.' })
    expect((await closeOf(paused)).code).toBe(1001)
    await expect(openSession(serving.url)).rejects.toThrow('fetch failed')
  })
})
