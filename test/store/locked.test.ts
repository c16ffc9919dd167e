import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { test, type TestContext } from 'vitest'

const program = fileURLToPath(new URL('data-program.ts', import.meta.url))

function newFolder({ onTestFinished: afterwards }: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'beach-locked-'))
  afterwards(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'data')
}

/** Another program that has the file for itself until the returned function is called. */
function lock(folder: string, file: string): () => void {
  mkdirSync(folder, { recursive: true })
  const db = new DatabaseSync(join(folder, file))
  db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  return () => db.close()
}

interface Run {
  /** Resolves once the program has logged a line that contains this. */
  said(text: string): Promise<void>
  tell(text: string): void
  readonly ended: Promise<{ readonly code: number | null; readonly out: string; readonly errors: string }>
}

function run({ onTestFinished: afterwards }: TestContext, ...args: string[]): Run {
  const child = spawn(process.execPath, ['--conditions=@cool-ai/source', program, ...args])
  afterwards(() => void child.kill('SIGKILL'))
  const texts = { out: '', errors: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (texts.out += text))
  const lines = createInterface({ input: child.stderr })
  lines.on('line', (line) => (texts.errors += `${line}\n`))
  const closed = once(child, 'close').then(([code]) => ({ code: code as number | null, ...texts }))
  return {
    ended: closed,
    tell: (text) => void child.stdin.write(text),
    async said(text) {
      while (!texts.errors.includes(text)) {
        const which = await Promise.race([once(lines, 'line').then(() => 'line'), closed.then(() => 'end')])
        if (which === 'end') throw new Error(`The program ended without a word:\n${JSON.stringify(await closed)}`)
      }
    },
  }
}

test.concurrent.for(['beach.db', 'missives.db', 'identities.db'])(
  'a process that finds %s locked waits, says so once, and starts when the lock is gone',
  async (file, context) => {
    const folder = newFolder(context)
    const unlock = lock(folder, file)
    const process = run(context, folder, 'one')
    await process.said('waiting for a lock')
    unlock()
    const { code, out, errors } = await process.ended
    context.expect({ code, out }).toEqual({ code: 0, out: 'written one\n' })
    context.expect(errors.split('waiting for a lock')).toHaveLength(2)
    context.expect(errors).toContain(join(folder, file))
  },
)

test.concurrent('a lock that stays ends the start with a sentence that says what to do', async (context) => {
  const folder = newFolder(context)
  const unlock = lock(folder, 'beach.db')
  const { code, errors } = await run(context, folder, 'one', '60').ended
  unlock()
  context.expect(code).toBe(1)
  context.expect(errors).toMatch(/Another process.* has held a lock on .*beach\.db for 30 seconds\. End that process/)
  if (process.platform === 'linux') context.expect(errors).toContain(`process ${process.pid}`)
})

test.concurrent.for(['beach.db', 'missives.db', 'identities.db'])(
  'a start that finds another program writing to %s, which readers could do meanwhile, ends with the same sentence',
  async (file, context) => {
    const folder = newFolder(context)
    await run(context, folder, 'first').ended
    const other = new DatabaseSync(join(folder, file))
    other.exec('BEGIN IMMEDIATE')
    const { code, errors } = await run(context, folder, 'second', '60').ended
    other.close()
    context.expect(code).toBe(1)
    context.expect(errors).toMatch(new RegExp(`Another process.* has held a lock on .*${file} for 30 seconds`))
  },
)

test.concurrent('a write waits for a lock of another process, and the process does not end meanwhile', async (context) => {
  const folder = newFolder(context)
  const process = run(context, folder, 'second', '1', 'when-told')
  await process.said('it is open')
  const other = new DatabaseSync(join(folder, 'beach.db'), { timeout: 5_000 })
  other.exec('BEGIN IMMEDIATE')
  process.tell('write')
  await process.said('waiting for a lock')
  other.exec('COMMIT')
  other.close()
  context.expect(await process.ended).toMatchObject({ code: 0, out: 'written second\n' })
})

test.concurrent('four processes that start at once on a new folder all start, and agree on it', async (context) => {
  const folder = newFolder(context)
  const runs = ['a', 'b', 'c', 'd'].map((key) => run(context, folder, key).ended)
  const ended = await Promise.all(runs)
  context
    .expect(ended.map(({ code, out }) => `${code} ${out.trim()}`))
    .toEqual(['a', 'b', 'c', 'd'].map((key) => `0 written ${key}`))
  context.expect(ended.map(({ errors }) => errors).join('')).not.toContain('the journal of the database is gone')
  const db = new DatabaseSync(join(folder, 'beach.db'), { readOnly: true })
  const keys = db.prepare(`SELECT key FROM key WHERE key LIKE 'test:%' ORDER BY key`).all()
  db.close()
  context.expect(keys.map(({ key }) => key)).toEqual(['test:a', 'test:b', 'test:c', 'test:d'])
})
