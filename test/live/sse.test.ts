import { testAgent } from '@cool-ai/beach-testing'
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
  const { beach, stop } = await testAgent({ actors: { echo }, access: { limits: { streamsPerPrincipal: 1 } }, runtime })
  context.onTestFinished(stop)
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

test.concurrent.for(['sse', 'websocket'] as const)(
  'by %s, text that a killed server had half said is replaced by what it says when it starts anew',
  async (via, context) => {
    const server = await startServer(context)
    const talk = await Conversation.open(server.url, via)
    await talk.say('Can you survive this?')
    const said = () => talk.partOf('response')
    await talk.until(() => (said()?.text?.length ?? 0) > 150)
    context.expect(said()?.open).toBe(true)
    await server.kill9()
    await server.start()
    const texts: string[] = []
    talk.stream.on('change', () => texts.push(said()?.text ?? ''))
    await talk.settled(1)
    context.expect(said()).toMatchObject({ open: false, text: answerTo('Can you survive this?') })
    context
      .expect(talk.stream.parts.map(({ partType }) => partType))
      .toEqual(['message', 'ack', 'thinking', 'response'])
    // The turn was taken back and begun again.
    context.expect(Math.min(...texts.map(({ length }) => length))).toBeLessThan(150)
  },
)

test('guests open so many sessions a minute from where they come, and are told when they may go on', async (context) => {
  const remoteAddress = ({ headers }: Request) => headers.get('x-from') ?? undefined
  const ann = { kind: 'user', id: 'ann', tenant: 'default' } as const
  const authenticators = [
    async ({ headers }: Request) =>
      headers.has('x-ann') ? { principal: ann, credential: { type: 'test' } } : undefined,
  ]
  const limits = { guestSessionsPerMinute: 2 }
  const { url } = await startAgent(context, { access: { limits, remoteAddress, authenticators } })
  const open = (headers: Record<string, string>) => call(`${url}/sessions`, { headers })
  const from = { 'x-from': '192.0.2.1' }
  expect(await open(from)).toMatchObject({ status: 201 })
  const cookie = ((await fetch(url)).headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  expect(await open({ ...from, cookie }), 'an unknown browser').toMatchObject({ status: 201 })
  const refused = await open({ ...from, cookie })
  expect(refused).toMatchObject({ status: 429, body: { error: { code: 'TOO_MANY' } } })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(20)
  expect(await open({ 'x-from': '192.0.2.2' })).toMatchObject({ status: 201 })
  expect(await open({ ...from, 'x-ann': '1' })).toMatchObject({ status: 201 })
})

test('pages of other sites open no sessions as guests, and http is another site than https', async (context) => {
  const publicUrl = 'https://agent.example'
  const hosts = ['agent.example']
  const { url } = await startAgent(context, { publicUrl, access: { hosts } })
  const evil = { origin: 'http://evil.example' }
  expect(await call(`${url}/sessions`, { headers: evil })).toMatchObject({ status: 403 })
  const { token } = await openSession(url)
  expect(await call(`${url}/sessions`, { headers: evil, token })).toMatchObject({ status: 403 })
  expect(await call(`${url}/sessions`, { token })).toMatchObject({ status: 201 })
  expect(await call(`${url}/sessions`, { headers: { origin: url } })).toMatchObject({ status: 201 })
  const page = () => new Response('<p>page</p>', { headers: { 'content-type': 'text/html' } })
  const { beach, stop } = await testAgent({ actors: { echo }, page, runtime, publicUrl, access: { hosts } })
  context.onTestFinished(stop)
  // As behind a proxy that speaks https with browsers.
  const at = (path: string, init?: RequestInit) => beach.fetch(new Request(`http://agent.example${path}`, init))
  const cookie = (await at('/')).headers.get('set-cookie') ?? ''
  expect(cookie).toContain('; Secure')
  const post = (origin: string) =>
    at('/sessions', { method: 'POST', headers: { cookie: cookie.split(';')[0] ?? '', origin } })
  expect((await post('https://agent.example')).status).toBe(201)
  for (const origin of ['http://agent.example', 'https://agent.example:8443'])
    expect((await post(origin)).status).toBe(403)
})
