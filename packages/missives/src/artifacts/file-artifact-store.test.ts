import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { silentLogger, systemRuntime, type ArtifactStore } from '@cool-ai/beach-core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FileArtifactStore } from './file-artifact-store.ts'

const about = { name: 'plan.txt', mimeType: 'text/plain', tenant: 'acme' }
const runtime = systemRuntime({ logger: silentLogger })
let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'beach-artifacts-'))
})
afterEach(() => rm(folder, { recursive: true }))

const open = (maxBytes?: number) => FileArtifactStore.open({ folder, runtime, maxBytes })

/** The files and folders of the store, as `kept`, `drafts` and `bytes` have them. */
async function onDisk() {
  const [kept = [], drafts = [], bytes = []] = await Promise.all(
    ['kept', 'drafts', 'bytes'].map((name) => readdir(join(folder, name))),
  )
  return { kept, drafts, bytes }
}

async function textOf(store: ArtifactStore, artifactId: string): Promise<string> {
  const found = await store.get(artifactId, 'acme')
  return String(Buffer.concat(await Array.fromAsync(found?.open() ?? [])))
}

/** The number of a process that has ended. */
function deadPid(): number {
  return spawnSync(process.execPath, ['--version']).pid
}

test('what was stored is there after a restart', async () => {
  const { artifactId } = await (await open()).put(Buffer.from('hello'), about)
  expect(await textOf(await open(), artifactId)).toBe('hello')
})

test.skipIf(process.platform === 'win32')('other users of the machine cannot read it', async () => {
  await (await open()).put(Buffer.from('hello'), about)
  const entries = await readdir(folder, { recursive: true })
  expect(entries).toHaveLength(7)
  for (const entry of entries) {
    const found = await stat(join(folder, entry))
    expect((found.mode & 0o777).toString(8), entry).toBe(found.isDirectory() ? '700' : '600')
  }
})

describe('the same bytes', () => {
  test('are stored once, and stay until the last artifact with them is deleted', async () => {
    const store = await open()
    const one = await store.put(Buffer.from('same'), about)
    const two = await store.put(Buffer.from('same'), { ...about, name: 'other.txt' })
    expect(one.artifactId).not.toBe(two.artifactId)
    expect((await onDisk()).bytes).toEqual([one.sha256])
    const files = [one, two].map(({ artifactId }) => stat(join(folder, 'kept', artifactId, 'content')))
    const [first, second] = await Promise.all(files)
    expect(first?.ino).toBe(second?.ino)
    await store.delete(one.artifactId, 'acme')
    expect(await textOf(store, two.artifactId)).toBe('same')
    expect((await onDisk()).bytes).toEqual([one.sha256])
    await store.delete(two.artifactId, 'acme')
    expect(await onDisk()).toEqual({ kept: [], drafts: [], bytes: [] })
  })

  test('are stored once by any number of puts at the same time', async () => {
    const [store, other] = [await open(), await open()]
    const puts = Array.from({ length: 20 }, (_, n) => (n % 2 ? store : other).put(Buffer.from('same'), about))
    const artifacts = await Promise.all(puts)
    const inodes = artifacts.map(
      async ({ artifactId }) => (await stat(join(folder, 'kept', artifactId, 'content'))).ino,
    )
    expect(new Set(await Promise.all(inodes)).size).toBe(1)
    expect(await onDisk()).toMatchObject({ drafts: [], bytes: [artifacts[0]?.sha256] })
  })

  test('are never lost to one artifact while others with them come and go', async () => {
    const store = await open()
    const rounds = Array.from({ length: 30 }, async (_, n) => {
      const { artifactId } = await store.put(Buffer.from('same'), about)
      if (n % 3 > 0) return store.delete(artifactId, 'acme')
      expect(await textOf(store, artifactId)).toBe('same')
      return artifactId
    })
    const kept = (await Promise.all(rounds)).filter((id) => typeof id === 'string')
    for (const id of kept) expect(await textOf(store, id)).toBe('same')
    expect((await onDisk()).kept.toSorted()).toEqual(kept.toSorted())
  })

  test('are stored for each where they cannot be shared', async () => {
    const store = await open()
    await rm(join(folder, 'bytes'), { recursive: true })
    await writeFile(join(folder, 'bytes'), 'in the way')
    const { artifactId } = await store.put(Buffer.from('own'), about)
    expect(await textOf(store, artifactId)).toBe('own')
    expect(await readdir(join(folder, 'kept', artifactId))).toEqual(['about.json', 'content'])
  })
})

describe('nothing is left behind', () => {
  test('by content that is too large, fails midway or is stopped', async () => {
    const store = await open(300_000)
    async function* piece(then: () => Promise<void>): AsyncGenerator<Uint8Array> {
      yield randomBytes(200_000)
      expect((await onDisk()).drafts).toHaveLength(1)
      await then()
      yield randomBytes(200_000)
    }
    const stop = new AbortController()
    const puts: [() => Promise<void>, unknown][] = [
      [async () => {}, { code: 'TOO_LARGE' }],
      [() => Promise.reject(new Error('broken')), { message: 'broken' }],
      [async () => stop.abort(new Error('stopped')), { message: 'stopped' }],
    ]
    for (const [then, expected] of puts) {
      await expect(store.put(piece(then), about, stop.signal)).rejects.toMatchObject(expected as object)
      expect(await onDisk()).toEqual({ kept: [], drafts: [], bytes: [] })
    }
  })

  test('by a process that was killed while it stored; one that is alive is left alone', async () => {
    const script = fileURLToPath(new URL('putter.test-helper.ts', import.meta.url))
    const child = spawn(process.execPath, ['--conditions=@cool-ai/source', script, folder], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const ended = new Promise((resolve) => child.once('exit', resolve))
    for await (const line of createInterface({ input: child.stdout })) if (line === 'writing') break
    await open()
    expect((await onDisk()).drafts).toHaveLength(1)
    child.kill('SIGKILL')
    await ended
    expect((await onDisk()).drafts).toHaveLength(1)
    await open()
    expect(await onDisk()).toEqual({ kept: [], drafts: [], bytes: [] })
  })

  test('by a crash between any two steps of storing or deleting', async () => {
    const store = await open()
    const other = await store.put(Buffer.from('shared'), about)
    const lone = await store.put(Buffer.from('lone'), about)
    const half = await store.put(Buffer.from('shared'), about)
    const pid = deadPid()
    for (const { artifactId } of [lone, half]) {
      await rename(join(folder, 'kept', artifactId), join(folder, 'drafts', `${pid}.${artifactId}`))
    }
    const left: [string, Record<string, string>][] = [
      [`${pid}.art_empty`, {}],
      [`${pid}.art_content`, { content: 'hal' }],
      [`${pid}.art_about`, { content: 'half', 'about.json': '{"artifactId":"art_' }],
      [`${pid}.art_contentgone`, { 'about.json': JSON.stringify({ ...lone, sha256: '0'.repeat(64) }) }],
      [`${process.pid}.art_sameprocessnumber`, { content: 'x' }],
      ['not-a-draft', { x: 'y' }],
    ]
    for (const [name, files] of left) {
      await mkdir(join(folder, 'drafts', name))
      for (const [file, text] of Object.entries(files)) await writeFile(join(folder, 'drafts', name, file), text)
    }
    await writeFile(join(folder, 'drafts', 'a-file'), '')
    const again = await open()
    expect(await onDisk()).toEqual({ kept: [other.artifactId], drafts: [], bytes: [other.sha256] })
    expect(await textOf(again, other.artifactId)).toBe('shared')
    expect(await again.get(lone.artifactId, 'acme')).toBeUndefined()
  })

  test('and what this process is storing at the moment is left alone', async () => {
    const store = await open()
    async function* slow(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('one ')
      await open()
      yield Buffer.from('two')
    }
    const { artifactId } = await store.put(slow(), about)
    expect(await textOf(store, artifactId)).toBe('one two')
  })
})

test('a damaged artifact does not exist, and the others still do', async () => {
  const store = await open()
  const whole = await store.put(Buffer.from('whole'), about)
  const names = ['cut', 'no-bytes', 'no-about', 'bad-about', 'other']
  const artifacts = await Promise.all(names.map((name) => store.put(Buffer.from(name), about)))
  const [cut, noBytes, noAbout, badAbout, foreign] = artifacts.map(({ artifactId }) => join(folder, 'kept', artifactId))
  await truncate(join(cut ?? '', 'content'), 2)
  await rm(join(noBytes ?? '', 'content'))
  await rm(join(noAbout ?? '', 'about.json'))
  await writeFile(join(badAbout ?? '', 'about.json'), '{}')
  await writeFile(join(foreign ?? '', 'about.json'), JSON.stringify(whole))
  for (const { artifactId } of artifacts) expect(await store.get(artifactId, 'acme')).toBeUndefined()
  expect(await textOf(store, whole.artifactId)).toBe('whole')
})

test('a file that shrinks while it is read is an error, not a short artifact', async () => {
  const store = await open()
  const { artifactId } = await store.put(Buffer.from('0123456789'), about)
  const found = await store.get(artifactId, 'acme')
  await truncate(join(folder, 'kept', artifactId, 'content'), 4)
  await expect(Array.fromAsync(found?.open() ?? [])).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
})

test('a folder that cannot be used is said at once', async () => {
  await writeFile(join(folder, 'kept'), '')
  await expect(open()).rejects.toMatchObject({
    code: 'INVALID_CONFIGURATION',
    message: expect.stringContaining(folder),
  })
})

describe.skipIf(!existsSync('/proc/self/fd'))('a file is open', () => {
  const descriptors = () =>
    readdirSync('/proc/self/fd').filter((name) => {
      try {
        return readlinkSync(`/proc/self/fd/${name}`).startsWith(folder)
      } catch {
        return false
      }
    }).length

  test('only from the first read until the end, a cancel or an error', async () => {
    const store = await open()
    const { artifactId } = await store.put(randomBytes(300_000), about)
    const found = await store.get(artifactId, 'acme')
    const read = () => found?.open().getReader()
    const reader = read()
    expect(descriptors()).toBe(0)
    await reader?.read()
    expect(descriptors()).toBe(1)
    await reader?.cancel()
    expect(descriptors()).toBe(0)

    await Array.fromAsync(found?.open() ?? [])
    expect(descriptors()).toBe(0)

    const inFlight = read()
    const reading = inFlight?.read()
    await inFlight?.cancel()
    await reading
    expect(descriptors()).toBe(0)

    const broken = read()
    await broken?.read()
    await truncate(join(folder, 'kept', artifactId, 'content'), 10)
    await expect(broken?.read()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(descriptors()).toBe(0)
  })

  test('and never after a put, however it ended', async () => {
    const store = await open(1_000)
    await store.put(Buffer.from('fine'), about)
    await expect(store.put(randomBytes(2_000), about)).rejects.toMatchObject({ code: 'TOO_LARGE' })
    expect(descriptors()).toBe(0)
  })
})
