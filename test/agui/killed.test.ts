import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startServer } from '../support/server-process.ts'
import { clients, customs, frailFetch, type Ran } from './agent.ts'
import { Page } from './page.ts'

const program = 'test/agui/tools-program.ts'
const fine = ({ error, rejected, events }: Ran) =>
  expect({ error, rejected, notices: customs(events, 'beach.notice') }).toEqual({
    error: undefined,
    rejected: undefined,
    notices: [],
  })

/** The calls that a page shows, each with what came of it. */
function shown({ messages }: Page) {
  const results = new Map(
    messages.flatMap((message) =>
      message.role === 'tool' && typeof message.content === 'string'
        ? [[message.toolCallId, message.content] as const]
        : [],
    ),
  )
  const made = messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []))
  return made.map(({ id, function: { name } }) => `${name}: ${results.get(id) ?? 'open'}`)
}

describe.for(clients)('when the agent is killed, by %s', (client) => {
  test('a call waits for its client, which is called once', async (context) => {
    const server = await startServer(context, { program })
    const page = new Page({ url: server.url, client })
    fine(await page.say('paint'))
    await server.kill9()
    await server.start()
    fine(await page.answer())
    expect([page.texts(), page.ran, shown(page)]).toEqual([
      ['All done.'],
      ['paint {"colour":"red"}'],
      ['paint: painted'],
    ])
  })

  test('after a result was taken, the result stays, and a tool of the agent is shown once', async (context) => {
    const server = await startServer(context, { program })
    const { fetch } = frailFetch()
    const page = new Page({ url: server.url, client, fetch })
    fine(await page.say('paint look_up'))
    page.perform()
    let killed: Promise<void> | undefined
    await page.run({}, { onToolCallEndEvent: () => void (killed ??= server.kill9()) })
    await killed
    expect(shown(page)).toEqual(['paint: painted', 'look_up: open'])
    writeFileSync(join(server.folder, 'go'), '')
    await server.start()
    fine(await page.run())
    expect([page.texts(), page.ran.length, shown(page)]).toEqual([
      ['All done.'],
      1,
      ['paint: painted', 'look_up: Done.'],
    ])
    // It is idempotent, and so was run again.
    expect(readFileSync(join(server.folder, 'begun'), 'utf8')).toBe('..')
  })

  test('an approval, and the call after it, are still open', async (context) => {
    const server = await startServer(context, { program })
    const page = new Page({ url: server.url, client })
    const { interrupts } = await page.say('pay paint')
    await server.kill9()
    await server.start()
    fine(await page.run({ resume: [{ interruptId: interrupts[0]?.id ?? '', status: 'resolved', payload: true }] }))
    expect(page.pendingCalls).toMatchObject([{ function: { name: 'paint' } }])
    await server.kill9()
    await server.start()
    fine(await page.answer())
    expect([page.texts(), shown(page)]).toEqual([['All done.'], ['pay: Done.', 'paint: painted']])
  })
})
