import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { simulatedRuntime, systemClock, type ArtifactStore } from '@cool-ai/beach-core'
import S3rver from 's3rver'
import { afterAll, afterEach, beforeAll, beforeEach, describe } from 'vitest'
import type { ArtifactLimits } from './admission.ts'
import { testArtifactStore } from './artifact-store-suite.test-helper.ts'
import { FileArtifactStore } from './file-artifact-store.ts'
import { SealedArtifactStore, type ArtifactKeys } from '../sealed/sealed-artifact-store.ts'
import { sealedSize } from '../sealed/sealed-artifact.ts'
import { MemoryArtifactStore } from './memory-artifact-store.ts'
import { S3ArtifactStore } from './s3/s3-artifact-store.ts'

const runtime = simulatedRuntime()
let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'beach-artifacts-'))
})
afterEach(() => rm(folder, { recursive: true }))

let bucket: string
let server: S3rver
let objects: string
beforeAll(async () => {
  objects = await mkdtemp(join(tmpdir(), 'beach-s3-'))
  const place = { port: 0, address: '127.0.0.1', directory: objects, silent: true }
  server = new S3rver({ ...place, configureBuckets: [{ name: 'artifacts' }] })
  bucket = `http://127.0.0.1:${(await server.run()).port}/artifacts`
})
afterAll(async () => {
  await server.close()
  await rm(objects, { recursive: true })
})
let places = 0
const s3 = (limits?: ArtifactLimits) =>
  new S3ArtifactStore({
    bucket,
    region: 'us-east-1',
    accessKeyId: 'S3RVER',
    secretAccessKey: 'S3RVER',
    prefix: `place-${++places}/`,
    // The server is real, and so is the time that it takes.
    runtime: { ...runtime, clock: { ...systemClock, now: () => runtime.clock.now() } },
    ...limits,
  })

const engines: [string, (limits?: ArtifactLimits) => Promise<ArtifactStore>][] = [
  ['memory', async (limits) => new MemoryArtifactStore({ runtime, ...limits })],
  ['file', (limits) => FileArtifactStore.open({ folder, runtime, ...limits })],
  ['S3', async (limits) => s3(limits)],
]

/** Wraps nothing: what the keys are wrapped by is no matter of the store. */
const plainKeys: ArtifactKeys = {
  wrap: async (key) => Buffer.from(key).toString('base64'),
  unwrap: async (wrapped) => Buffer.from(wrapped, 'base64'),
}

for (const [name, open] of engines.slice(0)) {
  engines.push([
    `encrypted ${name}`,
    async ({ maxBytes, ...limits } = {}) => {
      const isSize = maxBytes !== undefined && Number.isSafeInteger(maxBytes) && maxBytes >= 0
      const inner = { ...limits, maxBytes: isSize ? sealedSize(maxBytes) : maxBytes }
      return new SealedArtifactStore(await open(inner), plainKeys, { maxBytes })
    },
  ])
}

describe.each(engines)('the %s store', (engine, open) => {
  testArtifactStore(open, runtime, { cannotTellFirst: engine.endsWith('S3') })
})
