import { chmodSync, lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openData, type BeachData } from '@cool-ai/beach'
import { silentLogger, systemRuntime } from '@cool-ai/beach-core'
import { afterEach, beforeEach, expect, test } from 'vitest'

const runtime = systemRuntime({ logger: silentLogger })

let parent: string
let folder: string
let umask: number

beforeEach(() => {
  umask = process.umask(0o022)
  parent = mkdtempSync(join(tmpdir(), 'beach-private-'))
  folder = join(parent, 'deep', 'data')
})

afterEach(() => {
  process.umask(umask)
  rmSync(parent, { recursive: true, force: true })
})

/** Opens the folder and writes to everything that is in it. */
async function used(): Promise<BeachData> {
  const data = await openData({ folder, runtime })
  await data.store.append('s', 0, [{ n: 1 }])
  await data.missives.store.write('s', 0, { seq: 1, state: {} }, [])
  await data.missives.identities.check?.()
  await data.artifacts.put(new TextEncoder().encode('x'), { tenant: 't', name: 'x.txt', mimeType: 'text/plain' })
  return data
}

async function close({ store, missives }: BeachData): Promise<void> {
  await store.close()
  await missives.store.close()
  await missives.identities.close()
}

function everything(): string[] {
  return [folder, ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))]
}

/** What others than the owner may do something with. */
function open(): string[] {
  return everything().filter((path) => (lstatSync(path).mode & 0o077) !== 0)
}

test('only the user who runs the agent can read its data folder, with the usual umask', async () => {
  const data = await used()
  const names = readdirSync(folder)
  expect(names).toEqual(expect.arrayContaining(['secret.key', 'artifacts']))
  for (const file of ['beach.db', 'missives.db', 'identities.db']) {
    expect(names).toEqual(expect.arrayContaining([file, `${file}-wal`, `${file}-shm`]))
  }
  expect(open()).toEqual([])
  expect(lstatSync(join(parent, 'deep')).mode & 0o077).toBe(0)
  await close(data)
  expect(open()).toEqual([])
})

test('a file that an earlier version left readable to others is closed when it is opened', async () => {
  const before = await used()
  const kept = join(folder, 'artifacts', 'kept')
  const top = [folder, ...readdirSync(folder).map((name) => join(folder, name)), kept]
  for (const path of top) chmodSync(path, lstatSync(path).isDirectory() ? 0o755 : 0o644)
  expect(open()).toEqual(expect.arrayContaining([folder, join(folder, 'beach.db-wal'), join(folder, 'secret.key')]))
  // The journals are there while another process has the files open, or was killed.
  const after = await openData({ folder, runtime })
  expect(open()).toEqual([])
  await close(after)
  await close(before)
})

test('a folder that all users share is left as it is', async () => {
  folder = parent
  chmodSync(folder, 0o1777)
  await close(await used())
  expect(lstatSync(folder).mode & 0o7777).toBe(0o1777)
  expect(open()).toEqual([folder])
})
