import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkData, openData, rescueData, type BeachData } from '@cool-ai/beach'
import { silentLogger, systemRuntime } from '@cool-ai/beach-core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const runtime = systemRuntime({ logger: silentLogger })
const root = fileURLToPath(new URL('../../', import.meta.url))
const pageBytes = 4_096
const sessions = Array.from({ length: 60 }, (_, index) => `sess_${String(index).padStart(3, '0')}`)
const texts = (session: string) => [
  { type: 'sessionOpened', session },
  ...Array.from({ length: 20 }, (_, n) => ({ type: 'said', text: `${session} says ${n} ${'x'.repeat(1_000)}` })),
]

let parent: string
let folder: string
let rescued: string

beforeEach(async () => {
  parent = mkdtempSync(join(tmpdir(), 'beach-damaged-'))
  folder = join(parent, 'data')
  rescued = join(parent, 'rescued')
  const data = await open(folder)
  const heads = new Map<string, number>()
  for (let n = 0; n <= 20; n++) {
    await Promise.all(
      sessions.map(async (session) => {
        heads.set(session, await data.store.append(session, heads.get(session) ?? 0, [texts(session)[n]]))
      }),
    )
  }
  const threads = sessions.flatMap((session) => Array.from({ length: 10 }, (_, n) => ({ session, n })))
  await Promise.all(threads.map(({ session, n }) => data.store.bind(`thread:${session}:${n}`, session)))
  const about = { tenant: 't', name: 'x.txt', mimeType: 'text/plain' }
  await data.artifacts.put(new TextEncoder().encode('an artifact'), about)
  await close(data)
  writeFileSync(join(folder, 'notes.jsonl'), 'of an application')
})

afterEach(() => rmSync(parent, { recursive: true, force: true }))

const open = (path: string) => openData({ folder: path, runtime })

async function close({ store, missives }: BeachData): Promise<void> {
  await store.close()
  await missives.store.close()
  await missives.identities.close()
}

/** Overwrites the page of the file that holds a text, as a bad disk would. */
function damage(file: string, text: string): void {
  const bytes = readFileSync(file)
  const page = Math.floor(bytes.indexOf(text) / pageBytes)
  expect(page).toBeGreaterThan(0)
  bytes.fill(0xa5, page * pageBytes, (page + 1) * pageBytes)
  writeFileSync(file, bytes)
}

function hashes(path: string): Record<string, string> {
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(path, name)).isFile(),
  )
  return Object.fromEntries(
    names.map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(path, name)))
        .digest('hex'),
    ]),
  )
}

async function readable(data: BeachData): Promise<string[]> {
  const found: string[] = []
  for (const session of sessions) {
    const events = (await data.store.read(session, 0)).map((event) => event.data)
    if (events.length === 0) continue
    expect(events).toEqual(texts(session))
    found.push(session)
  }
  return found
}

test('a damaged database is found at the start, with a sentence that says what to do', async () => {
  damage(join(folder, 'beach.db'), 'sess_030 says 10')
  await expect(open(folder)).rejects.toMatchObject({
    code: 'STORE_DAMAGED',
    message: expect.stringMatching(
      /beach\.db is damaged \(.+\)\. Stop every process .* rescue <folder> <new folder>/,
    ) as string,
  })
})

test.for(['missives.db', 'identities.db'])('so is one of the other files: %s', async (file) => {
  writeFileSync(join(folder, file), 'not a database '.repeat(1_000))
  await expect(open(folder)).rejects.toMatchObject({
    code: 'STORE_DAMAGED',
    message: expect.stringContaining(file) as string,
  })
})

describe('what is readable of a damaged folder', () => {
  test('goes into a new one: whole sessions as they were, the others next to it', async () => {
    damage(join(folder, 'beach.db'), 'sess_030 says 10')
    const before = hashes(folder)
    const store = rescueData({ from: folder, to: rescued, runtime }).find(({ file }) => file === 'beach.db')
    expect(hashes(folder)).toMatchObject(before)
    const incomplete = store?.incomplete?.sessions ?? []
    expect(incomplete).toContain('sess_030')
    expect(incomplete.length).toBeLessThan(10)
    const aside = readFileSync(join(rescued, 'incomplete-sessions.jsonl'), 'utf8')
    expect(aside).toContain('sess_030 says 9')
    expect(aside).not.toContain('sess_030 says 10 ')
    const data = await open(rescued)
    expect(await readable(data)).toEqual(sessions.filter((session) => !incomplete.includes(session)))
    const bound = new Set((await data.store.list('thread:')).map(({ value }) => value))
    expect(bound).toEqual(new Set(sessions.filter((session) => !incomplete.includes(session))))
    expect((await data.artifacts.list()).items).toHaveLength(1)
    expect(readFileSync(join(rescued, 'secret.key'))).toEqual(readFileSync(join(folder, 'secret.key')))
    expect(readFileSync(join(rescued, 'notes.jsonl'), 'utf8')).toBe('of an application')
    // What was under way is gone on with, and no seq is given twice.
    expect((await data.store.claim(1_000, new AbortController().signal))?.session).toMatch(/^sess_/)
    expect(await data.store.append('new', 0, [{ n: 1 }])).toBeGreaterThan(sessions.length * 21)
    await close(data)
    expect(await checkData(rescued)).toEqual([])
    expect(
      readdirSync(rescued, { recursive: true, encoding: 'utf8' }).filter(
        (name) => (statSync(join(rescued, name)).mode & 0o077) !== 0,
      ),
    ).toEqual([])
  })

  test.for([
    ['the first events', 'sess_000 says 0'],
    ['the last events', 'sess_059 says 19'],
    ['keys', 'thread:sess_030:5'],
  ] as const)('is all but what was on the damaged page: %s', async ([, text]) => {
    damage(join(folder, 'beach.db'), text)
    const files = rescueData({ from: folder, to: rescued, runtime })
    const incomplete = files.find(({ file }) => file === 'beach.db')?.incomplete?.sessions ?? []
    const data = await open(rescued)
    expect(await readable(data)).toEqual(sessions.filter((session) => !incomplete.includes(session)))
    expect(incomplete.length).toBeLessThan(10)
    expect((await data.store.list('thread:')).length).toBeGreaterThan(400)
    await close(data)
  })

  test('includes what a killed process left in its journal', async () => {
    const data = await open(folder)
    await data.store.append('late', 0, [{ type: 'said' }])
    const left = join(parent, 'left')
    cpSync(folder, left, { recursive: true })
    rmSync(join(left, 'beach.db-shm'))
    await close(data)
    damage(join(left, 'beach.db'), 'sess_030 says 10')
    rescueData({ from: left, to: rescued, runtime })
    const next = await open(rescued)
    expect(await next.store.read('late', 0)).toMatchObject([{ data: { type: 'said' } }])
    await close(next)
  })

  test('is nothing of a database that was emptied, whose journal stays as it is', async () => {
    const data = await open(folder)
    await data.store.bind('k', 'v')
    const left = join(parent, 'left')
    cpSync(folder, left, { recursive: true })
    await close(data)
    truncateSync(join(left, 'beach.db'))
    const emptied = 'it is empty, though a journal is next to it'
    expect(await checkData(left)).toEqual([{ file: 'beach.db', problem: emptied }])
    expect(rescueData({ from: left, to: rescued, runtime })).toContainEqual({ file: 'beach.db', lost: emptied })
    expect(statSync(join(left, 'beach.db-wal')).size).toBeGreaterThan(0)
  })

  test('is not looked for in a folder that is not there', () => {
    expect(() => rescueData({ from: join(parent, 'nowhere'), to: rescued, runtime })).toThrow('There is no folder')
  })

  test('is not put into a folder that has something in it', () => {
    expect(() => rescueData({ from: folder, to: folder, runtime })).toThrow(/is not empty/)
  })
})

test('the command finds everything that is damaged, and rescues what is readable', () => {
  const run = (...args: string[]) => {
    const program = ['--conditions=@cool-ai/source', 'packages/beach/src/command/beach.ts', 'data', ...args]
    const { status, stdout, stderr } = spawnSync(process.execPath, program, { cwd: root, encoding: 'utf8' })
    return { status, text: stdout + stderr }
  }
  expect(run('check', folder)).toEqual({ status: 0, text: `${folder} is whole.\n` })
  damage(join(folder, 'beach.db'), 'sess_030 says 10')
  const [id = ''] = readdirSync(join(folder, 'artifacts', 'kept'))
  writeFileSync(join(folder, 'artifacts', 'kept', id, 'content'), 'AN ARTIFACT')
  const checked = run('check', folder)
  expect(checked.status).toBe(1)
  expect(checked.text).toMatch(/beach\.db: .*page/)
  expect(checked.text).toContain(`${join('artifacts', 'kept', id)}: its content is not what was stored`)
  const { status, text } = run('rescue', folder, rescued)
  expect(status).toBe(0)
  expect(text).toMatch(/beach\.db: \d+ rows of event, others were not readable\n/)
  expect(text).toContain('missives.db: left out; it is rebuilt from the logs')
  expect(existsSync(join(rescued, 'beach.db'))).toBe(true)
  expect(run().status).toBe(2)
})

test('damage that is found while the agent runs stops all writing', async () => {
  const data = await open(folder)
  // More than SQLite keeps in memory, and all of it out of the journal.
  let head = 0
  for (let n = 0; n < 10; n++) head = await data.store.append('large', head, ['y'.repeat(400_000)])
  await data.store.erase('large', [{ seq: head, data: {} }])
  await data.store.read('large', 0)
  damage(join(folder, 'beach.db'), 'sess_030 says 10')
  const damaged = { code: 'STORE_DAMAGED', status: 503 }
  await expect(data.store.read('sess_030', 0)).rejects.toMatchObject(damaged)
  await expect(data.store.bind('k', 'v')).rejects.toMatchObject(damaged)
  await expect(data.store.check?.()).rejects.toMatchObject(damaged)
  await close(data)
})
