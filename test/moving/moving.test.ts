import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { exportData, importData, openData } from '@cool-ai/beach'
import { simulatedRuntime, type Store } from '@cool-ai/beach-core'
import { PostgresDatabase } from '@cool-ai/beach-core/postgres'
import { PostgresArtifactStore, PostgresIdentityStore } from '@cool-ai/beach-missives/postgres'
import { PostgresStore } from '@cool-ai/beach-session/postgres'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { emptySchema, newDatabase } from '../support/postgres.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'beach-moving-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

// Its tables are made once: that takes longer than what is done with them.
let database: Awaited<ReturnType<typeof newDatabase>>
beforeAll(async () => {
  database = await newDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())
afterEach(() => emptied())
const emptied = () => emptySchema(database, 'beach')

const tenant = 'acme'
const sessions = ['ses_a', 'ses_b', 'ses_c', 'ses_gone']

/** A folder with sessions whose appends alternate, so that their seqs have gaps. */
async function filled(name: string, appends = 3): Promise<string> {
  const path = join(folder, name)
  const { store, missives, artifacts } = await openData({ folder: path })
  const heads = new Map<string, number>()
  for (let n = 0; n < appends; n++) {
    const round = sessions.map(async (session) => {
      const events = [
        { n, session },
        { n, text: 'ü\u2028\n"' },
      ]
      heads.set(session, await store.append(session, heads.get(session) ?? 0, events))
    })
    await Promise.all(round)
  }
  await store.drop('ses_gone')
  await store.wake('ses_b', 4_000_000_000_000)
  await store.bind('session:acme:ann:a', 'ses_a')
  await store.bind('mail:\u{1F600}', 'ses_b')
  await store.saveSnapshot('ses_a', 1, 1, { seqs: [1] })
  const event = { at: 5, kind: 'joined', addresses: ['mailto:a@x.example', 'tel:+1'], how: 'operator' } as const
  await missives.identities.join(tenant, ['mailto:a@x.example', 'tel:+1'], event, 'person_1')
  const about = { name: 'a.txt', mimeType: 'text/plain', tenant, session: 'ses_a' }
  await artifacts.put(Buffer.from('hello'), about)
  await artifacts.put(Buffer.alloc(600_000, 'x'), { ...about, name: 'large.txt' })
  await artifacts.put(Buffer.alloc(0), { ...about, name: 'empty.txt' })
  await missives.store.close()
  await missives.identities.close()
  await store.close()
  return path
}

async function exported(from: string): Promise<string> {
  let text = ''
  await exportData({
    from,
    write: async (piece) => {
      text += piece
    },
  })
  return text
}

const input = (text: string) => Readable.from([Buffer.from(text)])

/** The lines without hashes and header. Stores cut the bytes of artifacts differently: those have a hash. */
function records(text: string): Record<string, unknown>[] {
  const lines = text.split('\n').slice(1, -2)
  return lines
    .map((line) => {
      const { sha: _, ...record } = JSON.parse(line) as Record<string, unknown>
      return record
    })
    .filter(({ kind }) => kind !== 'highest' && kind !== 'bytes')
}

const sorted = (text: string) =>
  records(text)
    .map((record) => JSON.stringify(record))
    .toSorted()

async function logs(store: Store): Promise<Record<string, unknown>> {
  const all = await Promise.all(sessions.map(async (session) => [session, await store.read(session, 0)]))
  return Object.fromEntries(all) as Record<string, unknown>
}

test('a folder moves into PostgreSQL as it is, and the agent there goes on with it', async () => {
  const text = await exported(await filled('one'))
  await importData({ to: database.url, input: input(text) })
  expect(sorted(await exported(database.url))).toEqual(sorted(text))
  const { store: before } = await openData({ folder: join(folder, 'one') })
  const expected = await logs(before)
  await before.close()
  const db = await PostgresDatabase.open({ url: database.url })
  const store = await PostgresStore.open({ database: db })
  const artifacts = await PostgresArtifactStore.open({ database: db })
  const identities = await PostgresIdentityStore.open({ database: db })
  expect(await logs(store)).toEqual(expected)
  const head = (await store.read('ses_a', 0)).at(-1)?.seq ?? 0
  expect(await store.append('ses_a', head, [{ more: true }])).toBe(head + 1)
  expect(await identities.personOf(tenant, 'tel:+1')).toMatchObject({ personId: 'person_1' })
  expect((await artifacts.list()).items.map(({ name }) => name).toSorted()).toEqual(['a.txt', 'empty.txt', 'large.txt'])
  await identities.close()
  await artifacts.close()
  await store.close()
})

test('from PostgreSQL into a folder, the seqs of a session rise by one number, past all that its clients have seen', async () => {
  const first = await exported(await filled('one'))
  await importData({ to: database.url, input: input(first) })
  await importData({ to: join(folder, 'two'), input: input(await exported(database.url)) })
  const one = await openData({ folder: join(folder, 'one') })
  const two = await openData({ folder: join(folder, 'two') })
  const seen = new Set<number>()
  for (const session of ['ses_a', 'ses_b', 'ses_c']) {
    const [old, moved] = [await one.store.read(session, 0), await two.store.read(session, 0)]
    const offset = (moved[0]?.seq ?? 0) - (old[0]?.seq ?? 0)
    expect(moved).toEqual(old.map(({ seq, data }) => ({ seq: seq + offset, data })))
    expect(moved[0]?.seq).toBeGreaterThan(old.at(-1)?.seq ?? Infinity)
    for (const { seq } of moved) {
      expect(seen.has(seq)).toBe(false)
      seen.add(seq)
    }
  }
  const head = (await two.store.read('ses_c', 0)).at(-1)?.seq ?? 0
  expect(await two.store.append('ses_c', head, [{ more: true }])).toBeGreaterThan(Math.max(...seen))
  expect(await two.store.list('')).toMatchObject([
    { key: 'beach-import' },
    { key: 'mail:\u{1F600}' },
    { value: 'ses_a' },
  ])
  expect(await two.missives.identities.personOf(tenant, 'tel:+1')).toMatchObject({ personId: 'person_1' })
  const kept = ({ kind }: Record<string, unknown>) => kind === 'artifact' || kind === 'key'
  const lines = (text: string) => JSON.stringify(records(text).filter(kept))
  expect(lines(await exported(join(folder, 'two'))).length).toBe(lines(first).length)
  for (const { store, missives } of [one, two]) {
    await missives.store.close()
    await missives.identities.close()
    await store.close()
  }
})

test('a folder moves into a folder with the same seqs, and no seq of a dropped session is given again', async () => {
  const text = await exported(await filled('one'))
  await importData({ to: join(folder, 'two'), input: input(text) })
  expect(sorted(await exported(join(folder, 'two')))).toEqual(sorted(text))
  const { store } = await openData({ folder: join(folder, 'two') })
  expect(await store.append('ses_new', 0, [{}])).toBeGreaterThan(4 * 3 * 2)
  await store.close()
})

test.each(['folder', 'postgres'])(
  'an import into a %s that was cut off anywhere goes on, and changes nothing once it is done',
  async (kind) => {
    const text = await exported(await filled('one', 10))
    const lines = text.split('\n')
    for (const cut of [1, 2, 5, 20, lines.length - 4, lines.length - 2]) {
      const to = kind === 'folder' ? join(folder, `cut-${cut}`) : database.url
      const partial = `${lines.slice(0, cut).join('\n')}\n{"kind":"ha`
      await expect(importData({ to, input: input(partial) })).rejects.toThrow(`stops after line ${cut},`)
      await importData({ to, input: input(text) })
      const after = sorted(await exported(to))
      expect(after).toEqual(sorted(text))
      expect(await importData({ to, input: input(text) })).toMatchObject({ wasThere: true })
      expect(sorted(await exported(to))).toEqual(after)
      await emptied()
    }
  },
)

test('an altered line, a moved line and a missing line are refused with their number', async () => {
  const text = await exported(await filled('one'))
  const lines = text.split('\n')
  const altered = lines.with(6, lines[6]?.replace('"n":', '"m":') ?? '')
  const swapped = lines.with(6, lines[7] ?? '').with(7, lines[6] ?? '')
  const missing = lines.toSpliced(6, 1)
  expect(altered).not.toEqual(lines)
  for (const [index, wrong] of [altered, swapped, missing].entries()) {
    const to = join(folder, `wrong-${index}`)
    await expect(importData({ to, input: input(wrong.join('\n')) })).rejects.toThrow('Line 7 of the export')
  }
})

test('an import refuses a place that has other data', async () => {
  const text = await exported(await filled('one'))
  const other = await filled('two')
  await expect(importData({ to: other, input: input(text) })).rejects.toThrow('has data already')
  await importData({ to: join(folder, 'three'), input: input(text) })
  const again = await exported(join(folder, 'one'))
  await expect(importData({ to: join(folder, 'three'), input: input(again) })).rejects.toThrow('of another export')
})

test('a session that a host held, or that PostgreSQL has dropped, moves as what it is', async () => {
  const db = await PostgresDatabase.open({ url: database.url })
  const store = await PostgresStore.open({ database: db })
  const artifacts = await PostgresArtifactStore.open({ database: db })
  const identities = await PostgresIdentityStore.open({ database: db })
  await store.appendAndClaim('ses_held', 0, [{}], { events: [{}], leaseMs: 10_000 })
  await store.append('ses_dropped', 0, [{}, {}, {}])
  await store.drop('ses_dropped')
  const text = await exported(database.url)
  await identities.close()
  await artifacts.close()
  await store.close()
  expect(records(text)).toMatchObject([
    // The place after the last event stays taken.
    { kind: 'session', id: 'ses_dropped', head: 4, isDropped: true },
    { kind: 'session', id: 'ses_held', wake: { at: 0 } },
    { kind: 'events' },
    { kind: 'events' },
  ])
  await emptied()
  await importData({ to: database.url, input: input(text) })
  expect(sorted(await exported(database.url))).toEqual(sorted(text))
})

/** Runs the command; without `text` its input stays open. */
const command = (args: readonly string[], text?: string) => {
  const source = new URL('../../packages/beach/src/command/beach.ts', import.meta.url).pathname
  const child = spawn(process.execPath, ['--conditions=@cool-ai/source', source, ...args])
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (out += chunk))
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
  if (text !== undefined) child.stdin.end(text)
  return {
    child,
    done: new Promise<{ code: number | null; out: string; err: string }>((resolve) =>
      child.once('close', (code) => resolve({ code, out, err })),
    ),
  }
}

test('the command exports, imports, goes on after kill -9, and says what it did', async () => {
  const path = await filled('one', 600)
  const file = join(folder, 'export.jsonl')
  expect(await command(['export', path, '--out', file]).done).toMatchObject({ code: 0 })
  const text = readFileSync(file, 'utf8')
  // It is killed while it waits for the rest.
  const killed = command(['import', database.url])
  killed.child.stdin.on('error', () => {})
  killed.child.stdin.write(text.slice(0, text.length / 2))
  for (;;) {
    const noted = await database.query(`SELECT value FROM beach.key WHERE key = 'beach-import'`).then(
      ({ rows }) => rows.length,
      () => 0,
    )
    if (noted > 0) break
    await new Promise((resolve) => setImmediate(resolve))
  }
  killed.child.kill('SIGKILL')
  await killed.done
  const { code, err } = await command(['import', database.url], text).done
  expect(err).toMatch(/^Went on after line \d+\. Imported: 3 logs, 1800 appends, 2 keys/)
  expect(code).toBe(0)
  const { out } = await command(['export', database.url]).done
  expect(sorted(out)).toEqual(sorted(text))
  writeFileSync(file, text.slice(0, -10))
  expect(await command(['import', join(folder, 'three'), '--in', file]).done).toMatchObject({
    code: 2,
    err: expect.stringContaining('The export is cut') as string,
  })
  expect(await command(['export', join(folder, 'nowhere')]).done).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringContaining('it has no beach.db') as string,
  })
})

test('migrate makes the tables as their owner, and an agent with fewer rights uses them', async () => {
  await using untouched = await newDatabase()
  const role = `agent_${simulatedRuntime().id('r').replace('_', '')}_${new URL(untouched.url).pathname.slice(6)}`
  expect(await command(['data', 'migrate', untouched.url]).done).toMatchObject({ code: 0 })
  await untouched.query(`CREATE ROLE ${role} LOGIN PASSWORD 'x'`)
  try {
    await untouched.query(`GRANT USAGE ON SCHEMA beach TO ${role}`)
    await untouched.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA beach TO ${role}`)
    const url = new URL(untouched.url)
    url.username = role
    url.password = 'x'
    const db = await PostgresDatabase.open({ url: url.href })
    const store = await PostgresStore.open({ database: db })
    const identities = await PostgresIdentityStore.open({ database: db })
    expect(await store.append('s', 0, [{}])).toBe(1)
    const event = { at: 5, kind: 'joined', addresses: ['a', 'b'] } as const
    expect(await identities.join('t', ['a', 'b'], event, 'p')).toMatchObject({ personId: 'p' })
    await store.check()
    await identities.close()
    await store.close()
  } finally {
    await untouched.query(`DROP OWNED BY ${role}`)
    await untouched.query(`DROP ROLE ${role}`)
  }
})
