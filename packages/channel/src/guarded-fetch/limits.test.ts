import { once } from 'node:events'
import { createServer as createNetServer, type AddressInfo } from 'node:net'
import { gzipSync, brotliCompressSync } from 'node:zlib'
import { SimulatedClock } from '@cool-ai/beach-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { streamLimits } from './guarded-fetch.ts'
import { failureOf, guarded } from './guarded.test-helper.ts'
import { loopbackServer } from './loopback-server.test-helper.ts'

/** A server that sends just these bytes to each client, and leaves the connection open. */
async function rawServer(answer: string) {
  const server = createNetServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.write(answer))
    onTestFinished(() => void socket.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('in time', () => {
  test('an answer must begin', async () => {
    const clock = new SimulatedClock()
    const server = await loopbackServer(() => {})
    const asked = server.nextRequest()
    const failure = failureOf(guarded({ allow: [server.origin], clock })(server.origin))
    await asked
    await clock.advance(9_999)
    expect(clock.next()).toBeDefined()
    await clock.advance(1)
    expect(await failure).toMatchObject({
      code: 'TIMEOUT',
      message: `127.0.0.1:${server.port} did not begin to answer within 10 s. Try again later.`,
    })
    expect(clock.next()).toBeUndefined()
  })

  test('redirects do not give an answer more time', async () => {
    const clock = new SimulatedClock()
    const server = await loopbackServer((request, response) => {
      if (request.url === '/') response.writeHead(302, { location: '/slow' }).end()
    })
    const failure = failureOf(guarded({ allow: [server.origin], clock })(server.origin))
    await server.nextRequest()
    await clock.advance(6_000)
    if (server.requests.length < 2) await server.nextRequest()
    await clock.advance(4_000)
    expect(await failure).toMatchObject({ code: 'TIMEOUT' })
  })

  test('an answer must end, however steadily it comes', async () => {
    const clock = new SimulatedClock()
    const server = await loopbackServer((_, response) => response.write('first'))
    const response = await guarded({ allow: [server.origin], clock, limits: { idleMs: Infinity } })(server.origin)
    const failure = failureOf(response.text())
    await clock.advance(29_999)
    await clock.advance(1)
    expect(await failure).toMatchObject({ code: 'TIMEOUT', message: expect.stringContaining('within 30 s') as string })
  })

  test('an answer must not pause for long', async () => {
    const clock = new SimulatedClock()
    const server = await loopbackServer((_, response) => response.write('first'))
    const response = await guarded({ allow: [server.origin], clock })(server.origin)
    const reader = response.body?.getReader()
    await reader?.read()
    const next = failureOf(reader?.read() ?? Promise.reject(new Error('no body')))
    await clock.advance(10_000)
    expect(await next).toMatchObject({
      code: 'TIMEOUT',
      message: expect.stringContaining('stopped in the middle of its answer') as string,
    })
  })

  test('a stream may go on for hours, but not pause for a minute', async () => {
    const clock = new SimulatedClock()
    const server = await loopbackServer((_, response) => response.write('data: 0\n\n'))
    const response = await guarded({ allow: [server.origin], clock })(server.origin, {
      guard: { limits: streamLimits },
    })
    const reader = response.body?.getReader()
    await reader?.read()
    // The reader does not ask for the next piece: that is not the server's fault.
    await clock.advance(7_200_000)
    const next = failureOf(reader?.read() ?? Promise.reject(new Error('no body')))
    await clock.advance(59_999)
    expect(clock.next()).toBeDefined()
    await clock.advance(1)
    expect(await next).toMatchObject({ code: 'TIMEOUT' })
    expect(clock.next()).toBeUndefined()
  })

  test('what has ended leaves no timer behind', async () => {
    const clock = new SimulatedClock()
    const server = await loopbackServer((request, response) => {
      if (request.method === 'HEAD' || request.url === '/204') response.writeHead(request.method === 'HEAD' ? 200 : 204)
      response.end(request.method === 'GET' && request.url === '/' ? 'text' : undefined)
    })
    const fetch = guarded({ allow: [server.origin], clock })
    await (await fetch(server.origin)).text()
    expect(clock.next()).toBeUndefined()
    expect((await fetch(server.origin, { method: 'HEAD' })).body).toBeNull()
    expect(clock.next()).toBeUndefined()
    expect((await fetch(`${server.origin}/204`)).body).toBeNull()
    expect(clock.next()).toBeUndefined()
    await (await fetch(server.origin)).body?.cancel()
    expect(clock.next()).toBeUndefined()
    await failureOf(fetch('https://127.0.0.1'))
    expect(clock.next()).toBeUndefined()
  })
})

describe('in size', () => {
  test('a body that says that it is too large is not read', async () => {
    const server = await loopbackServer((_, response) => {
      response.setHeader('content-length', 2 * 1024 * 1024)
      response.write('x')
    })
    const failure = await failureOf(guarded({ allow: [server.origin] })(server.origin))
    expect(failure).toMatchObject({ code: 'TOO_LARGE' })
    expect(failure.message).toBe(`127.0.0.1:${server.port} answers with more than the 1048576 bytes that are read.`)
  })

  test('an endless body is read no further than it may be, and its connection ends', async () => {
    let sent = 0
    const closed = Promise.withResolvers<void>()
    const server = await loopbackServer((_, response) => {
      response.on('close', () => closed.resolve())
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384))) sent += 16_384
        sent += 16_384
      }
      response.on('drain', more)
      more()
    })
    const fetch = guarded({ allow: [server.origin], limits: { bytes: 100_000 } })
    const response = await fetch(server.origin)
    expect(await failureOf(response.arrayBuffer())).toMatchObject({ code: 'TOO_LARGE' })
    await closed.promise
    // What the two systems keep in between is some megabytes at the most.
    expect(sent).toBeLessThan(32 * 1024 * 1024)
  })

  test('exactly as much as is allowed is allowed', async () => {
    const server = await loopbackServer((_, response) => response.end('12345'))
    const fetch = guarded({ allow: [server.origin] })
    expect(await (await fetch(server.origin, { guard: { limits: { bytes: 5 } } })).text()).toBe('12345')
    await expect(fetch(server.origin, { guard: { limits: { bytes: 4 } } })).rejects.toMatchObject({ code: 'TOO_LARGE' })
  })

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('what counts is the size after decompression: %s', async (encoding, compress) => {
    const bomb = compress(Buffer.alloc(50 * 1024 * 1024))
    expect(bomb.length).toBeLessThan(100_000)
    const server = await loopbackServer((_, response) => response.setHeader('content-encoding', encoding).end(bomb))
    const response = await guarded({ allow: [server.origin] })(server.origin)
    const before = process.memoryUsage().arrayBuffers
    expect(await failureOf(response.arrayBuffer())).toMatchObject({ code: 'TOO_LARGE' })
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20 * 1024 * 1024)
  })

  test('a compressed answer is read as it was before', async () => {
    const body = gzipSync('hello')
    const server = await loopbackServer((_, response) =>
      response.setHeader('content-encoding', 'gzip').setHeader('content-length', body.length).end(body),
    )
    const response = await guarded({ allow: [server.origin] })(server.origin)
    expect([...response.headers.keys()]).not.toContain('content-encoding')
    expect([...response.headers.keys()]).not.toContain('content-length')
    expect(await response.text()).toBe('hello')
  })

  test('headers that are too large are refused', async () => {
    const server = await loopbackServer((_, response) => response.setHeader('x-large', 'x'.repeat(100_000)).end())
    await expect(guarded({ allow: [server.origin] })(server.origin)).rejects.toMatchObject({ code: 'TOO_LARGE' })
  })
})

describe('an answer that is none', () => {
  test('a connection that is cut in the middle of a body', async () => {
    const server = await loopbackServer((_, response) => response.setHeader('content-length', 100).write('half'))
    const response = await guarded({ allow: [server.origin] })(server.origin)
    const text = failureOf(response.text())
    server.dropConnections()
    expect(await text).toMatchObject({ code: 'UNREACHABLE', message: expect.stringContaining('failed') as string })
  })

  test('a connection that is cut before the answer', async () => {
    const server = await loopbackServer((request) => request.socket.destroy())
    await expect(guarded({ allow: [server.origin] })(server.origin)).rejects.toMatchObject({ code: 'UNREACHABLE' })
  })

  test.each([
    ['no HTTP', 'SSH-2.0-OpenSSH_9.9\r\n\r\n'],
    ['a status that is none', 'HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n'],
    ['a broken compression', 'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 4\r\n\r\nnope'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 4\r\ncontent-length: 5\r\n\r\nnope'],
  ])('%s', async (_, answer) => {
    const origin = await rawServer(answer)
    const fetch = guarded({ allow: [origin] })
    const failure = await failureOf(fetch(origin).then(async (response) => response.text()))
    expect(failure.code).toBe('UNREACHABLE')
  })
})

test.each(['', 'O\u0001K', '\u001B[31mred', '\u{1F4A5}'])(
  'what a server sends besides its status does no harm: %j',
  async (said) => {
    const origin = await rawServer(`HTTP/1.1 200 ${said}\r\ncontent-length: 2\r\n\r\nok`)
    const response = await guarded({ allow: [origin] })(origin)
    expect([response.status, response.statusText, await response.text()]).toEqual([200, '', 'ok'])
  },
)

describe('the caller’s signal', () => {
  const reason = new Error('no longer wanted')

  test('ends a request before it begins', async () => {
    const server = await loopbackServer((_, response) => response.end())
    const request = guarded({ allow: [server.origin] })(server.origin, { signal: AbortSignal.abort(reason) })
    await expect(request).rejects.toBe(reason)
    expect(server.requests).toEqual([])
  })

  test('ends a request that waits for an answer', async () => {
    const server = await loopbackServer(() => {})
    const stop = new AbortController()
    const request = guarded({ allow: [server.origin] })(server.origin, { signal: stop.signal })
    await server.nextRequest()
    stop.abort(reason)
    await expect(request).rejects.toBe(reason)
  })

  test('ends a body that is being read, and its connection', async () => {
    const closed = Promise.withResolvers<void>()
    const server = await loopbackServer((_, response) => {
      response.on('close', () => closed.resolve())
      response.write('first')
    })
    const stop = new AbortController()
    const response = await guarded({ allow: [server.origin] })(server.origin, { signal: stop.signal })
    const text = response.text()
    stop.abort(reason)
    await expect(text).rejects.toBe(reason)
    await closed.promise
  })
})

test('a limit must be above 0', () => {
  expect(() => guarded({ limits: { totalMs: 0 } })).toThrow('The limit totalMs must be above 0')
  expect(() => guarded({ limits: { bytes: Number.NaN } })).toThrow('The limit bytes must be above 0')
})
