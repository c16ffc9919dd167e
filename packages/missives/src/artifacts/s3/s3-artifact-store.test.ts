import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLogger, systemRuntime } from '@cool-ai/beach-core'
import S3rver from 's3rver'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { S3ArtifactStore, type S3ArtifactStoreOptions } from './s3-artifact-store.ts'

const about = { name: 'plan.txt', mimeType: 'text/plain', tenant: 'acme', session: 'sess_1' }
const runtime = systemRuntime({ logger: silentLogger })
let server: S3rver
let objects: string
let bucket: string
let prefix: string
let places = 0

beforeAll(async () => {
  objects = await mkdtemp(join(tmpdir(), 'beach-s3-'))
  server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    directory: objects,
    silent: true,
    configureBuckets: [{ name: 'artifacts' }],
  })
  bucket = `http://127.0.0.1:${(await server.run()).port}/artifacts`
})
afterAll(async () => {
  await server.close()
  await rm(objects, { recursive: true })
})
beforeEach(() => {
  prefix = `place-${++places}/`
})

function open(more: Partial<S3ArtifactStoreOptions> = {}): S3ArtifactStore {
  const credentials = { region: 'us-east-1', accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }
  return new S3ArtifactStore({ bucket, prefix, runtime, ...credentials, ...more })
}

/** The objects of this test, by their keys. */
async function keys(): Promise<string[]> {
  const names = await readdir(join(objects, 'artifacts', prefix), { recursive: true }).catch(() => [])
  return names.filter((name) => name.endsWith('_object')).map((name) => name.replace(/\._S3rver_object$/, ''))
}

/** In front of the real server: what `answer` does not answer itself is passed on. */
async function between(answer: (request: IncomingMessage, response: ServerResponse) => boolean): Promise<string> {
  const front = createServer((request, response) => {
    if (answer(request, response)) return
    const { method = 'GET', headers, url = '' } = request
    const body: Buffer[] = []
    request.on('data', (chunk: Buffer) => body.push(chunk))
    request.on('end', () => {
      const sent = Object.entries(headers).flatMap(([name, value]) =>
        name === 'host' || name === 'connection' || name === 'content-length' ? [] : [[name, String(value)]],
      ) as [string, string][]
      const hasBody = method === 'PUT' || method === 'POST'
      void fetch(new URL(url, bucket), { method, headers: sent, ...(hasBody && { body: Buffer.concat(body) }) }).then(
        async (got) => {
          response.writeHead(got.status, Object.fromEntries(got.headers))
          response.end(Buffer.from(await got.arrayBuffer()))
        },
      )
    })
  })
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    front.closeAllConnections()
    front.close()
  })
  return `http://127.0.0.1:${(front.address() as AddressInfo).port}/artifacts`
}

const text = async (stream: ReadableStream<Uint8Array> | undefined) => {
  return Buffer.concat(await Array.fromAsync(stream ?? [])).toString()
}

describe('artifacts in a bucket', () => {
  test('of any size come back whole, and in ranges', async () => {
    const store = open()
    const bytes = Buffer.alloc(21_000_000, '0123456789')
    async function* chunks() {
      for (let start = 0; start < bytes.byteLength; start += 1_000_003) yield bytes.subarray(start, start + 1_000_003)
    }
    const { artifactId, sizeBytes } = await store.put(chunks(), about)
    expect(sizeBytes).toBe(bytes.byteLength)
    const found = await store.get(artifactId, 'acme')
    expect(Buffer.concat(await Array.fromAsync(found?.open() ?? [])).equals(bytes)).toBe(true)
    expect(await text(found?.open({ start: 8_388_600, end: 8_388_620 }))).toBe('01234567890123456789')
    expect(await text(found?.open({ start: 20_999_995, end: 21_000_000 }))).toBe('56789')
  })

  test('are seen by every store on the same bucket', async () => {
    const { artifactId } = await open().put(Buffer.from('shared'), about)
    expect(await text((await open().get(artifactId, 'acme'))?.open())).toBe('shared')
    expect(await open().get(artifactId, 'other')).toBeUndefined()
  })

  test('leave nothing behind when they are deleted, or were never whole', async () => {
    const store = open()
    const { artifactId } = await store.put(Buffer.from('x'), about)
    expect(await keys()).toHaveLength(3)
    await store.delete(artifactId, 'acme')
    expect(await keys()).toEqual([])
    async function* failing() {
      yield Buffer.alloc(9_000_000, 'x')
      yield Buffer.alloc(9_000_000, 'y')
      throw new TypeError('the source broke')
    }
    await expect(store.put(failing(), about)).rejects.toThrow(new TypeError('the source broke'))
    expect(await keys()).toEqual([])
  })

  test('of which only the bytes are there do not exist, and go with the leftovers once they are old', async () => {
    const frail = await between((request, response) => {
      if (request.method !== 'PUT' || !request.url?.includes('/about/')) return false
      response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>')
      return true
    })
    const refused = await between((request, response) => {
      const isAbout = request.method === 'PUT' && request.url?.includes('/about/')
      if (!isAbout && request.method !== 'DELETE') return false
      response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>')
      return true
    })
    await expect(open({ bucket: frail }).put(Buffer.from('x'), about)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('403 AccessDenied') as string,
    })
    expect((await keys()).filter((key) => key.startsWith('content'))).toEqual([])
    await expect(open({ bucket: refused }).put(Buffer.from('x'), about)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    })
    const store = open()
    const whole = await store.put(Buffer.from('whole'), about)
    expect((await keys()).filter((key) => key.startsWith('content'))).toHaveLength(2)
    expect(await store.discardLeftovers(0)).toBe(0)
    expect(await store.discardLeftovers(Date.now() + 60_000)).toBe(1)
    expect((await keys()).filter((key) => key.startsWith('content'))).toHaveLength(1)
    expect(await text((await store.get(whole.artifactId, 'acme'))?.open())).toBe('whole')
  })

  test('are tried again when the bucket fails for a moment, and not when it refuses', async () => {
    const seen: string[] = []
    const flaky = await between((request, response) => {
      seen.push(`${request.method} ${request.url}`)
      if (seen.length % 2 === 0) return false
      response.writeHead(503).end('<Error><Code>SlowDown</Code></Error>')
      return true
    })
    const { artifactId } = await open({ bucket: flaky }).put(Buffer.from('in the end'), about)
    expect(await text((await open().get(artifactId, 'acme'))?.open())).toBe('in the end')
    let refusals = 0
    const closed = await between((_, response) => {
      refusals++
      response.writeHead(403).end('<Error><Code>SignatureDoesNotMatch</Code></Error>')
      return true
    })
    await expect(open({ bucket: closed }).get(artifactId, 'acme')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(refusals).toBe(1)
    const gone = new URL(closed)
    gone.port = '1'
    await expect(open({ bucket: gone.href }).get(artifactId, 'acme')).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    })
  })

  test('are asked for with a signature over what is sent, and for no more than is read', async () => {
    const seen: IncomingMessage[] = []
    const watched = await between((request) => {
      seen.push(request)
      return false
    })
    const store = open({ bucket: watched })
    const { artifactId, sha256 } = await store.put(Buffer.from('0123456789'), about)
    const first = seen[0]
    expect(first?.headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=S3RVER\/\d{8}\/us-east-1\/s3\/aws4_request, SignedHeaders=/,
    )
    expect(first?.headers['x-amz-content-sha256']).toBe(sha256)
    const found = await store.get(artifactId, 'acme')
    const before = seen.length
    const stream = found?.open({ start: 2, end: 4 })
    expect(seen.length).toBe(before)
    expect(await text(stream)).toBe('23')
    expect(seen.at(-1)?.headers.range).toBe('bytes=2-3')
    await text(found?.open({ start: 3, end: 3 }))
    expect(seen.length).toBe(before + 1)
  })

  test('need a bucket and a place in it', () => {
    for (const wrong of ['', 'artifacts', 'ftp://x/y', 'https://user@x/y', 'https://x/y?z']) {
      expect(() => open({ bucket: wrong })).toThrow(expect.objectContaining({ code: 'INVALID_CONFIGURATION' }))
    }
    for (const wrong of ['x', '/x/', '../', 'a b/']) {
      expect(() => open({ prefix: wrong })).toThrow(expect.objectContaining({ code: 'INVALID_CONFIGURATION' }))
    }
  })
})
