import { silentLogger, simulatedRuntime, type Artifact, type ArtifactStore } from '@cool-ai/beach-core'
import type { ArtifactLink } from '@cool-ai/beach-core/ports'
import { describe, expect, test } from 'vitest'
import { artifactsRoute } from '../late-routes.ts'

const runtime = simulatedRuntime({ logger: silentLogger })
const bytes = Buffer.from('0123456789')

function setUp(about: Partial<Artifact> = {}, leftMs = 90_500) {
  const seen = { gets: 0, opened: 0, cancelled: 0 }
  const artifact: Artifact = {
    artifactId: 'art_1',
    name: 'plan.txt',
    mimeType: 'text/plain',
    sizeBytes: bytes.byteLength,
    sha256: 'ab12',
    createdAt: 0,
    tenant: 'acme',
    ...about,
  }
  const store: ArtifactStore = {
    put: () => Promise.reject(new Error('not in this test')),
    delete: () => Promise.reject(new Error('not in this test')),
    list: () => Promise.reject(new Error('not in this test')),
    async get(id, tenant) {
      seen.gets++
      if (id === 'art_broken') throw new Error('the disk at /secret/place is broken')
      if (id !== artifact.artifactId || tenant !== 'acme') return undefined
      return {
        artifact,
        open(range) {
          seen.opened++
          const rest = [bytes.subarray(range?.start, range?.end)]
          return new ReadableStream({
            pull(controller) {
              const next = rest.pop()
              if (next === undefined) controller.close()
              else controller.enqueue(next)
            },
            cancel: () => void seen.cancelled++,
          })
        },
      }
    },
  }
  const links: Readonly<Record<string, ArtifactLink>> = {
    '/artifacts/art_1': {
      status: 'valid',
      artifactId: 'art_1',
      tenant: 'acme',
      expiresAt: runtime.clock.now() + leftMs,
    },
    '/artifacts/art_gone': { status: 'valid', artifactId: 'art_gone', tenant: 'acme', expiresAt: Infinity },
    '/artifacts/art_broken': { status: 'valid', artifactId: 'art_broken', tenant: 'acme', expiresAt: Infinity },
    '/artifacts/art_old': { status: 'expired' },
  }
  const verify = async ({ pathname }: URL) => links[pathname] ?? ({ status: 'invalid' } as const)
  const route = artifactsRoute({ runtime, artifacts: store, verify })
  const call = (path = '/artifacts/art_1', init: RequestInit = {}) =>
    route.fetch(new Request(`http://localhost${path}`, init))
  return { call, seen }
}

const guards = {
  'content-security-policy': "sandbox; default-src 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
}

describe('a valid link', () => {
  test('gives the bytes with every header that keeps them harmless', async () => {
    const response = await setUp().call()
    expect(response.status).toBe(200)
    expect(await response.text()).toBe('0123456789')
    expect(Object.fromEntries(response.headers)).toEqual({
      ...guards,
      'accept-ranges': 'bytes',
      'cache-control': 'private, max-age=90',
      'content-disposition': `attachment; filename="plan.txt"; filename*=UTF-8''plan.txt`,
      'content-length': '10',
      'content-type': 'text/plain',
      etag: '"ab12"',
    })
  })

  test('gives with HEAD the same headers, and opens nothing', async () => {
    const { call, seen } = setUp()
    const got = await call()
    const head = await call('/artifacts/art_1', { method: 'HEAD', headers: { range: 'bytes=0-1' } })
    expect(head.status).toBe(200)
    expect(head.body).toBeNull()
    expect(Object.fromEntries(head.headers)).toEqual(Object.fromEntries(got.headers))
    expect(seen.opened).toBe(1)
  })

  test.each([
    ['application/pdf', 'application/pdf'],
    ['Text/Plain; charset=utf-8', 'text/plain'],
    ['text/calendar; method=REQUEST', 'text/calendar'],
    ['text/csv', 'text/csv'],
    ['image/webp', 'image/webp'],
    ['audio/ogg', 'audio/ogg'],
    ['video/mp4', 'video/mp4'],
    ['text/html', 'application/octet-stream'],
    ['image/svg+xml', 'application/octet-stream'],
    ['application/xhtml+xml', 'application/octet-stream'],
    ['text/xml', 'application/octet-stream'],
    ['text/javascript', 'application/octet-stream'],
    ['text/plainx', 'application/octet-stream'],
    ['audio/x\r\nx-evil: 1', 'application/octet-stream'],
    ['audio/', 'application/octet-stream'],
    ['', 'application/octet-stream'],
  ])('says of %j that it is %s', async (mimeType, served) => {
    expect((await setUp({ mimeType }).call()).headers.get('content-type')).toBe(served)
  })

  test.each([
    ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
    ['bytes=7-', 206, '789', 'bytes 7-9/10'],
    ['bytes=-2', 206, '89', 'bytes 8-9/10'],
    ['bytes=0-1,4-5', 200, '0123456789', null],
    ['bytes=x', 200, '0123456789', null],
  ])('answers Range: %s with %i', async (range, status, text, contentRange) => {
    const response = await setUp().call('/artifacts/art_1', { headers: { range } })
    expect(response.status).toBe(status)
    expect(await response.text()).toBe(text)
    expect(response.headers.get('content-range')).toBe(contentRange)
    expect(response.headers.get('content-length')).toBe(String(text.length))
    expect(response.headers.get('content-disposition')).toMatch(/^attachment/)
  })

  test('answers a range that does not exist with 416 and the size', async () => {
    const { call, seen } = setUp()
    const response = await call('/artifacts/art_1', { headers: { range: 'bytes=10-' } })
    expect(response.status).toBe(416)
    expect(await response.json()).toMatchObject({ error: { code: 'RANGE_NOT_SATISFIABLE' } })
    expect(Object.fromEntries(response.headers)).toMatchObject({ ...guards, 'content-range': 'bytes */10' })
    expect(seen.opened).toBe(0)
  })

  test('gives a range only of the version that the caller has', async () => {
    const ask = (ifRange: string) =>
      setUp().call('/artifacts/art_1', { headers: { range: 'bytes=0-1', 'if-range': ifRange } })
    expect((await ask('"ab12"')).status).toBe(206)
    for (const other of ['"other"', 'W/"ab12"', 'Sun, 15 Nov 2026 00:00:00 GMT']) {
      expect((await ask(other)).status).toBe(200)
    }
  })

  test('answers 304 when the caller has these bytes', async () => {
    for (const tag of ['"ab12"', 'W/"ab12"', '"x", "ab12"', '*']) {
      const { call, seen } = setUp()
      const response = await call('/artifacts/art_1', { headers: { 'if-none-match': tag, range: 'bytes=99-' } })
      expect(response.status).toBe(304)
      expect(response.body).toBeNull()
      expect(Object.fromEntries(response.headers)).toEqual({
        ...guards,
        'cache-control': 'private, max-age=90',
        etag: '"ab12"',
      })
      expect(seen.opened).toBe(0)
    }
    for (const tag of ['"ab1"', 'ab12', '']) {
      expect((await setUp().call('/artifacts/art_1', { headers: { 'if-none-match': tag } })).status).toBe(200)
    }
  })

  test.each([
    [10 * 60 * 60 * 1_000, 3_600],
    [1_999, 1],
    [0, 0],
    [-5_000, 0],
  ])('with %i ms left is cached for %i s', async (leftMs, seconds) => {
    const response = await setUp({}, leftMs).call()
    expect(response.headers.get('cache-control')).toBe(`private, max-age=${seconds}`)
  })
})

describe('any other link', () => {
  test('is not found, whether it was forged or its artifact is gone, without saying which', async () => {
    const { call, seen } = setUp()
    const answers = ['/artifacts/art_2', '/artifacts/art_gone', '/artifacts/..%2f..%2fetc%2fpasswd', '/x'].map(
      async (path) => {
        const response = await call(path)
        const { 'x-error-id': errorId = '', ...headers } = Object.fromEntries(response.headers)
        return { status: response.status, headers, body: (await response.text()).replace(errorId, 'err_') }
      },
    )
    const [first, ...others] = await Promise.all(answers)
    expect(first).toMatchObject({ status: 404, headers: { ...guards, 'cache-control': 'no-store' } })
    for (const other of others) expect(other).toEqual(first)
    expect(seen.gets).toBe(1)
  })

  test('that has expired is gone', async () => {
    const response = await setUp().call('/artifacts/art_old')
    expect(response.status).toBe(410)
    expect(await response.json()).toMatchObject({ error: { code: 'EXPIRED' } })
  })
})

test('the bytes are let go of when the client has gone, though the answer is neither read nor cancelled', async () => {
  const { call, seen } = setUp()
  const client = new AbortController()
  const response = await call('/artifacts/art_1', { signal: client.signal })
  expect(response.status).toBe(200)
  client.abort()
  expect(seen.cancelled).toBe(1)
})

test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('%s is not allowed', async (method) => {
  const response = await setUp().call('/artifacts/art_1', { method })
  expect(response.status).toBe(405)
  expect(response.headers.get('allow')).toBe('GET, HEAD')
})

test('a store that fails is an error of ours, without a word of its insides', async () => {
  const response = await setUp().call('/artifacts/art_broken')
  expect(response.status).toBe(500)
  expect(await response.text()).not.toContain('secret')
})
