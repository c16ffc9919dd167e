import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SqliteStore } from '@cool-ai/beach-session/sqlite'
import { expect, onTestFinished, test, vi } from 'vitest'
import { inspected, type Loose } from './inspect-context.ts'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'beach-inspect-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

test('sessions of before the inspector was switched on are listed, and so is what happened after a restart', async () => {
  const data = folder()
  const before = await inspected({ data, inspect: false })
  const { id, say } = await before.talk()
  await say('an old question')
  await before.beach.close()
  const after = await inspected({ data })
  await vi.waitFor(async () => {
    expect((await after.ask('sessions')).body.items).toMatchObject([
      { sessionId: id, title: 'an old question', turns: 1 },
    ])
  })
  await after.beach.close()
  const again = await inspected({ data })
  expect((await again.ask('sessions')).body.items).toMatchObject([{ sessionId: id }])
  expect((await again.ask('audit')).body.items.length).toBeGreaterThan(0)
})

test('words of messages are found, not only those of titles', async () => {
  const { ask, talk } = await inspected({ data: folder() })
  const { id, say } = await talk()
  await say('hello')
  await say('where is the marmalade')
  await vi.waitFor(async () =>
    expect((await ask('sessions?q=marmalade')).body.items).toMatchObject([{ sessionId: id }]),
  )
})

test('what a person has said is gone from prompts and titles when it is erased', async () => {
  const { ask, beach, talk } = await inspected({ data: folder() })
  const { id, say } = await talk()
  await say('my name is Rumpelstiltskin')
  expect((await ask(`sessions/${id}/turns`)).text).toContain('Rumpelstiltskin')
  const operator = { kind: 'operator', id: 'root', tenant: 'default' } as const
  await (beach.sessions as Loose).erase(id, { scope: 'originators', originatorIds: ['web:anna'] }, operator)
  const { items } = (await ask(`sessions/${id}/events?limit=200&types=actorNoted,messageReceived`)).body
  expect(JSON.stringify(items)).not.toContain('Rumpelstiltskin')
  await vi.waitFor(async () => expect((await ask('sessions')).text).not.toContain('Rumpelstiltskin'))
})

test('processes on one file see each other, and whose leases are whose', async () => {
  const path = join(folder(), 'beach.db')
  const [one, other] = await Promise.all([SqliteStore.open({ path }), SqliteStore.open({ path })])
  onTestFinished(async () => {
    await one.close()
    await other.close()
  })
  await one.appendAndClaim('a', 0, [{ n: 1 }], { events: [{ n: 2 }], leaseMs: 60_000 })
  await other.appendAndClaim('b', 0, [{ n: 1 }], { events: [{ n: 2 }], leaseMs: 60_000 })
  await vi.waitFor(async () => expect((await one.hosts(10)).processes).toHaveLength(2))
  const { processes, leases } = await one.hosts(10)
  expect(processes).toMatchObject([{ pid: process.pid }, { pid: process.pid }])
  expect(new Set(leases.map((lease) => lease.process))).toEqual(new Set(processes.map(({ id }) => id)))
})
