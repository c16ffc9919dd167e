import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Conversation } from '../support/conversation.ts'
import { startServer } from '../support/server-process.ts'

const program = 'test/clock/clock-program.ts'
const hourMs = 60 * 60 * 1_000

const hasFailed = ({ parts }: Conversation['stream']) => parts.some(({ partType }) => partType === 'error')
const isAnswered = ({ parts }: Conversation['stream']) => parts.some(({ partType }) => partType === 'response')

test('an agent whose clock was set back across a crash goes on with its turns, retries and conversations at once', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'beach-clock-'))
  context.onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const variables = { OFFSET_MS: String(hourMs), HANGS: 'yes' }
  const before = await startServer(context, { program, folder, variables })
  const [held, retried] = [await Conversation.open(before.url), await Conversation.open(before.url)]
  await held.say('hang')
  await retried.say('fail for long')
  await retried.until(hasFailed)
  await before.kill9()
  await startServer(context, { program, folder, port: before.port })
  await Promise.all([held.until(isAnswered), retried.until(isAnswered)])
  expect(held.partOf('response')?.text).toBe('answered: hang')
  expect(retried.partOf('response')?.text).toBe('answered: fail for long')
})

test('an agent whose clock is set back and forward while it runs tries a failed turn again when it was to', async (context) => {
  const server = await startServer(context, { program, variables: { HANGS: 'yes' } })
  for (const offset of [-hourMs, hourMs]) {
    const conversation = await Conversation.open(server.url)
    await conversation.say(`fail before ${offset}`)
    await conversation.until(hasFailed)
    await fetch(`${server.url}/set/${offset}`)
    await conversation.until(isAnswered)
    expect(conversation.partOf('response')?.text).toBe(`answered: fail before ${offset}`)
  }
})
