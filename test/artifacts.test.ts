import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBeach, defineActor, openData, serve, type Beach, type BeachOptions, type Serving } from '@cool-ai/beach'
import { silentLogger, simulatedRuntime, systemRuntime, type Artifact } from '@cool-ai/beach-core'
import type { ArtifactAbout } from '@cool-ai/beach-core/ports'
import { FileArtifactStore } from '@cool-ai/beach-missives'
import { artifactSchema } from '@cool-ai/beach-protocol'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { mergeOptions } from './support/merge-options.ts'

const runtime = systemRuntime({ logger: silentLogger })
const about: ArtifactAbout = { name: 'plan.pdf', mimeType: 'application/pdf', tenant: 'default' }
const actors = {
  quiet: defineActor(async ({ respond }) =>
    respond({ parts: [{ partType: 'response', text: 'ok' }], turnState: 'complete' }),
  ),
}
let folder: string
let store: FileArtifactStore
let beach: Beach
let serving: Serving

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'beach-artifacts-'))
  store = await FileArtifactStore.open({ folder, runtime })
})

afterEach(async () => {
  await serving.close()
  await rm(folder, { recursive: true })
})

async function start(options: Partial<BeachOptions> = {}): Promise<void> {
  beach = await createBeach(
    mergeOptions(
      {
        agent: { id: 'tester', name: 'Tester' },
        actors,
        data: { store: new MemoryStore({ runtime }), secret: new Uint8Array(32).fill(7), artifacts: store },
        runtime,
      },
      options,
    ),
  )
  serving = await serve(beach, { port: 0 })
}

const put = (text: string, more: Partial<ArtifactAbout> = {}) => store.put(Buffer.from(text), { ...about, ...more })

/** An error's body; the id of an error is its own. */
const withoutId = (body: string) => body.replace(/err_\w+/, 'err_')

/** Fetches the artifact by its own link, or by one made of it. */
async function get(artifact: Artifact, init: RequestInit = {}, alter: (url: URL) => void = () => {}) {
  const url = new URL(await beach.artifactUrl(artifact), serving.url)
  alter(url)
  return fetch(url, init)
}

describe('a link', () => {
  test('gives the artifact to its holder, as a file to save', async () => {
    await start()
    const artifact = await put('%PDF-1.7 …', { name: 'Reise Zürich.pdf' })
    const url = await beach.artifactUrl(artifact)
    expect(url).toMatch(/^\/artifacts\/art_[a-z0-9]{26}\?token=[\w-]+\.[\w-]+\.[\w-]{43}$/)
    expect(artifactSchema.parse({ ...artifact, url })).toMatchObject({ artifactId: artifact.artifactId, url })
    const response = await get(artifact)
    expect(response.status).toBe(200)
    expect(await response.text()).toBe('%PDF-1.7 …')
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'cache-control': 'private, max-age=3600',
      'content-disposition': `attachment; filename="Reise Zurich.pdf"; filename*=UTF-8''Reise%20Z%C3%BCrich.pdf`,
      'content-length': String(artifact.sizeBytes),
      'content-security-policy': "sandbox; default-src 'none'",
      'content-type': 'application/pdf',
      'cross-origin-resource-policy': 'same-origin',
      etag: `"${artifact.sha256}"`,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex',
    })
    expect(response.headers.get('set-cookie')).toBeNull()
  })

  test('answers HEAD, ranges and tags', async () => {
    await start()
    const artifact = await put('0123456789')
    const head = await get(artifact, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '10', ''])
    for (const [range, text] of [
      ['bytes=2-4', '234'],
      ['bytes=7-', '789'],
      ['bytes=-2', '89'],
    ] as const) {
      const response = await get(artifact, { headers: { range } })
      expect([response.status, await response.text()]).toEqual([206, text])
    }
    const beyond = await get(artifact, { headers: { range: 'bytes=10-' } })
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */10'])
    const known = await get(artifact, { headers: { 'if-none-match': `"${artifact.sha256}"` } })
    expect([known.status, await known.text()]).toEqual([304, ''])
    const wrong = await get(artifact, { method: 'POST' })
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  test('carries large artifacts whole, several at a time, over connections that stay open', async () => {
    await start()
    const bytes = Buffer.alloc(6_000_000, 'beach ')
    const artifact = await store.put(bytes, about)
    const bodies = Array.from({ length: 5 }, async () => Buffer.from(await (await get(artifact)).arrayBuffer()))
    for (const body of await Promise.all(bodies)) expect(body.equals(bytes)).toBe(true)
    expect(await (await get(artifact, { headers: { range: 'bytes=5999994-' } })).text()).toBe('beach ')
  })

  test('does not lead anywhere once any of it is altered, and says no more than that', async () => {
    await start()
    const artifact = await put('secret')
    const other = await put('other')
    const stranger = await put('stranger', { tenant: 'stranger' })
    const set = (name: string, value: string) => (url: URL) => url.searchParams.set(name, value)
    const answers = [
      get(artifact, {}, (url) => (url.pathname = `/artifacts/${other.artifactId}`)),
      get(artifact, {}, (url) => (url.pathname = '/artifacts/art_aaaaaaaaaaaaaaaaaaaaaaaaaa')),
      get(artifact, {}, set('token', 'A'.repeat(43))),
      get(artifact, {}, set('token', '')),
      get(artifact, {}, (url) => set('token', `${url.searchParams.get('token')?.slice(0, -43)}${'A'.repeat(43)}`)(url)),
      get(artifact, {}, (url) => (url.search = '')),
      get({ ...stranger, tenant: 'default' }),
      get({ ...artifact, tenant: 'stranger' }),
      get({ ...artifact, artifactId: 'art_aaaaaaaaaaaaaaaaaaaaaaaaaa' }),
    ].map(async (answer) => [(await answer).status, withoutId(await (await answer).text())])
    const [first, ...others] = await Promise.all(answers)
    expect(first).toEqual([404, expect.stringContaining('"NOT_FOUND"')])
    for (const answer of others) expect(answer).toEqual(first)
    expect((await get(stranger)).status).toBe(200)
    await store.delete(artifact.artifactId, 'default')
    const deleted = await get(artifact)
    expect([deleted.status, withoutId(await deleted.text())]).toEqual(first)
  })

  test('expires', async () => {
    const simulated = simulatedRuntime()
    await start({ runtime: simulated })
    const artifact = await put('for a minute')
    const url = new URL(await beach.artifactUrl(artifact, { expiresInMs: 60_000 }), serving.url)
    const fresh = await fetch(url)
    expect([fresh.status, fresh.headers.get('cache-control')]).toEqual([200, 'private, max-age=60'])
    await simulated.clock.advance(60_000)
    const late = await fetch(url)
    expect(late.status).toBe(410)
    expect(await late.json()).toMatchObject({ error: { code: 'EXPIRED' } })
    url.searchParams.append('token', 'other')
    expect((await fetch(url)).status).toBe(404)
    expect((await get(artifact)).status).toBe(200)
  })

  test('begins with the configured address, never with one that a request names', async () => {
    await start({ publicUrl: 'https://agent.example/' })
    const artifact = await put('x')
    const headers = {
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'gopher',
      forwarded: 'host=evil.example',
    }
    await fetch(`${serving.url}/healthz`, { headers })
    const link = await beach.artifactUrl(artifact)
    expect(link).toMatch(/^https:\/\/agent\.example\/artifacts\/art_/)
    const response = await fetch(serving.url + link.slice('https://agent.example'.length), { headers })
    expect(response.status).toBe(200)
    expect([...response.headers.values()].join()).not.toContain('evil')
  })

  test('is not accepted by an agent with another secret, nor made by one without artifacts', async () => {
    await start()
    const artifact = await put('x')
    const path = await beach.artifactUrl(artifact)
    await serving.close()
    await start({ data: { secret: new Uint8Array(32).fill(8) } })
    expect((await fetch(serving.url + path)).status).toBe(404)
    await serving.close()
    beach = await createBeach({
      agent: { id: 'bare', name: 'Bare' },
      actors,
      data: { store: new MemoryStore({ runtime }), secret: new Uint8Array(32).fill(7) },
      runtime,
    })
    serving = await serve(beach, { port: 0 })
    expect((await fetch(serving.url + path)).status).toBe(404)
    await expect(beach.artifactUrl(artifact)).rejects.toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIGURATION' }),
    )
  })
})

describe('abuse', () => {
  test.each([
    ['../../etc/passwd', 'etc-passwd'],
    ['a"; filename="b.exe\r\nset-cookie: x=1', 'a-; filename=-b.exe set-cookie- x=1'],
    ['旅程 \u202Efdp.exe', '旅程 fdp.exe'],
    ['x'.repeat(300), 'x'.repeat(200)],
    ['con', '_con'],
    ['\0\r\n', 'file'],
  ])('the name %j comes out as one harmless header', async (name, expected) => {
    await start()
    const artifact = await put('x', { name })
    const response = await get(artifact)
    expect(response.status).toBe(200)
    expect(response.headers.get('set-cookie')).toBeNull()
    const [, plain = '', full = ''] =
      /^attachment; filename="([ -~]*)"; filename\*=UTF-8''(\S+)$/.exec(
        response.headers.get('content-disposition') ?? '',
      ) ?? []
    expect(plain).not.toMatch(/["\\/]/)
    expect(decodeURIComponent(full)).toBe(expected)
  })

  test('a page that is declared as text, or as a page, is a file to save and nothing else', async () => {
    await start()
    const page = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    for (const [mimeType, served] of [
      ['text/plain', 'text/plain'],
      ['text/html', 'application/octet-stream'],
    ] as const) {
      const { headers } = await get(await put(page, { mimeType, name: 'page.html' }))
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-type': served,
        'content-disposition': expect.stringMatching(/^attachment;/),
        'x-content-type-options': 'nosniff',
        'content-security-policy': "sandbox; default-src 'none'",
      })
    }
  })

  test.each([
    '/artifacts/../../../../etc/passwd',
    '/artifacts/..%2f..%2f..%2fetc%2fpasswd',
    '/artifacts/%2e%2e/%2e%2e/etc/passwd',
    '/artifacts/..%5c..%5cwindows',
    '/artifacts/%00',
    '/artifacts/art_%2e%2e%2fabout.json',
    `/artifacts/${'a'.repeat(5_000)}`,
    '/artifacts/',
    '/artifacts',
    '/artifacts/art_aaaaaaaaaaaaaaaaaaaaaaaaaa/content',
    '/artifacts/%ff',
  ])('%s is not found', async (path) => {
    await start()
    // As it is: fetch would tidy the path up first.
    const { hostname, port } = new URL(serving.url)
    const socket = createConnection(Number(port), hostname)
    socket.end(
      `GET ${path}?expires=9&tenant=default&signature=x HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n\r\n`,
    )
    expect(String(Buffer.concat(await Array.fromAsync(socket)))).toMatch(/^HTTP\/1\.1 404 .*"NOT_FOUND"/s)
  })

  test.skipIf(!existsSync('/proc/self/fd'))('a client that goes away takes its open file with it', async () => {
    await start()
    const artifact = await store.put(Buffer.alloc(24_000_000), about)
    const openFiles = () => readdirSync('/proc/self/fd').filter((name) => leadsInto(folder, name)).length
    for (let round = 0; round < 3; round++) {
      const stop = new AbortController()
      const begun = [1, 2, 3].map(async () => (await get(artifact, { signal: stop.signal })).body?.getReader().read())
      await Promise.all(begun)
      expect(openFiles()).toBe(3)
      stop.abort()
      // The server notices a closed connection a moment later.
      while (openFiles() > 0) await new Promise(setImmediate)
    }
  })
})

function leadsInto(place: string, descriptor: string): boolean {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(place)
  } catch {
    return false
  }
}

describe('openData', () => {
  test.each(['sqlite', 'memory'])('%s brings a store for artifacts with it', async (kind) => {
    const data = await openData({ folder: join(folder, 'data'), store: kind, runtime })
    await start({ data })
    const artifact = await data.artifacts.put(Buffer.from('kept'), about)
    expect(await (await get(artifact)).text()).toBe('kept')
    if (kind === 'memory') return expect(await readdir(folder)).not.toContain('data')
    expect(await readdir(join(folder, 'data', 'artifacts', 'kept'))).toEqual([artifact.artifactId])
    const path = await beach.artifactUrl(artifact)
    await serving.close()
    await start({ data: await openData({ folder: join(folder, 'data'), store: kind, runtime }) })
    expect(await (await fetch(serving.url + path)).text()).toBe('kept')
  })
})
