import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { answerTo } from '../../examples/hello/hello-actor.ts'
import { startServer } from '../support/server-process.ts'
import { converse, settled, shown, until } from './agent.ts'

const program = 'test/client/hello-program.ts'

/** All that is said when the hello actor is told something, with the types of its parts. */
const story = (text: string) => [
  ['message', text],
  ['ack', `You said “${text}”.`],
  ['thinking', 'Looking for the right words.'],
  ['response', answerTo(text)],
]

describe.concurrent.for(['sse', 'websocket'] as const)('by %s, when the server is killed', (via) => {
  test('in the middle of an answer, nothing is lost and nothing is doubled', async (context) => {
    const server = await startServer(context, { program })
    const conversation = await converse(context, server.url, { via })
    const seen = shown(conversation)
    const reported: string[] = []
    const iterated: string[] = []
    conversation.stream.on('part', ({ partId }) => reported.push(partId))
    const reading = (async () => {
      for await (const { partId } of conversation.stream) iterated.push(partId)
    })()
    void conversation.send('Can you survive this?')
    await until(conversation, ({ parts }) => parts.some(({ open, text = '' }) => open && text.length > 200))
    await server.kill9()
    await until(conversation, ({ connection }) => connection.state !== 'open')
    const before = conversation.snapshot.parts.at(-1)?.text ?? ''
    expect(before.length, 'what was shown stays').toBeGreaterThan(200)
    await server.start()
    const { parts } = await settled(conversation)

    expect(parts.map(({ partType, text }) => [partType, text])).toEqual(story('Can you survive this?'))
    const ids = parts.map(({ partId }) => partId)
    expect(new Set(ids).size).toBe(4)
    expect(reported).toEqual(ids)
    conversation.close()
    await reading
    expect(iterated).toEqual(ids)
    // The turn had to start anew: what was shown is replaced by the same words, in the same place.
    const answer = seen.get(ids.at(-1) ?? '') ?? []
    const whole = answerTo('Can you survive this?')
    for (const text of answer) expect(whole.startsWith(text)).toBe(true)
    expect(answer.filter((text, index) => text.length < (answer[index - 1]?.length ?? 0)).length).toBeLessThanOrEqual(1)
  })

  test('before a message is sent, the message is shown, and arrives once when the server is back', async (context) => {
    const server = await startServer(context, { program })
    const conversation = await converse(context, server.url, { via })
    await until(conversation, ({ connection }) => connection.state === 'open')
    await server.kill9()
    const posting = conversation.send('Are you there?')
    const { pending } = await until(conversation, (now) => now.pending[0]?.state === 'waiting')
    expect(pending).toMatchObject([{ parts: [{ text: 'Are you there?' }], error: { code: 'UNREACHABLE' } }])
    await server.start()
    expect(await posting).toMatchObject({ duplicate: false })
    const { parts } = await settled(conversation)
    expect(parts.map(({ partType, text }) => [partType, text])).toEqual(story('Are you there?'))
  })
})

test.concurrent('a program that waits for a connection does not end meanwhile, and ends when there is nothing to wait for', async (context) => {
  const server = await startServer(context, { program })
  const { sessionId } = await converse(context, server.url)
  await server.kill9()
  const follower = spawn(
    process.execPath,
    ['--conditions=@cool-ai/source', 'test/client/follower-program.ts', server.url, sessionId],
    { cwd: fileURLToPath(new URL('../../', import.meta.url)), stdio: ['ignore', 'pipe', 'inherit'] },
  )
  context.onTestFinished(() => void follower.kill('SIGKILL'))
  const ended = once(follower, 'exit')
  const lines = createInterface({ input: follower.stdout })[Symbol.asyncIterator]()
  const next = async () => (await lines.next()).value
  expect(await next()).toBe('waiting')
  await server.start()
  let last: string | undefined
  // It has no credential, so the agent turns it away.
  for (let line = await next(); line !== undefined; line = await next()) last = line
  expect(last).toBe('closed')
  expect((await ended)[0]).toBe(0)
})
