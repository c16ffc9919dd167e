import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Store } from '@cool-ai/beach-core'
import type { SessionEvent } from '@cool-ai/beach-core/log'
import { PostgresDatabase } from '@cool-ai/beach-core/postgres'
import { PostgresStore } from '@cool-ai/beach-session/postgres'
import { SqliteStore } from '@cool-ai/beach-session/sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { newDatabase } from '../support/postgres.ts'

const tick = Date.parse('2026-11-15T08:00:00Z')
const program = fileURLToPath(new URL('cron-program.ts', import.meta.url))
const leash = new URL('../support/end-with-parent.mjs', import.meta.url).href

function storePath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'beach-cron-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'store.sqlite')
}

/**
 * Runs processes until their job has had the tick; returns how they ended. `before` is how long the tick is ahead once
 * all of them have loaded.
 */
async function run(count: number, path: string, before: number, variables: Readonly<Record<string, string>> = {}) {
  const children = Array.from({ length: count }, () => {
    const child = spawn(process.execPath, ['--conditions=@cool-ai/source', '--import', leash, program], {
      env: { ...process.env, STORE: path, BEFORE: String(before), TICK: String(tick), ...variables },
      stdio: ['pipe', 'inherit', 'inherit', 'ipc'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    return child
  })
  const ended = children.map(async (child) => {
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
    return signal ?? code
  })
  await Promise.all(children.map((child) => once(child, 'message')))
  for (const child of children) child.send(Date.now())
  return Promise.all(ended)
}

/** How long a process has to open the store and make its agent, once it is told to begin. */
const soon = 1_500

function openStore(path: string): Promise<Store> {
  if (!path.startsWith('postgres:')) return SqliteStore.open({ path })
  return PostgresDatabase.open({ url: path }).then((database) => PostgresStore.open({ database }))
}

/** How often the job has said something, and how often that was answered. */
async function counted(path: string) {
  const store = await openStore(path)
  const sessions = new Set((await store.list('session:')).map(({ value }) => value))
  const events: SessionEvent[] = []
  for (const session of sessions) {
    events.push(...(await store.read(session, 0)).map(({ data }) => data as SessionEvent))
  }
  const keys = (await store.list('cron:')).map(({ key }) => key.split(':').at(-2))
  await store.close()
  return { said: events.filter(({ type }) => type === 'messageReceived').length, keys }
}

test.each(['new', 'same'])('three processes on one file run a tick once (%s)', async (SESSION) => {
  const path = storePath()
  expect(await run(3, path, soon, { SESSION })).toEqual([0, 0, 0])
  const { said, keys } = await counted(path)
  expect(said).toBe(1)
  expect(keys.filter((key) => key === 'done')).toHaveLength(1)
  expect(keys).not.toContain('tick')
})

test('three processes on one PostgreSQL database run a tick once', async () => {
  const database = await newDatabase()
  onTestFinished(() => database[Symbol.asyncDispose]())
  // With its tables made before: a process must be there when the tick comes.
  await (await openStore(database.url)).close()
  expect(await run(3, database.url, soon)).toEqual([0, 0, 0])
  const { said, keys } = await counted(database.url)
  expect(said).toBe(1)
  expect(keys.filter((key) => key === 'done')).toHaveLength(1)
})

test.each([':tick:', ':done:'])(
  'a process that is killed at the write of %s is followed by one that goes on',
  async (DIE_AT) => {
    const path = storePath()
    expect(await run(1, path, soon, { DIE_AT })).toEqual(['SIGKILL'])
    // Much later: what was begun is not missed, and what is over is over.
    expect(await run(1, path, -20 * 60_000)).toEqual([0])
    expect((await counted(path)).said).toBe(1)
  },
)
