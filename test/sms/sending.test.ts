import type { ActorContext } from '@cool-ai/beach'
import { createLogger, systemRuntime, type AuthoredPart, type Part } from '@cool-ai/beach-core'
import { segmentsOf, smsOriginator } from '@cool-ai/beach-phones'
import { describe, expect, test } from 'vitest'
import { echo, movableClock, operator, until } from '../support/phone-context.ts'
import { anna, berta, smsContext, type SmsContext } from './sms-context.ts'

const scriptedReply =
  (...parts: AuthoredPart[]) =>
  async ({ respond }: ActorContext) =>
    respond({ parts, turnState: 'complete' })

async function answered({ twilio }: SmsContext, count = 1): Promise<string[]> {
  await twilio.write(anna, 'hello')
  await until(() => twilio.of(anna).length >= count)
  return twilio.of(anna).map(({ body }) => body)
}

const long = Array.from({ length: 600 }, (_, n) => `word${n}`).join(' ')

describe('an answer', () => {
  test('is plain text in the alphabet that is cheapest', async () => {
    const context = await smsContext()
    await context.start(scriptedReply({ partType: 'response', text: '**“Two”** flights – the *first* at 8…' }))
    const [text = ''] = await answered(context)
    expect(text).toBe('"Two" flights - the first at 8...')
    expect(segmentsOf(text)).toMatchObject({ encoding: 'GSM-7', segments: 1 })
  })

  test('that is long is shortened to the segments it may have, with a link to all of it', async () => {
    const context = await smsContext()
    const process = await context.start(scriptedReply({ partType: 'response', text: long }))
    const [text = ''] = await answered(context)
    expect(segmentsOf(text).segments).toBeLessThanOrEqual(6)
    const link = /\.\.\. All of it: https:\/\/agent\.example(\S+)$/.exec(text)?.[1]
    const response = await fetch(process.url + link)
    expect(await response.text()).toContain(`<h1>The whole message</h1><p>${long}</p>`)
    expect(link?.length).toBe('/l/'.length + 26)
    expect(response.headers.get('x-robots-tag')).toBe('noindex')
  })

  test('has a link that is good for a day, for its own text only', async () => {
    const context = await smsContext()
    const process = await context.start(scriptedReply({ partType: 'response', text: long }))
    const [text = ''] = await answered(context)
    const link = process.url + /agent\.example(\S+)$/.exec(text)?.[1]
    const statusOf = async (url: string, method = 'GET') => (await fetch(url, { method })).status
    expect(await statusOf(link)).toBe(200)
    expect(await statusOf(link.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a')))).toBe(404)
    expect(await statusOf(link.slice(0, -1))).toBe(404)
    expect(await statusOf(link, 'POST')).toBe(405)
    context.clock.aheadMs += 24 * 60 * 60 * 1_000
    expect(await statusOf(link)).toBe(404)
  })

  test('that is long comes in several where there is nothing to link to', async () => {
    const context = await smsContext()
    await context.start(scriptedReply({ partType: 'response', text: long }), { artifactLink: async () => undefined })
    const texts = await answered(context, 4)
    expect(texts.join(' ')).toBe(long)
  })

  test('that asks numbers what can be answered', async () => {
    const context = await smsContext()
    const question = { partType: 'clarify', text: 'From where?', metadata: { options: ['Gatwick', 'Luton'] } }
    await context.start(async ({ respond }) => respond({ parts: [question], turnState: 'clarifying' }))
    expect(await answered(context)).toEqual(['From where?\n1. Gatwick\n2. Luton\n\nReply with a number to choose.'])
  })
})

describe('files', () => {
  test('that go out are signed links that expire, for one file only', async () => {
    const context = await smsContext()
    const about = { mimeType: 'application/pdf', tenant: 'default' }
    const one = await context.files.artifacts.put(Buffer.from('%PDF-1.4 one'), { name: 'one.pdf', ...about })
    const other = await context.files.artifacts.put(Buffer.from('%PDF-1.4 other'), { name: 'other.pdf', ...about })
    const { artifactId, mimeType, sizeBytes, name } = one
    const process = await context.start(
      scriptedReply(
        { partType: 'response', text: 'Here.' },
        { partType: 'artifact', data: { artifactId, mimeType, sizeBytes, name } },
      ),
    )
    const [text = ''] = await answered(context)
    const link = /^Here\.\none\.pdf: https:\/\/agent\.example(\S+)$/.exec(text)?.[1] ?? ''
    const response = await fetch(process.url + link)
    expect(await response.text()).toBe('%PDF-1.4 one')
    expect(response.headers.get('x-robots-tag')).toBe('noindex')
    expect((await fetch(process.url + link.replace(/\.[^.]/, '.A'))).status).toBe(404)
    expect((await fetch(process.url + link.replace(artifactId, other.artifactId))).status).toBe(404)
    context.clock.aheadMs += 2 * 60 * 60 * 1_000
    expect((await fetch(process.url + link)).status).toBe(410)
  })

  test('that go out have names in which nothing is unseen', async () => {
    const context = await smsContext()
    const { artifactId, mimeType, sizeBytes } = await context.files.artifacts.put(Buffer.from('%PDF-1.4 x'), {
      name: 'x.pdf',
      mimeType: 'application/pdf',
      tenant: 'default',
    })
    const name = 'invoice\u202Efdp.exe\u200B'
    await context.start(scriptedReply({ partType: 'artifact', data: { artifactId, mimeType, sizeBytes, name } }))
    const [text = ''] = await answered(context)
    expect(text).toMatch(/^invoice\\u\{202e\}fdp\.exe\\u\{200b\}: https:/)
  })

  test('that come in are artifacts; those that are too large are refused, and the sender is told', async () => {
    const context = await smsContext()
    const got: Part[] = []
    await context.start(
      async ({ messages, respond }) => {
        got.push(...messages.flatMap(({ parts }) => parts))
        await respond({ parts: [{ partType: 'response', text: 'Nice.' }], turnState: 'complete' })
      },
      { maxMediaBytes: 100 },
    )
    await context.twilio.write(anna, 'my cat', { fields: context.twilio.attach(Buffer.alloc(50, 'x'), 'image/jpeg') })
    await until(() => context.twilio.of(anna).length === 1)
    expect(got).toMatchObject([{ text: 'my cat' }, { data: { mimeType: expect.any(String), sizeBytes: 50 } }])
    await context.twilio.write(anna, '', { fields: context.twilio.attach(Buffer.alloc(500, 'x'), 'image/jpeg') })
    await until(() => context.twilio.of(anna).at(-1)?.body.includes('too large') === true)
  })

  test('that are elsewhere than at Twilio are fetched without its credentials, and not from within', async () => {
    const context = await smsContext()
    const asked: { url: string; authorization: string | null }[] = []
    await context.start(echo, {
      fetch: async (url, init) => {
        const authorization = new Headers(init.headers).get('authorization')
        if (!url.startsWith('https://elsewhere.example')) return fetch(url, init)
        asked.push({ url, authorization })
        return new Response('gone', { status: 404 })
      },
    })
    const fields = { NumMedia: '1', MediaUrl0: 'https://elsewhere.example/x', MediaContentType0: 'image/png' }
    await context.twilio.write(anna, '', { fields })
    await until(() => context.twilio.of(anna).at(-1)?.body.includes('could not fetch') === true)
    expect(asked).toEqual([{ url: 'https://elsewhere.example/x', authorization: null }])
  })
})

describe('when Twilio is not well', () => {
  test.each([
    [
      'too many requests',
      { status: 429, body: { code: 20_429, message: 'Too many' }, headers: { 'retry-after': '1' } },
    ],
    ['something of its own', { status: 500, body: 'oops' }],
    ['a token that is being renewed', { status: 401, body: { code: 20_003, message: 'Authenticate' } }],
  ])('with %s, the answer is sent later, once', async (_, fault) => {
    const context = await smsContext()
    await context.start(echo)
    context.twilio.server.failNext({ kind: 'answer', ...fault })
    expect(await answered(context)).toEqual(['You said: hello'])
    expect(context.twilio.attempts.length).toBe(2)
  })

  test('and its answer is lost, nothing is sent twice: it is asked what it has sent', async () => {
    const context = await smsContext()
    const { beach } = await context.start(echo)
    context.twilio.server.failNext({ kind: 'lost' })
    await answered(context)
    const { items } = await beach.sessions.list({}, operator)
    const session = items[0]?.sessionId ?? ''
    await until(async () => (await beach.sessions.view(session, operator)).inFlight.length === 0)
    expect([context.twilio.of(anna).length, context.twilio.attempts.length]).toEqual([1, 1])
  })

  test('and it never answers, the same text is sent anew though an older one is like it', async () => {
    const context = await smsContext()
    await context.start(echo)
    await answered(context)
    context.twilio.server.failNext({ kind: 'hang' })
    expect(await answered(context, 2)).toEqual(['You said: hello', 'You said: hello'])
  })
})

test('no secret is in what is logged, whatever goes wrong', async () => {
  const lines: string[] = []
  const logger = createLogger({ level: 'debug', write: (line) => lines.push(line) })
  const { runtime } = movableClock(systemRuntime({ logger }))
  const context = await smsContext()
  const broken = async () => {
    throw new Error('connect ECONNREFUSED')
  }
  await context.start(echo, { runtime, fetch: broken, push: { attempts: 2, firstDelayMs: 1 } })
  await context.twilio.write(anna, 'hello')
  await until(() => lines.length > 0)
  const all = lines.join('\n')
  expect(all).toContain('Twilio was not reached')
  for (const word of [context.twilio.authToken, anna]) expect(all).not.toContain(word)
})

describe('a number that may be there to be written to', () => {
  test.each([
    ['of a premium range', '+499001123456'],
    ['of another country', '+12025550123'],
    ['of a satellite network', '+870773111632'],
    ['that is a short code', '12345'],
  ])('gets no answer: one %s', async (_, from) => {
    const context = await smsContext()
    const { beach } = await context.start(echo)
    const { twilio } = context
    expect((await twilio.deliver(twilio.fields(from, 'hello'))).status).toBe(200)
    await twilio.deliver(twilio.fields(anna, 'marker'))
    await until(() => twilio.of(anna).length === 1)
    expect(twilio.of(from)).toEqual([])
    expect((await beach.sessions.list({}, operator)).items).toHaveLength(1)
  })

  test('is not written to for a session either: that is a dead letter', async () => {
    const context = await smsContext()
    const { beach } = await context.start(echo)
    const principal = { kind: 'user', id: 'eve', tenant: 'default' } as const
    const session = await beach.sessions.open({ principal })
    await beach.sessions.join(session, smsOriginator({ phone: '+499001123456', principal }), principal)
    const from = { id: 'page', transport: 'sse', deliveryClass: 'streaming', principal } as const
    const parts = [{ text: 'hello', metadata: { partType: 'message' } }]
    await beach.sessions.post(session, { parts, from }, principal)
    await until(async () => (await beach.sessions.view(session, principal)).deadLetters.length === 1)
    expect(context.twilio.of('+499001123456')).toEqual([])
  })
})

test('one person gets no more than their share of messages, and the rest later', async () => {
  const context = await smsContext()
  await context.start(echo, { limits: { messagesPerHour: 2 } })
  const { twilio } = context
  for (let n = 0; n < 4; n++) await twilio.deliver(twilio.fields(anna, `hello ${n}`))
  await until(() => twilio.of(anna).length === 2)
  await twilio.deliver(twilio.fields(berta, 'marker'))
  await until(() => twilio.of(berta).length === 1)
  expect(twilio.of(anna)).toHaveLength(2)
  context.clock.aheadMs += 60 * 60_000
  await until(() => twilio.of(anna).length === 4)
})
