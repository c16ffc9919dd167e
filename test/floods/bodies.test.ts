import type { Clock } from '@cool-ai/beach-core'
import { describe, expect, test, vi } from 'vitest'
import { begin, endpointHeaders, runtime, startAgent } from './flooded-agent.ts'

const kilobyte = 1024
const paths = Object.keys(endpointHeaders)
/** A busy machine takes longer than the second that `waitFor` has by itself. */
const eventually = (check: () => void) => vi.waitFor(check, { timeout: 20_000 })

async function half(url: string, path: string, bytes: number) {
  const sent = await begin(url, `POST ${path}`, { ...endpointHeaders[path], 'content-length': String(60 * kilobyte) })
  await sent.write('x'.repeat(bytes))
  return sent
}

describe('bodies that are never finished', () => {
  test.each(paths)('hold no more at %s than may be held, and others are served meanwhile', async (path) => {
    const heldBodyBytes = 1024 * kilobyte
    const { url, beach } = await startAgent({ access: { limits: { heldBodyBytes } } })
    const all = await Promise.all(Array.from({ length: 40 }, () => half(url, path, 40 * kilobyte)))
    let open = all.length
    const refusals: string[] = []
    for (const { answer } of all) {
      void answer.then((text) => {
        open -= 1
        refusals.push(text)
      })
    }
    // Those of one network may have a quarter of all.
    const max = heldBodyBytes / 4
    await eventually(() => expect(open).toBeLessThanOrEqual(max / (40 * kilobyte)))
    expect(beach.load.bodyBytes).toBeLessThanOrEqual(max)
    expect(beach.load.bodies).toBeGreaterThan(0)
    const refused = refusals.filter((text) => /^HTTP\/1.1 429 [^]*retry-after: \d/i.test(text))
    expect(refused).toHaveLength(refusals.length)
    const served = await fetch(`${url}/sessions`, { method: 'POST' })
    expect(served.status).toBe(201)
    for (const { socket } of all) socket.destroy()
    await eventually(() => expect(beach.load).toEqual({ bodies: 0, bodyBytes: 0 }))
  })

  test('cost about what they hold, though they come byte by byte', async () => {
    const { url, beach } = await startAgent()
    const sent = await begin(url, 'POST /sessions', { ...endpointHeaders['/sessions'], 'transfer-encoding': 'chunked' })
    await sent.write('1\r\nx\r\n'.repeat(20_000))
    await eventually(() => expect(beach.load.bodyBytes).toBeGreaterThan(20_000))
    expect(beach.load.bodyBytes).toBeLessThan(60_000)
  })

  test('are counted for their networks: one that has all it may have leaves others theirs', async () => {
    const { url, beach } = await startAgent({
      access: {
        limits: { heldBodyBytes: 600 * kilobyte },
        remoteAddress: ({ headers }) => headers.get('x-from') ?? undefined,
      },
    })
    const from = async (address: string, bytes: number) => {
      const headers = { ...endpointHeaders['/agui'], 'content-length': '100000', 'x-from': address }
      const sent = await begin(url, 'POST /agui', headers)
      await sent.write('x'.repeat(bytes))
      return sent
    }
    const quiet = await from('192.0.2.1', 1)
    await eventually(() => expect(beach.load.bodies).toBe(1))
    const greedy = []
    for (let n = 0; n < 5; n++) greedy.push(await from(`2001:db8::${n}`, 60 * kilobyte))
    const answers = await Promise.all(greedy.slice(0, 3).map(({ answer }) => answer))
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1.1 429/)
    expect(beach.load.bodies).toBe(3)
    quiet.socket.end('x'.repeat(99_999))
    expect(await quiet.answer).toMatch(/^HTTP\/1.1 400[^]*BAD_JSON/)
  })

  test('of many networks hold no more together than all may hold', async () => {
    const heldBodyBytes = 256 * kilobyte
    const { url, beach } = await startAgent({
      access: { limits: { heldBodyBytes }, remoteAddress: ({ headers }) => headers.get('x-from') ?? undefined },
    })
    const sent = []
    for (let n = 0; n < 12; n++) {
      const from = { 'content-length': '60000', 'x-from': `192.0.2.${n}` }
      sent.push(await begin(url, 'POST /agui', { ...endpointHeaders['/agui'], ...from }))
      await sent[n]?.write('x'.repeat(30 * kilobyte))
      await eventually(() => expect(beach.load.bodies).toBe(Math.min(n + 1, 7)))
    }
    expect(await sent[0]?.answer).toMatch(/^HTTP\/1.1 429/)
    expect(beach.load.bodyBytes).toBeLessThanOrEqual(heldBodyBytes)
  })

  test.each(paths)('are given up at %s after 15 seconds, and their connection with them', async (path) => {
    const waiting: (() => void)[] = []
    const timer: Clock['timer'] = (ms, run) => {
      if (ms !== 15_000) return runtime.clock.timer(ms, run)
      waiting.push(run)
      return () => {}
    }
    // Others that wait as long are not meant.
    const own = { ...runtime, clock: { ...runtime.clock, timer } }
    const { url, beach } = await startAgent({ runtime: own, protocols: { heartbeatMs: 14_000 } })
    const { answer } = await half(url, path, 10)
    await eventually(() => expect(waiting).toHaveLength(1))
    for (const run of waiting) run()
    const text = (await answer).toLowerCase()
    expect(text).toContain('did not come within 15 seconds')
    expect(text).toContain('connection: close')
    expect(beach.load).toEqual({ bodies: 0, bodyBytes: 0 })
  })
})

describe('a request that comes slowly ends with its connection', () => {
  const slow = { requestMs: 100 }

  test.each([...paths, '/healthz', '/nowhere'])('in its body, at %s', async (path) => {
    const { url } = await startAgent({}, slow)
    for (const method of ['POST', 'GET']) {
      const headers = { ...endpointHeaders[path], 'content-length': '1000' }
      const { answer, write } = await begin(url, `${method} ${path}`, headers)
      await write('{')
      await answer
    }
  })

  test('in its headers, or before them', async () => {
    const { url } = await startAgent({}, slow)
    const silent = await begin(url, '', {})
    const { answer, socket } = await begin(url, 'GET /healthz', { 'x-long': 'a' })
    socket.write('GET / HTTP/1.1\r\nhost: a\r\nx-slow: ')
    await Promise.all([answer, silent.answer])
  })

  test('though it was refused before its body was read', async () => {
    // Long enough that it cannot be this that ends it.
    const { url } = await startAgent({}, { requestMs: 600_000 })
    for (const [method, path] of [
      ['GET', '/healthz'],
      ['PUT', '/sessions'],
      ['POST', '/channels/whatsapp'],
    ]) {
      const { answer, write } = await begin(url, `${method} ${path}`, { 'content-length': '1000' })
      await write('{')
      expect(await answer).toMatch(/^HTTP\/1.1 (200|405|401)/)
    }
  })
})
