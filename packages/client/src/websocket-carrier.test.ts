import { SimulatedClock, type Frame } from '@cool-ai/beach-core'
import { describe, expect, test, type TestContext } from 'vitest'
import { requestsTo } from './reliability/requests.ts'
import { webSocketCarrier } from './websocket-carrier.ts'
import { webSocketServer } from './websocket-server.test-helper.ts'
import { part } from './reliability/test-context.test-helper.ts'

async function carried(context: TestContext, options: { token?: string; after?: string; refuseWith?: number } = {}) {
  const { url, next } = await webSocketServer(context, options.refuseWith)
  const clock = new SimulatedClock()
  const end = new AbortController()
  const frames: Frame[] = []
  const opened: unknown[] = []
  const count = { signs: 0 }
  const requests = requestsTo({ url, token: options.token }, clock)
  const carrier = webSocketCarrier(requests, '/sessions/sess_1', { clock, WebSocket })
  const over = carrier(
    options.after,
    {
      opened: (...how) => opened.push(how),
      activity: () => count.signs++,
      frame: (frame) => frames.push(frame),
      retry: () => {},
    },
    end.signal,
  )
  over.catch(() => {})
  return { next, clock, over, frames, opened, count, abort: (reason: Error) => end.abort(reason) }
}

const ready = '{"type":"ready","sessionId":"sess_1","heartbeatMs":20000}'

describe('a WebSocket', () => {
  test('is asked for after the cursor, with the token among the subprotocols', async (context) => {
    const { next, opened } = await carried(context, { token: 'v1.eyJ9-_.x', after: '12' })
    const socket = await next()
    expect(socket.request.url).toBe('/sessions/sess_1/ws?after=12')
    expect(socket.request.headers['sec-websocket-protocol']?.split(/, ?/)).toEqual(['beach.v1', 'bearer.v1.eyJ9-_.x'])
    expect(opened, 'not before the agent has agreed').toEqual([])
  })

  test('says first who it is for, where the token cannot be a subprotocol', async (context) => {
    const { next } = await carried(context, { token: 'key/with=signs' })
    const socket = await next()
    expect(socket.request.headers['sec-websocket-protocol']).toBe('beach.v1')
    while (socket.received.length === 0) await new Promise((resolve) => setImmediate(resolve))
    expect(socket.received.map((text) => JSON.parse(text) as unknown)).toEqual([
      { type: 'hello', token: 'key/with=signs' },
    ])
  })

  test('brings frames, and signs of life, and whatever else newer agents may send', async (context) => {
    const { next, over, frames, opened, count } = await carried(context)
    const socket = await next()
    for (const text of [ready, JSON.stringify(part('3')), '{"type":"beat"}', '{"type":"news","of":"tomorrow"}']) {
      socket.send(text)
    }
    socket.close(1_001)
    await over
    expect(opened).toEqual([['websocket', 20_000]])
    expect(frames).toEqual([part('3')])
    expect(count.signs).toBe(4)
    expect(socket.received).toEqual([])
  })

  test.for([
    [4_401, 'UNAUTHENTICATED', false],
    [4_403, 'FORBIDDEN', false],
    [4_404, 'NOT_FOUND', false],
    [4_410, 'EXPIRED', false],
    [4_422, 'BAD_REQUEST', false],
    [4_429, 'TOO_MANY', true],
    [4_503, 'UNREACHABLE', true],
  ] as const)('that is closed with %i has failed with %s', async ([closeCode, code, retryable], context) => {
    const { next, over } = await carried(context)
    const socket = await next()
    socket.close(closeCode, 'Because.')
    await expect(over).rejects.toMatchObject({ code, retryable, status: closeCode - 4_000, message: 'Because.' })
  })

  test('that breaks may be tried again', async (context) => {
    const { next, over } = await carried(context)
    const socket = await next()
    socket.send(ready)
    socket.drop()
    await expect(over).rejects.toMatchObject({ code: 'UNREACHABLE', retryable: true })
  })

  test('that is not made may be tried in another way', async (context) => {
    const { over } = await carried(context, { refuseWith: 404 })
    await expect(over).rejects.toMatchObject({ code: 'UNREACHABLE', retryable: true })
  })

  test('that is closed before it was ready may be tried in another way', async (context) => {
    const { next, over } = await carried(context)
    const socket = await next()
    socket.close(1_011)
    await expect(over).rejects.toMatchObject({ retryable: true })
  })

  test('that says nothing is given up after five seconds', async (context) => {
    const { next, clock, over } = await carried(context)
    const socket = await next()
    await clock.advance(5_000)
    await expect(over).rejects.toMatchObject({ code: 'UNREACHABLE' })
    await socket.closed
  })

  test('that says what is no message is left', async (context) => {
    const { next, over, frames } = await carried(context)
    const socket = await next()
    for (const text of [ready, 'nonsense', JSON.stringify(part('3'))]) socket.send(text)
    await expect(over).rejects.toThrow(SyntaxError)
    await socket.closed
    expect(frames).toEqual([])
  })

  test('is closed when it is no longer wanted, and brings nothing after that', async (context) => {
    const { next, over, frames, abort } = await carried(context)
    const socket = await next()
    socket.send(ready)
    const reason = new Error('No longer wanted.')
    abort(reason)
    await expect(over).rejects.toBe(reason)
    socket.send(JSON.stringify(part('3')))
    await socket.closed
    expect(frames).toEqual([])
  })
})
