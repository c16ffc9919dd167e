import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { newDatabase } from '../support/postgres.ts'
import { post } from '../webhook/webhook-context.ts'

const program = fileURLToPath(new URL('without-files-program.ts', import.meta.url))

/** Starts the agent without the right to write any file. */
async function started(store: string): Promise<string> {
  const flags = ['--permission', '--allow-fs-read=*', '--conditions=@cool-ai/source']
  const { NODE_COMPILE_CACHE: _, ...env } = process.env
  const child = spawn(process.execPath, [...flags, program], {
    env: { ...env, BEACH_STORE: store, BEACH_SECRET: 'a-secret-of-thirty-two-characters-or-more' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(async () => {
    if (child.exitCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
  let output = ''
  child.stderr.on('data', (data) => (output += String(data)))
  for await (const data of child.stdout) {
    output += String(data)
    const url = /listening (\S+)/.exec(output)?.[1]
    if (url !== undefined) return url
  }
  throw new Error(`The agent ended:\n${output}`)
}

test('an agent on PostgreSQL writes no file: messages, hooks, push configurations and ticks are in the database', async () => {
  await using server = await newDatabase()
  const url = await started(server.url)
  const json = { 'content-type': 'application/json', 'a2a-version': '1.0' }
  const sent = async (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(new URL(path, url), {
      method: 'POST',
      headers: { ...json, ...headers },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    expect(response.ok, text).toBe(true)
    return JSON.parse(text) as Record<string, unknown>
  }
  const { sessionId, token } = (await sent('/sessions', {})) as { sessionId: string; token: string }
  await sent(`/sessions/${sessionId}/messages`, { text: 'by the page' }, { authorization: `Bearer ${token}` })
  expect((await post(new URL('/webhooks/talk', url).href, { text: 'x' }, { id: 'one' })).ok).toBe(true)
  const message = { messageId: '1', role: 'ROLE_USER', parts: [{ text: 'by A2A' }] }
  const reported = { url: 'https://example.com/told' }
  const configuration = { taskPushNotificationConfig: reported, returnImmediately: true }
  const params = { message, configuration }
  const { error } = await sent('/a2a', { jsonrpc: '2.0', id: 1, method: 'SendMessage', params })
  expect(error).toBeUndefined()
  const logged = async () => {
    const { rows } = await server.query('SELECT data FROM beach_keeper.event')
    return rows.map((row) => (row as { data: string }).data).join('\n')
  }
  for (const words of ['kept: by the page', 'kept: by webhook', 'kept: by A2A']) {
    await expect.poll(logged, { timeout: 30_000 }).toContain(words)
  }
  const { rows } = await server.query('SELECT key, value FROM beach_keeper.key')
  const kept = `${JSON.stringify(rows)}\n${await logged()}`
  expect(kept).toContain('cron:default:minutely')
  expect(kept).toContain('https://example.com/told')
}, 120_000)
