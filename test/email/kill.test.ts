import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { until } from './email-context.ts'
import { deliver, postOffice, written, type PostOffice } from '@cool-ai/beach-testing/mail'

const program = fileURLToPath(new URL('agent-program.ts', import.meta.url))
let folder: string
let office: PostOffice
const children = new Set<ChildProcess>()

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'beach-email-'))
  office = await postOffice()
})
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL')
  children.clear()
  await office.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Starts the agent; `hangsAt` is where it stops, as if the power had failed there. */
async function agent(hangsAt = '') {
  const args = ['--conditions=@cool-ai/source', program, join(folder, 'beach.db'), String(office.port), hangsAt]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  children.add(child)
  const lines: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
  await until(() => lines.some((line) => line.startsWith('port ')))
  return {
    port: Number(lines.find((line) => line.startsWith('port '))?.slice('port '.length)),
    said: (text: string) => until(() => lines.includes(text)),
    async kill() {
      child.kill('SIGKILL')
      await once(child, 'exit')
      children.delete(child)
    },
  }
}

const guest = 'guest@unknown.example'
const mail = (n: number, more: object = {}) =>
  written({ from: guest, to: 'agent@corp.example', messageId: `<m${n}@unknown.example>`, text: `hello ${n}`, ...more })
const post = async (port: number, raw: string) => deliver(port, raw, { from: guest, to: ['agent@corp.example'] })

test('a process that is killed between taking a mail and answering it loses nothing, and nothing is answered twice', async () => {
  const first = await agent('turn')
  await post(first.port, await mail(1))
  await first.said('hanging')
  await first.kill()
  // It is killed again, now with an answer that could not be sent.
  office.state = 'out-of-order'
  const second = await agent()
  await until(() => office.attempts.length > 0)
  await second.kill()
  office.state = 'working'
  const third = await agent()
  await until(() => office.inbox(guest).length === 1)
  // The sender's server comes again with what it had brought already, and then the conversation goes on.
  await post(third.port, await mail(1))
  const [answer] = office.inbox(guest)
  await post(third.port, await mail(2, { inReplyTo: answer?.email.messageId }))
  await until(() => office.inbox(guest).length === 2)
  expect(office.inbox(guest).map(({ email }) => email.text?.trim())).toEqual(['You said: hello 1', 'You said: hello 2'])
  const sessions = office.inbox(guest).map(({ email }) => email.messageId?.split('.')[1])
  expect(new Set(sessions).size).toBe(1)
  expect(new Set(office.attempts).size).toBe(2)
}, 60_000)
