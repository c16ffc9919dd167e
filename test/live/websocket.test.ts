import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { defineActor } from '@cool-ai/beach'
import type { Frame } from '@cool-ai/beach-core'
import { MemoryArtifactStore } from '@cool-ai/beach-missives'
import { testAgent } from '@cool-ai/beach-testing'
import { describe, expect, test } from 'vitest'
import { openSocket } from '../support/socket.ts'
import { readEvents } from '../support/server-events.ts'
import { call, echo, openSession, ownPartTypes, runtime, startAgent } from './agent.ts'

/** What a session's events were until its first turn had settled, in the form that WebSockets give. */
async function eventsOf(url: string, token: string): Promise<Frame[]> {
  const frames: Frame[] = []
  for await (const { event, id, data } of readEvents(`${url}/events`, { authorization: `Bearer ${token}` })) {
    frames.push({ kind: event, ...(id !== undefined && { cursor: id }), ...(data as object) } as Frame)
    if (event === 'settled') break
  }
  return frames
}

const durable = ({ kind }: Frame) => kind !== 'delta'

describe('a WebSocket', () => {
  test('brings the same as server-sent events, live and from the log', async (context) => {
    const { url } = await startAgent(context)
    const { sessionId, token } = await openSession(url)
    const session = `${url}/sessions/${sessionId}`
    const headers = { authorization: `Bearer ${token}` }
    const socket = openSocket(context, `${session}/ws`, { headers })
    await socket.ready()
    expect(socket.protocol).toBe('beach.v1')
    expect(socket.said).toEqual([{ type: 'ready', sessionId, heartbeatMs: 15_000 }])
    const live = eventsOf(session, token)
    await call(`${session}/messages`, { token, body: { text: 'hello' } })
    await socket.settled()
    expect(socket.frames.filter(durable)).toEqual((await live).filter(durable))
    expect(socket.frames.filter(({ kind }) => kind === 'delta').length).toBeGreaterThan(0)
    const later = openSocket(context, `${session}/ws`, { headers })
    await later.settled()
    expect(later.frames).toEqual(socket.frames.filter(durable))
    expect(later.frames).toEqual(await eventsOf(session, token))
  })

  test('goes on after a cursor, and from the start after one that is not of the session', async (context) => {
    const { url } = await startAgent(context)
    const { sessionId, token } = await openSession(url)
    const session = `${url}/sessions/${sessionId}`
    await call(`${session}/messages`, { token, body: { text: 'hello' } })
    const all = await eventsOf(session, token)
    const frames = all.filter(durable)
    const headers = { authorization: `Bearer ${token}` }
    const after = openSocket(context, `${session}/ws`, { headers, after: frames[2]?.cursor ?? '' })
    await after.settled()
    expect(after.frames).toEqual(frames.slice(3))
    for (const foreign of ['99999', '-4', 'x', '../../etc']) {
      const socket = openSocket(context, `${session}/ws`, { headers, after: foreign })
      await socket.settled()
      expect(socket.frames).toEqual(frames)
    }
  })

  test('takes messages, once by their key whichever way they come, and answers by id', async (context) => {
    const { url } = await startAgent(context)
    const { sessionId, token } = await openSession(url)
    const session = `${url}/sessions/${sessionId}`
    const socket = openSocket(context, `${session}/ws`, { headers: { authorization: `Bearer ${token}` } })
    await socket.ready()
    const sent = await socket.ask({ type: 'send', key: 'once', text: 'hello' })
    expect(sent).toMatchObject({ type: 'ok', result: { duplicate: false } })
    const result = sent.result as { messageId: string; seq: number }
    expect(await socket.ask({ type: 'send', key: 'once', text: 'hello' })).toMatchObject({
      result: { ...result, duplicate: true },
    })
    const posted = await call(`${session}/messages`, {
      token,
      body: { text: 'hello' },
      headers: { 'idempotency-key': 'once' },
    })
    expect(posted.body).toEqual({ ...result, duplicate: true })
    expect(await socket.ask({ type: 'send', key: 'once', text: 'other' })).toMatchObject({
      type: 'error',
      error: { code: 'IDEMPOTENCY_MISMATCH', status: 409, retryable: false },
    })
    await socket.settled()
    const parts = [{ text: 'with parts', metadata: { partType: 'message', clientId: 'c1' } }]
    expect(await socket.ask({ type: 'send', parts, id: 'mine' })).toMatchObject({ type: 'ok', id: 'mine' })
    await socket.until(() => socket.frames.some((frame) => frame.kind === 'part' && frame.part.text === 'with parts'))
  })

  test('takes decisions and cancellations', async (context) => {
    const booker = defineActor(async ({ respond, tool }) => {
      const outcome = await tool({ name: 'book', args: {}, requiresApproval: true }, async () => 'booked')
      const text = outcome.outcome === 'ok' ? outcome.value : 'not booked'
      await respond({ parts: [{ partType: 'response', text }], turnState: 'complete' })
    })
    const { url } = await startAgent(context, { actors: { booker } })
    const { sessionId, token } = await openSession(url)
    const socket = openSocket(context, `${url}/sessions/${sessionId}/ws`, {
      headers: { authorization: `Bearer ${token}` },
    })
    await socket.ready()
    expect(await socket.ask({ type: 'cancel' })).toMatchObject({ result: { cancelled: false } })
    await socket.ask({ type: 'send', text: 'book it' })
    const request = () =>
      socket.frames.find((frame) => frame.kind === 'part' && frame.part.metadata.partType === 'approval-request')
    await socket.until(() => request() !== undefined)
    const { approvalId } = (request() as Extract<Frame, { kind: 'part' }>).part.data as { approvalId: string }
    expect(await socket.ask({ type: 'decide', approvalId, decision: 'maybe' })).toMatchObject({
      error: { code: 'BAD_REQUEST' },
    })
    expect(await socket.ask({ type: 'decide', approvalId: 'approval_none', decision: 'granted' })).toMatchObject({
      error: { code: 'NOT_FOUND', status: 404 },
    })
    expect(await socket.ask({ type: 'decide', approvalId, decision: 'granted' })).toMatchObject({
      result: { status: 'decided' },
    })
    await socket.settled()
    expect(await socket.ask({ type: 'decide', approvalId, decision: 'denied', reason: 'late' })).toMatchObject({
      error: { code: 'ALREADY_DECIDED' },
    })
    expect(socket.frames.some((frame) => frame.kind === 'part' && frame.part.text === 'booked')).toBe(true)
  })

  test('answers pings of the application, and beats by itself', async (context) => {
    const { url } = await startAgent(context, { protocols: { heartbeatMs: 40 } })
    const { sessionId, token } = await openSession(url)
    const socket = openSocket(context, `${url}/sessions/${sessionId}/ws`, {
      headers: { authorization: `Bearer ${token}` },
    })
    await socket.ready()
    expect(await socket.ask({ type: 'ping' })).toEqual({ type: 'pong', id: '1' })
    socket.send({ type: 'ping' })
    await socket.until(() => socket.said.filter(({ type }) => type === 'beat').length >= 8)
    expect(socket.said).toContainEqual({ type: 'pong' })
  })

  test('brings the types that may go by the live stream of a page, and no others', async (context) => {
    const partTypes = ownPartTypes()
    const rules = { streaming: 'flush', buffered: 'drop' } as const
    partTypes.register({ partType: 'test.by-sse', deliveryRules: rules, allowedTransports: ['sse'] })
    partTypes.register({ partType: 'test.by-socket', deliveryRules: rules, allowedTransports: ['websocket'] })
    partTypes.register({ partType: 'test.by-a2a', deliveryRules: rules, allowedTransports: ['a2a'] })
    const both = defineActor(({ respond }) =>
      respond({
        parts: ['test.by-sse', 'ack', 'test.by-a2a', 'test.by-socket'].map((partType) => ({
          partType,
          text: partType,
        })),
        turnState: 'complete',
      }),
    )
    const { url } = await startAgent(context, { actors: { both }, partTypes })
    const { sessionId, token } = await openSession(url)
    const session = `${url}/sessions/${sessionId}`
    const socket = openSocket(context, `${session}/ws`, { headers: { authorization: `Bearer ${token}` } })
    await socket.ready()
    await socket.ask({ type: 'send', text: 'go' })
    await socket.settled()
    const said = (frames: readonly Frame[]) =>
      frames.flatMap((frame) => (frame.kind === 'part' && frame.role === 'agent' ? [frame.part.text] : []))
    const shown = ['test.by-sse', 'ack', 'test.by-socket']
    expect(said(socket.frames)).toEqual(shown)
    expect(said(await eventsOf(session, token))).toEqual(shown)
  })

  test('brings links to artifacts, in their order', async (context) => {
    const artifacts = new MemoryArtifactStore({ runtime })
    const about = { name: 'a.txt', mimeType: 'text/plain', tenant: 'default' }
    const { artifactId, sizeBytes } = await artifacts.put(new TextEncoder().encode('hello'), about)
    const maker = defineActor(({ respond }) =>
      respond({
        parts: [
          { partType: 'ack', text: 'before' },
          { partType: 'artifact', data: { artifactId, name: 'a.txt', mimeType: 'text/plain', sizeBytes } },
          { partType: 'response', text: 'after' },
        ],
        turnState: 'complete',
      }),
    )
    const { url } = await startAgent(context, { actors: { maker }, data: { artifacts } })
    const { sessionId, token } = await openSession(url)
    const session = `${url}/sessions/${sessionId}`
    const headers = { authorization: `Bearer ${token}` }
    const sockets = [1, 2].map(() => openSocket(context, `${session}/ws`, { headers }))
    for (const socket of sockets) await socket.ready()
    await sockets[0]?.ask({ type: 'send', text: 'make it' })
    for (const socket of sockets) {
      await socket.settled()
      const parts = socket.frames.flatMap((frame) =>
        frame.kind === 'part' && frame.role === 'agent' ? [frame.part] : [],
      )
      expect(parts.map((part) => part.metadata.partType)).toEqual(['ack', 'artifact', 'response'])
      const linked = parts[1]?.data as { url: string } | undefined
      expect(await (await fetch(`${url}${linked?.url}`)).text()).toBe('hello')
    }
  })

  test('can be served by any server of node:http', async (context) => {
    const { beach, stop } = await testAgent({ actors: { echo }, runtime })
    const server = createServer((_, response) => void response.end())
    server.on('upgrade', (incoming, socket, head: Buffer) => beach.upgrade(incoming, socket, head))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    context.onTestFinished(async () => {
      await stop()
      server.close()
    })
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const opened = await beach.fetch(new Request(`${url}/sessions`, { method: 'POST' }))
    const { sessionId, token } = (await opened.json()) as { sessionId: string; token: string }
    const socket = openSocket(context, `${url}/sessions/${sessionId}/ws`, {
      headers: { authorization: `Bearer ${token}` },
    })
    await socket.ready()
    await socket.ask({ type: 'send', text: 'hello' })
    await socket.settled()
  })
})
