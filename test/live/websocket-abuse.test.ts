import { request } from 'node:http'
import { connect } from 'node:net'
import { systemClock, type Principal } from '@cool-ai/beach-core'
import { describe, expect, test, type TestContext } from 'vitest'
import {
  clientFrame,
  closeCodeOf,
  connected,
  handshake,
  serverFrames,
  type ServerFrame,
} from '../support/raw-socket.ts'
import { openSocket, type SocketOptions } from '../support/socket.ts'
import { call, openSession, runtime, startAgent } from './agent.ts'

/** An agent, a session of it, and the headers of its owner. */
async function session(context: TestContext, options: Parameters<typeof startAgent>[1] = {}) {
  const { url } = await startAgent(context, options)
  const { sessionId, token } = await openSession(url)
  const ws = `${url}/sessions/${sessionId}/ws`
  const headers = { authorization: `Bearer ${token}` }
  return { url, ws, sessionId, token, headers, open: (more?: SocketOptions) => openSocket(context, ws, more) }
}

async function cookieOf(url: string): Promise<string> {
  return ((await fetch(url)).headers.get('set-cookie') ?? '').split(';')[0] ?? ''
}

describe('the way to a WebSocket', () => {
  test('is an upgrade: anything else is told so', async (context) => {
    const { ws, headers } = await session(context)
    const response = await fetch(ws, { headers })
    expect(response.status).toBe(426)
    expect(response.headers.get('upgrade')).toBe('websocket')
    expect(await response.json()).toMatchObject({ error: { code: 'UPGRADE_REQUIRED' } })
    expect(await call(ws)).toMatchObject({ status: 405 })
  })

  test('is closed to pages of other sites that come with the user’s cookie', async (context) => {
    const { url } = await startAgent(context)
    const cookie = await cookieOf(url)
    const opened = await call(`${url}/sessions`, { headers: { cookie } })
    const ws = `${url}/sessions/${(opened.body as { sessionId: string }).sessionId}/ws`
    const origins = ['http://evil.example', 'null', 'http://127.0.0.1.evil.example', 'http://127.0.0.1:1', 'nonsense']
    for (const origin of origins) {
      expect(await handshake(context, ws, { cookie, origin }), origin).toMatchObject({
        status: 403,
        body: { error: { code: 'FORBIDDEN' } },
      })
    }
    const ours = openSocket(context, ws, { headers: { cookie, origin: url } })
    await ours.ready()
  })

  test('counts no credential that a browser adds by itself for pages of other sites', async (context) => {
    // As with the certificate of a client, or a proxy that signs people in.
    const ann: Principal = { kind: 'user', id: 'ann', tenant: 'default' }
    const authenticators = [
      async (asked: Request) =>
        asked.headers.has('x-ann') ? { principal: ann, credential: { type: 'test' } } : undefined,
    ]
    const { url } = await startAgent(context, { access: { authenticators } })
    const opened = await call(`${url}/sessions`, { headers: { 'x-ann': '1' } })
    const ws = `${url}/sessions/${(opened.body as { sessionId: string }).sessionId}/ws`
    await openSocket(context, ws, { headers: { 'x-ann': '1', origin: url } }).ready()
    for (const origin of ['http://evil.example', 'null']) {
      expect(await handshake(context, ws, { 'x-ann': '1', origin })).toMatchObject({ status: 403 })
    }
  })

  test('is closed to callers by another host name, and at every other path', async (context) => {
    const { url, ws, headers, sessionId } = await session(context)
    for (const host of ['evil.example', '127.0.0.1.evil.example:80']) {
      expect(await handshake(context, ws, { ...headers, host })).toMatchObject({ status: 421 })
    }
    for (const path of ['/', '/sessions', `/sessions/${sessionId}/ws/`, '/sessions/%ff/ws', '/sessions//ws', '/mcp']) {
      expect(await handshake(context, url + path, headers), path).toMatchObject({
        status: 404,
        body: { error: { code: 'NOT_FOUND' } },
      })
    }
    expect(await handshake(context, ws, { ...headers, 'sec-websocket-version': '7' })).toMatchObject({ status: 400 })
    expect(await handshake(context, ws, { ...headers, 'sec-websocket-key': 'x' })).toMatchObject({ status: 400 })
  })

  test('does not change what requests get that would like to speak something else', async (context) => {
    const { url } = await startAgent(context)
    const sent = request(`${url}/healthz`, { headers: { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c' } })
    const status = new Promise((resolve) => sent.once('response', (response) => resolve(response.statusCode)))
    sent.end()
    expect(await status).toBe(200)
  })
})

describe('a caller by WebSocket', () => {
  test('can show a token as a subprotocol, which is not said back', async (context) => {
    const { open, token } = await session(context)
    const socket = open({ protocols: ['beach.v1', `bearer.${token}`] })
    await socket.ready()
    expect(socket.protocol).toBe('beach.v1')
    expect(await open({ protocols: ['beach.v1', 'bearer.v1.x.y'] }).closed).toMatchObject({ code: 4401 })
  })

  test('can show it in a first message, with the cursor, and requests may follow at once', async (context) => {
    const { url, ws, token, sessionId } = await session(context)
    await call(`${url}/sessions/${sessionId}/messages`, { token, body: { text: 'hello' } })
    const first = openSocket(context, ws, { headers: { authorization: `Bearer ${token}` } })
    await first.settled()
    const { cursor } = first.frames.findLast((frame) => frame.cursor !== undefined) ?? {}
    const socket = await connected(context, ws, {})
    const hello = clientFrame(0x81, JSON.stringify({ type: 'hello', token, after: cursor }))
    socket.write(Buffer.concat([hello, clientFrame(0x81, '{"type":"ping","id":"1"}')]))
    const said: unknown[] = []
    for await (const { payload } of serverFrames(socket)) {
      said.push(JSON.parse(payload.toString()))
      if (said.length === 2) break
    }
    expect(said).toMatchObject([{ type: 'ready' }, { type: 'pong', id: '1' }])
  })

  test.for([
    ['nothing of who it is', '{"type":"send","id":"1","text":"x"}', 4401],
    ['a bad token', '{"type":"hello","token":"v1.a.b"}', 4401],
    ['a token that is no string', '{"type":"hello","token":{}}', 4401],
    ['what is no JSON', 'hello', 4400],
    ['what is nested without end', `{"type":"hello","token":${'['.repeat(5_000)}${']'.repeat(5_000)}}`, 4400],
  ] as const)('and says %s first is not let in', async ([, text, code], context) => {
    const { ws } = await session(context)
    const socket = await connected(context, ws, {})
    socket.write(clientFrame(0x81, text))
    expect(await closeCodeOf(socket)).toBe(code)
  })

  test('cannot show a token in the address', async (context) => {
    const { ws, token } = await session(context)
    const socket = await connected(context, `${ws}?token=${token}`, {})
    socket.write(clientFrame(0x81, '{"type":"ping"}'))
    expect(await closeCodeOf(socket)).toBe(4401)
  })

  test('and says nothing is let go after ten seconds', async (context) => {
    const waiting: (() => void)[] = []
    const timer = (ms: number, run: () => void) => {
      if (ms !== 10_000) return systemClock.timer(ms, run)
      waiting.push(run)
      return () => {}
    }
    const clock = { now: () => systemClock.now(), timer }
    const { ws } = await session(context, { runtime: { ...runtime, clock }, turns: { leaseMs: 4_000 } })
    const socket = await connected(context, ws, {})
    while (waiting.length === 0) await new Promise((resolve) => setImmediate(resolve))
    for (const run of waiting) run()
    expect(await closeCodeOf(socket)).toBe(4401)
  })

  test('cannot keep others out by saying nothing a hundred times, or a thousand', async (context) => {
    const remoteAddress = ({ headers }: Request) => headers.get('x-from') ?? undefined
    const { ws, headers } = await session(context, { access: { remoteAddress } })
    const silentFrom = (from: string) => Array.from({ length: 100 }, () => connected(context, ws, { 'x-from': from }))
    const silent = await Promise.all(silentFrom('192.0.2.1'))
    const refused = { status: 429, body: { error: { code: 'TOO_MANY' } } }
    expect(await handshake(context, ws, { 'x-from': '192.0.2.1' })).toMatchObject(refused)
    expect(await handshake(context, ws, { 'x-from': '192.0.2.2' }), 'from elsewhere').toMatchObject({ status: 101 })
    const known = { ...headers, 'x-from': '192.0.2.1' }
    await openSocket(context, ws, { headers: known }).ready()
    for (let network = 3; network < 12; network++) {
      const some = silentFrom(`192.0.2.${network}`)
      // One is there already.
      if (network === 11) void some.pop()?.catch(() => {})
      silent.push(...(await Promise.all(some.slice(0, network === 11 ? 99 : 100))))
    }
    expect(await handshake(context, ws, { 'x-from': '192.0.2.99' })).toMatchObject(refused)
    await openSocket(context, ws, { headers: known }).ready()
    for (const socket of silent) socket.destroy()
    // The server notices a closed connection a moment later.
    for (;;) {
      const { status } = await handshake(context, ws, { 'x-from': '192.0.2.1' })
      if (status === 101) break
    }
  })

  test('sends little before it is known who that is, however it is cut', async (context) => {
    const { ws } = await session(context)
    for (const frames of [
      [clientFrame(0x81, 'x'.repeat(17_000))],
      Array.from({ length: 50 }, (_, index) => clientFrame(index === 0 ? 0x01 : 0x00, 'x'.repeat(400))),
    ]) {
      const socket = await connected(context, ws, {})
      // All but the last byte: the message is not there yet, and will not be waited for.
      socket.write(Buffer.concat(frames).subarray(0, -1))
      expect(await closeCodeOf(socket)).toBe(1009)
    }
  })

  test('does not find sessions of others, or none', async (context) => {
    const { url, sessionId } = await session(context)
    const { token } = await openSession(url)
    const headers = { authorization: `Bearer ${token}` }
    for (const id of [sessionId, 'sess_none', 'x'.repeat(1_000), '%00']) {
      const socket = openSocket(context, `${url}/sessions/${id}/ws`, { headers })
      expect(await socket.closed).toEqual({ code: 4404, reason: 'There is no such session, or it is not yours.' })
    }
  })

  test('has, as a guest, as many streams as all guests of where it comes from', async (context) => {
    const { url, ws, headers } = await session(context, { access: { limits: { guestStreamsPerNetwork: 2 } } })
    await openSocket(context, ws, { headers }).ready()
    const second = await openSession(url)
    const other = { authorization: `Bearer ${second.token}` }
    const stream = await fetch(`${url}/sessions/${second.sessionId}/events`, { headers: other })
    expect(stream.status).toBe(200)
    const third = await openSession(url)
    const path = `${url}/sessions/${third.sessionId}`
    const last = { authorization: `Bearer ${third.token}` }
    expect((await fetch(`${path}/events`, { headers: last })).status).toBe(429)
    expect(await openSocket(context, `${path}/ws`, { headers: last }).closed).toMatchObject({ code: 4429 })
    await stream.body?.cancel()
  })

  test('has as many streams as any caller, of both kinds together', async (context) => {
    const { url, sessionId, headers, open } = await session(context, { access: { limits: { streamsPerPrincipal: 2 } } })
    const events = `${url}/sessions/${sessionId}/events`
    const stream = await fetch(events, { headers })
    const socket = open({ headers })
    await socket.ready()
    expect(await open({ headers }).closed).toMatchObject({ code: 4429 })
    expect((await fetch(events, { headers })).status).toBe(429)
    await stream.body?.cancel()
    // The server notices a closed connection a moment later.
    for (;;) {
      const next = open({ headers })
      const outcome = await Promise.race([next.ready().then(() => 'ready'), next.closed.then(() => 'closed')])
      if (outcome === 'ready') break
    }
  })
})

describe('a message by WebSocket', () => {
  test.for([
    ['no JSON', 'nonsense', 'BAD_JSON'],
    ['an array', '[]', 'BAD_REQUEST'],
    ['null', 'null', 'BAD_REQUEST'],
    ['an unknown type', '{"type":"shout","id":"1"}', 'BAD_REQUEST'],
    ['no id', '{"type":"send","text":"x"}', 'BAD_REQUEST'],
    ['an id that is too long', `{"type":"send","text":"x","id":"${'i'.repeat(101)}"}`, 'BAD_REQUEST'],
    ['an unknown field', '{"type":"send","id":"1","text":"x","role":"operator"}', 'BAD_REQUEST'],
    ['a second hello', '{"type":"hello","token":"x"}', 'BAD_REQUEST'],
    ['a prototype', '{"type":"send","id":"1","__proto__":{"text":"x"}}', 'BAD_REQUEST'],
    ['too deep', `{"type":"send","id":"1","parts":${'['.repeat(50)}${']'.repeat(50)}}`, 'TOO_DEEP'],
    ['no text', '{"type":"send","id":"1"}', 'BAD_REQUEST'],
    [
      'what only actors say',
      '{"type":"send","id":"1","parts":[{"text":"x","metadata":{"partType":"response"}}]}',
      'INVALID_PART',
    ],
    ['a bad key', '{"type":"send","id":"1","text":"x","key":"a b"}', 'BAD_REQUEST'],
    ['a turn that is no string', '{"type":"cancel","id":"1","turnId":5}', 'BAD_REQUEST'],
  ] as const)(
    'with %s is refused, changes nothing, and does not end the connection',
    async ([, text, code], context) => {
      const { open, headers } = await session(context)
      const socket = open({ headers })
      await socket.ready()
      socket.send(text)
      await socket.until(() => socket.said.some(({ type }) => type === 'error'))
      const { error } = socket.said.find(({ type }) => type === 'error') ?? {}
      expect(error).toMatchObject({ code })
      expect(error?.message.length).toBeGreaterThan(10)
      await socket.ask({ type: 'send', text: 'after', id: 'after' })
      await socket.settled()
      expect(socket.frames[0]).toMatchObject({ kind: 'part', part: { text: 'after' } })
    },
  )

  test.for([
    ['bytes', clientFrame(0x82, 'x'), 1003],
    ['text that is none', clientFrame(0x81, Buffer.from([0xff, 0xfe])), 1007],
    ['a reserved kind of frame', clientFrame(0x83, 'x'), 1002],
    ['reserved bits', clientFrame(0xf1, 'x'), 1002],
    ['the end of a message that has not begun', clientFrame(0x80, 'x'), 1002],
    ['a ping that is too long', clientFrame(0x89, 'x'.repeat(126)), 1002],
    ['a frame without a mask', Buffer.from([0x81, 0x01, 0x78]), 1002],
    ['a frame that says it is endless', Buffer.from([0x81, 0xff, 0x7f, 255, 255, 255, 255, 255, 255, 255]), 1009],
    ['a frame that is too large', Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0, 5, 0, 0]), 1009],
    ['a close with a code that there is not', clientFrame(0x88, Buffer.from([0x00, 0x01])), 1002],
  ] as const)('as %s closes the connection, and nothing else', async ([, bytes, code], context) => {
    const { ws, open, headers } = await session(context)
    const other = open({ headers })
    const socket = await connected(context, ws, headers)
    socket.write(bytes)
    expect(await closeCodeOf(socket)).toBe(code)
    await other.ready()
    expect(await other.ask({ type: 'ping' })).toMatchObject({ type: 'pong' })
  })

  test.for([
    ['messages', clientFrame(0x81, '{"type":"ping"}')],
    ['pings', clientFrame(0x89, 'x')],
    ['unrequested pongs', clientFrame(0x8a, 'x')],
  ] as const)('in a flood of %s ends the connection', async ([, bytes], context) => {
    const { ws, headers } = await session(context)
    const socket = await connected(context, ws, headers)
    socket.write(Buffer.concat(Array.from({ length: 400 }, () => bytes)))
    expect(await closeCodeOf(socket)).toBe(4429)
  })

  test('in very many small pieces closes the connection', async (context) => {
    const { ws, headers } = await session(context)
    const socket = await connected(context, ws, headers)
    const pieces = Array.from({ length: 65 }, (_, index) => clientFrame(index === 0 ? 0x01 : 0x00, 'x'))
    socket.write(Buffer.concat(pieces))
    expect(await closeCodeOf(socket)).toBe(1008)
  })

  test('without an end is not waited for, whatever comes in between', async (context) => {
    const beats: (() => void)[] = []
    const timer = (ms: number, run: () => void) => {
      // A round of heartbeats has sixteen places.
      if (ms !== 16_000 / 16) return systemClock.timer(ms, run)
      beats.push(run)
      return () => {}
    }
    const clock = { now: () => systemClock.now(), timer }
    const { ws, headers } = await session(context, {
      runtime: { ...runtime, clock },
      protocols: { heartbeatMs: 16_000 },
    })
    const socket = await connected(context, ws, headers)
    const other = openSocket(context, ws, { headers })
    await other.ready()
    const frames = serverFrames(socket)
    const next = async () => (await frames.next()).value as ServerFrame
    await next()
    const round = () => {
      for (let place = 0; place < 16; place++) for (const run of beats.splice(0)) run()
    }
    /** Sends something and waits until it has been read. */
    const sent = async (bytes: Buffer) => {
      socket.write(Buffer.concat([bytes, clientFrame(0x89, 'read')]))
      while ((await next()).opcode !== 10);
    }
    await sent(clientFrame(0x01, '{"type":'))
    round()
    await sent(Buffer.concat([clientFrame(0x8a, ''), clientFrame(0x00, ' ')]))
    round()
    let last = await next()
    while (last.opcode !== 8) last = await next()
    expect(last.payload.readUInt16BE(0)).toBe(1008)
    expect(await other.ask({ type: 'ping' })).toMatchObject({ type: 'pong' })
  })

  test('in the middle of the upgrade by a client that then goes leaves nothing behind', async (context) => {
    const { url, ws, headers } = await session(context, { access: { limits: { streamsPerPrincipal: 1 } } })
    const { hostname, port, pathname } = new URL(ws)
    const head = `GET ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n`
    const rest = `Authorization: ${headers.authorization}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`
    for (const text of [head, head + rest, head + rest + clientFrame(0x81, '{').toString('latin1')]) {
      await new Promise<void>((resolve) => {
        const socket = connect(Number(port), hostname, () => socket.write(text, 'latin1', () => socket.destroy()))
        socket.once('close', () => resolve())
      })
    }
    for (;;) {
      const socket = openSocket(context, ws, { headers })
      const outcome = await Promise.race([socket.ready().then(() => 'ready'), socket.closed.then(() => 'closed')])
      if (outcome === 'ready') break
    }
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
  })
})
