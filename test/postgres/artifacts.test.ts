import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { simulatedRuntime, systemClock, type Runtime } from '@cool-ai/beach-core'
import { PostgresDatabase } from '@cool-ai/beach-core/postgres'
import type { ArtifactLimits } from '@cool-ai/beach-missives'
import { PostgresArtifactStore, type PostgresArtifactStoreOptions } from '@cool-ai/beach-missives/postgres'
import { S3ArtifactStore } from '@cool-ai/beach-missives/s3'
import S3rver from 's3rver'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  about,
  bytesOf,
  testArtifactStore,
} from '../../packages/missives/src/artifacts/artifact-store-suite.test-helper.ts'
import { losingProxy } from '../support/losing-proxy.ts'
import { newDatabase } from '../support/postgres.ts'

const runtime = simulatedRuntime()
let server: Awaited<ReturnType<typeof newDatabase>>
let buckets: S3rver
let objects: string
let bucket: string
beforeAll(async () => {
  server = await newDatabase()
  objects = await mkdtemp(join(tmpdir(), 'beach-s3-'))
  const place = { port: 0, address: '127.0.0.1', directory: objects, silent: true }
  buckets = new S3rver({ ...place, configureBuckets: [{ name: 'artifacts' }] })
  bucket = `http://127.0.0.1:${(await buckets.run()).port}/artifacts`
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await buckets.close()
  await rm(objects, { recursive: true })
})

let places = 0
const newSchema = () => `artifacts_${++places}`

type Options = Omit<Partial<PostgresArtifactStoreOptions>, 'database'> & { schema?: string; url?: string }

/** A store of artifacts, in tables of its own unless a schema is given. */
async function open({ schema = newSchema(), url = server.url, ...options }: Options = {}) {
  const database = await PostgresDatabase.open({ url, schema })
  const store = await PostgresArtifactStore.open({ database, runtime, ...options })
  onTestFinished(() => store.close())
  return store
}

function newBucket(limits: ArtifactLimits = {}): S3ArtifactStore {
  const keys = { region: 'us-east-1', accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }
  // The server is real, and so is the time that it takes.
  const clock = { ...systemClock, now: () => runtime.clock.now() }
  return new S3ArtifactStore({
    bucket,
    ...keys,
    prefix: `place-${++places}/`,
    runtime: { ...runtime, clock },
    ...limits,
  })
}

describe('the PostgreSQL store', () => {
  testArtifactStore(open, runtime)
})

describe('the PostgreSQL store with a bucket for all that is not empty', () => {
  const inBucket = async (limits?: ArtifactLimits) => open({ ...limits, large: newBucket(limits), maxDatabaseBytes: 0 })
  testArtifactStore(inBucket, runtime, { cannotTellFirst: true })
})

describe('small artifacts in the database and large ones in a bucket', () => {
  test('are kept by their size, and found, listed and deleted alike', async () => {
    const large = newBucket()
    const schema = newSchema()
    const store = await open({ schema, large, maxDatabaseBytes: 10 })
    const of = { ...about, session: 'sess_1' }
    const small = await store.put(Buffer.from('0123456789'), of)
    const big = await store.put(Buffer.from('0123456789a'), of)
    const ids = async () => (await server.query(`SELECT artifact FROM ${schema}.artifact`)).rows
    expect(await ids()).toEqual([{ artifact: small.artifactId }])
    expect((await large.list()).items).toEqual([big])
    // Another process sees both.
    const other = await open({ schema, large, maxDatabaseBytes: 10 })
    for (const [artifact, content] of [
      [small, '0123456789'],
      [big, '0123456789a'],
    ] as const) {
      const found = await other.get(artifact.artifactId, 'acme')
      expect(found?.artifact).toEqual(artifact)
      expect(String(await bytesOf(found?.open()))).toBe(content)
      expect(await other.get(artifact.artifactId, 'other')).toBeUndefined()
    }
    const listed = await other.list({ tenant: 'acme', session: 'sess_1' })
    const rest = await other.list({ tenant: 'acme', session: 'sess_1', after: listed.next })
    expect([...listed.items, ...rest.items]).toEqual([small, big])
    expect(rest.next).toBeUndefined()
    for (const { artifactId } of [small, big]) {
      expect(await other.delete(artifactId, 'other')).toBe(false)
      expect(await other.delete(artifactId, 'acme')).toBe(true)
      expect(await store.get(artifactId, 'acme')).toBeUndefined()
    }
    expect(await ids()).toEqual([])
    expect((await large.list()).items).toEqual([])
  })

  test('stop the source when the bucket refuses, though nothing was read for it', async () => {
    const large = newBucket({ mimeTypes: ['image/png'] })
    const store = await open({ large, maxDatabaseBytes: 10 })
    let isCancelled = false
    const source = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(Buffer.alloc(20, 'x')),
      cancel: () => void (isCancelled = true),
    })
    await expect(store.put(source, about)).rejects.toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE' })
    expect(isCancelled).toBe(true)
  })

  test('without a bucket, what is too large for the database is refused in words that say what to do', async () => {
    const schema = newSchema()
    const store = await open({ schema })
    await store.put(Buffer.alloc(1024 * 1024, 'x'), about)
    await expect(store.put(Buffer.alloc(1024 * 1024 + 1, 'x'), about)).rejects.toMatchObject({
      code: 'TOO_LARGE',
      message: expect.stringMatching(/at most 1048576 bytes.*configure a bucket: .*S3ArtifactStore/) as string,
    })
    expect((await store.list()).items).toHaveLength(1)
    const more = await open({ maxDatabaseBytes: 2 * 1024 * 1024 })
    const { artifactId, sizeBytes } = await more.put(Buffer.alloc(1024 * 1024 + 1, 'x'), about)
    expect((await bytesOf((await more.get(artifactId, 'acme'))?.open())).byteLength).toBe(sizeBytes)
    for (const maxDatabaseBytes of [-1, 0.5, Number.NaN]) {
      await expect(open({ maxDatabaseBytes })).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' })
    }
  })
})

describe('two processes', () => {
  // Both make the same id.
  const fixed: Runtime = { ...runtime, id: (prefix) => `${prefix}_aaaaaaaaaaaaaaaaaaaaaaaaaa` }

  test('put one artifact under one id: it is there once and whole, and another under that id is refused', async () => {
    const schema = newSchema()
    const stores = [await open({ schema, runtime: fixed }), await open({ schema, runtime: fixed })]
    const same = await Promise.all(stores.map((store) => store.put(Buffer.from('same'), about)))
    expect(same[0]).toEqual(same[1])
    expect((await stores[0]?.list())?.items).toEqual([same[0]])
    const [{ artifactId } = { artifactId: '' }] = same
    await stores[0]?.delete(artifactId, 'acme')
    const contents = ['one', 'other']
    const tried = await Promise.allSettled(stores.map((store, n) => store.put(Buffer.from(contents[n] ?? ''), about)))
    const kept = tried.findIndex(({ status }) => status === 'fulfilled')
    expect(tried[1 - kept]).toMatchObject({ status: 'rejected', reason: { code: 'INTERNAL' } })
    for (const store of stores) {
      expect(String(await bytesOf((await store.get(artifactId, 'acme'))?.open()))).toBe(contents[kept])
    }
  })

  test('delete one artifact: one of them did', async () => {
    const schema = newSchema()
    const stores = [await open({ schema }), await open({ schema })]
    for (let n = 0; n < 10; n++) {
      const artifact = await stores[n % 2]?.put(Buffer.from('x'), about)
      const tried = await Promise.all(stores.map((store) => store.delete(artifact?.artifactId ?? '', 'acme')))
      expect(tried.filter(Boolean)).toHaveLength(1)
    }
  })

  test('one that reads while the other deletes gets an error, never less than all', async () => {
    const schema = newSchema()
    const [store, other] = [await open({ schema }), await open({ schema })]
    const { artifactId } = await store.put(Buffer.alloc(600_000, 'x'), about)
    const reader = (await store.get(artifactId, 'acme'))?.open().getReader()
    expect((await reader?.read())?.value?.byteLength).toBe(256 * 1024)
    await other.delete(artifactId, 'acme')
    await expect(reader?.read()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  })
})

describe('a connection that is cut', () => {
  test('during a write loses nothing and writes nothing twice', async () => {
    await using proxy = await losingProxy(Number(new URL(server.url).port))
    const url = new URL(server.url)
    url.hostname = '127.0.0.1'
    url.port = String(proxy.port)
    const schema = newSchema()
    const store = await open({ schema, url: url.href })
    const putLost = proxy.loseAnswerTo(/INSERT INTO \S+\.artifact /)
    const artifact = await store.put(Buffer.from('kept'), about)
    await putLost
    expect((await (await open({ schema })).list()).items).toEqual([artifact])
    expect(String(await bytesOf((await store.get(artifact.artifactId, 'acme'))?.open()))).toBe('kept')
    // The deletion happened, and its process is told so.
    const deleteLost = proxy.loseAnswerTo(/COMMIT/)
    expect(await store.delete(artifact.artifactId, 'acme')).toBe(true)
    await deleteLost
    expect((await store.list()).items).toEqual([])
    await store.close()
  })
})
