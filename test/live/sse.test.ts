import { createBeach } from '@cool-ai/beach'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { expect, test } from 'vitest'
import { answerTo } from '../../examples/hello/hello-actor.ts'
import { Conversation } from '../support/conversation.ts'
import { readEvents } from '../support/server-events.ts'
import { startServer } from '../support/server-process.ts'
import { call, echo, openSession, runtime, startAgent } from './agent.ts'

test('any number of viewers of a session get all of it', async (context) => {
  const { url } = await startAgent(context)
  const { sessionId, token } = await openSession(url)
  const session = `${url}/sessions/${sessionId}`
  const headers = { authorization: `Bearer ${token}` }
  let isOpen = 0
  const viewers = Array.from({ length: 150 }, async () => {
    const texts: string[] = []
    const seen: string[] = []
    for await (const { event, data } of readEvents(`${session}/events`, headers)) {
      if (texts.length === 0) isOpen++
      seen.push(event)
      if (event === 'part') texts.push((data as { part: { text: string } }).part.text)
      if (event === 'settled') break
    }
    return texts
  })
  await call(`${session}/messages`, { token, body: { text: 'hello' } })
  for (const texts of await Promise.all(viewers)) expect(texts).toEqual(['hello', 'I see.', 'You said hello'])
  expect(isOpen).toBe(150)
})

test('the handler of Web-standard requests streams by itself, and lets go of who leaves', async (context) => {
  const beach = await createBeach({
    agent: { id: 'tester', name: 'Tester' },
    actors: { echo },
    store: new MemoryStore({ runtime }),
    secret: new Uint8Array(32).fill(7),
    limits: { streamsPerPrincipal: 1 },
    runtime,
  })
  context.onTestFinished(() => beach.close())
  const at = (path: string, init?: RequestInit) => beach.fetch(new Request(`http://localhost${path}`, init))
  const { sessionId, token } = (await (await at('/sessions', { method: 'POST' })).json()) as Record<string, string>
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ text: 'hello' })
  await at(`/sessions/${sessionId}/messages`, { method: 'POST', headers, body })
  const events = `/sessions/${sessionId}/events`
  const stream = await at(events, { headers })
  expect(stream.headers.get('content-type')).toBe('text/event-stream')
  let text = ''
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
  while (!text.includes('event: settled')) text += (await reader?.read())?.value ?? ''
  expect(text).toContain('You said hello')
  expect((await at(events, { headers })).status).toBe(429)
  await reader?.cancel()
  const leave = new AbortController()
  expect((await at(events, { headers, signal: leave.signal })).status).toBe(200)
  leave.abort()
  const last = await at(events, { headers })
  expect(last.status).toBe(200)
  await last.body?.cancel()
})

test.for(['sse', 'websocket'] as const)(
  'by %s, text that a killed server had half said is replaced by what it says when it starts anew',
  async (via, context) => {
    const server = await startServer(context)
    const talk = await Conversation.open(server.url, via)
    await talk.say('Can you survive this?')
    const said = () => talk.partOf('response')
    await talk.until(() => (said()?.text?.length ?? 0) > 150)
    expect(said()?.open).toBe(true)
    await server.kill9()
    await server.start()
    const texts: string[] = []
    talk.stream.on('change', () => texts.push(said()?.text ?? ''))
    await talk.settled(1)
    expect(said()).toMatchObject({ open: false, text: answerTo('Can you survive this?') })
    expect(talk.stream.parts.map(({ partType }) => partType)).toEqual(['message', 'ack', 'thinking', 'response'])
    // The turn was taken back and begun again.
    expect(Math.min(...texts.map(({ length }) => length))).toBeLessThan(150)
  },
)
