import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test, type TestContext } from 'vitest'
import { startServer } from '../support/server-process.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

interface Caller {
  readonly messages: string
  readonly headers: Record<string, string>
}

async function opened(url: string): Promise<Caller> {
  const response = await fetch(`${url}/sessions`, { method: 'POST' })
  const { sessionId, token } = (await response.json()) as { sessionId: string; token: string }
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return { messages: `${url}/sessions/${sessionId}/messages`, headers }
}

async function say({ messages, headers }: Caller, text: string) {
  const response = await fetch(messages, { method: 'POST', headers, body: JSON.stringify({ text }) })
  return { status: response.status, body: (await response.json()) as { error?: { code: string } } }
}

async function ready(url: string) {
  const response = await fetch(`${url}/readyz`)
  return { status: response.status, body: (await response.json()) as { error?: { code: string } } }
}

test.concurrent('an agent whose data folder is moved away takes no messages, and does when it is started with it again', async (context) => {
  const { expect } = context
  const server = await startServer(context)
  const caller = await opened(server.url)
  expect((await say(caller, 'one')).status).toBe(202)
  renameSync(server.folder, `${server.folder}-moved`)
  context.onTestFinished(() => rmSync(`${server.folder}-moved`, { recursive: true, force: true }))
  const lost = { status: 503, body: { error: { code: 'STORE_LOST' } } }
  expect(await say(caller, 'two')).toMatchObject(lost)
  expect(await ready(server.url)).toMatchObject(lost)
  expect((await fetch(`${server.url}/sessions`, { method: 'POST' })).status).toBe(503)
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
  await server.kill9()
  renameSync(`${server.folder}-moved`, server.folder)
  await server.start()
  expect(await ready(server.url)).toMatchObject({ status: 200 })
  expect((await say(caller, 'three')).status).toBe(202)
})

test.concurrent('a removed journal costs nothing that was acknowledged, even when the process is killed', async (context) => {
  const { expect } = context
  const server = await startServer(context)
  const caller = await opened(server.url)
  const key = { 'idempotency-key': 'the-one' }
  const first = { ...caller, headers: { ...caller.headers, ...key } }
  const taken = await say(first, 'one')
  rmSync(join(server.folder, 'beach.db-wal'))
  expect(await ready(server.url)).toMatchObject({ status: 503, body: { error: { code: 'STORE_LOST' } } })
  await server.kill9()
  await server.start()
  expect(await say(first, 'one')).toMatchObject({ status: 202, body: { ...taken.body, duplicate: true } })
})

test.concurrent('a disk without room is 503 everywhere, says why, and costs nothing that was acknowledged', async (context) => {
  const { expect } = context
  const folder = mkdtempSync(join(tmpdir(), 'beach-full-'))
  context.onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  // No file of this process may have more than about half a megabyte.
  const full = await startedBy(context, 'ulimit -f 1000 &&', folder)
  const caller = await opened(full.url)
  expect(await ready(full.url)).toMatchObject({ status: 200 })
  const large = 'x'.repeat(90_000)
  const keyed = (n: number) => ({ ...caller, headers: { ...caller.headers, 'idempotency-key': `key-${n}` } })
  let taken = 0
  while ((await say(keyed(taken), large)).status === 202) taken++
  const unavailable = { status: 503, body: { error: { code: 'STORE_UNAVAILABLE' } } }
  expect(await say(caller, large)).toMatchObject(unavailable)
  // Something smaller may still fit for a while.
  while ((await say(caller, 'x'.repeat(2_000))).status === 202);
  expect(await ready(full.url)).toMatchObject(unavailable)
  expect((await fetch(`${full.url}/healthz`)).status).toBe(200)
  await full.kill9()
  const again = await startedBy(context, '', folder)
  const messages = `${again.url}${new URL(caller.messages).pathname}`
  expect(taken).toBeGreaterThan(0)
  for (let n = 0; n < taken; n++) {
    expect(await say({ ...keyed(n), messages }, large)).toMatchObject({ status: 202, body: { duplicate: true } })
  }
})

/** The smallest example in a process of its own, begun by a shell that may limit it. */
async function startedBy({ onTestFinished }: TestContext, limit: string, folder: string) {
  const program = `exec '${process.execPath}' --conditions=@cool-ai/source examples/hello/start.mjs`
  const { NODE_COMPILE_CACHE: _, ...variables } = process.env
  const env = { ...variables, NODE_DISABLE_COMPILE_CACHE: '1', PORT: '0', BEACH_DATA: folder }
  const child = spawn('sh', ['-c', `${limit} ${program}`], { cwd: root, env, stdio: ['ignore', 'pipe', 'ignore'] })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const kill9 = async () => {
    child.kill('SIGKILL')
    await ended
  }
  onTestFinished(kill9)
  let out = ''
  for await (const text of child.stdout.setEncoding('utf8')) {
    out += String(text)
    const url = /http:\/\/\S+/.exec(out)?.[0]
    if (url !== undefined) return { url, kill9 }
  }
  throw new Error(`The agent ended instead of starting: ${out}`)
}

test.concurrent('a program without a server is told that the store fails: it does not end while a write is tried again', async ({
  expect,
}) => {
  const program = fileURLToPath(new URL('unserved-program.ts', import.meta.url))
  const child = spawn(process.execPath, ['--conditions=@cool-ai/source', program])
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  const [code] = (await once(child, 'close')) as [number | null]
  expect(code).toBe(1)
  expect(errors).toContain('The disk is full.')
})
