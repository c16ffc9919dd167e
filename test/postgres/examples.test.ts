import { EnvelopeStream } from '@cool-ai/beach-protocol/stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { demoToday } from '../support/demo-today.ts'
import { newDatabase } from '../support/postgres.ts'
import { readEvents } from '../support/server-events.ts'
import { startServer } from '../support/server-process.ts'

type Frame = Parameters<EnvelopeStream['apply']>[0]

let database: Awaited<ReturnType<typeof newDatabase>>
beforeAll(async () => {
  database = await newDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

test('what one process of the travel agent has put into a basket, another one books', async (context) => {
  // Each has a folder of its own, as on machines of their own.
  const variables = {
    BEACH_STORE: database.url,
    BEACH_SECRET: 'the-processes-share-a-secret-of-32-bytes',
    BEACH_SCRIPT_MS: '0',
    DEMO_TODAY: demoToday,
  }
  const program = 'examples/travel/start.mjs'
  const one = await startServer(context, { program, variables })
  const other = await startServer(context, { program, variables })
  const opened = (await (await fetch(`${one.url}/sessions`, { method: 'POST' })).json()) as Record<string, string>
  const headers = { authorization: `Bearer ${opened.token}`, 'content-type': 'application/json' }
  const path = `sessions/${opened.sessionId}`
  const stream = new EnvelopeStream()
  const say = async (to: string, text: string, isEnough: () => boolean) => {
    const events = readEvents(`${other.url}/${path}/events`, {
      ...headers,
      ...(stream.lastCursor !== undefined && { 'last-event-id': stream.lastCursor }),
    })
    await fetch(`${to}/${path}/messages`, { method: 'POST', headers, body: JSON.stringify({ text }) })
    for await (const { event, id, data } of events) {
      stream.apply({ kind: event, ...(id !== undefined && { cursor: id }), ...(data as object) } as Frame)
      if (isEnough()) return
    }
  }
  const settled = (count: number) => () => stream.turns.filter((turn) => turn.settled).length === count
  const isAsked = () => stream.parts.some(({ partType }) => partType === 'approval-request')
  await say(one.url, 'find me flights to Corfu in August', settled(1))
  await say(one.url, 'add BA 2043', settled(2))
  await say(other.url, 'book it', () => isAsked() || settled(3)())
  expect(isAsked()).toBe(true)
})
