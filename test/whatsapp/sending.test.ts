import type { ActorContext } from '@cool-ai/beach'
import { createLogger, systemRuntime, type AuthoredPart, type Part } from '@cool-ai/beach-core'
import { whatsAppOriginator, type MessageState } from '@cool-ai/beach-phones'
import { describe, expect, test } from 'vitest'
import { echo, movableClock, operator, until } from '../support/phone-context.ts'
import { anna, whatsAppContext, type WhatsAppContext } from './whatsapp-context.ts'

const dayMs = 24 * 60 * 60 * 1_000
const scriptedReply =
  (...parts: AuthoredPart[]) =>
  async ({ respond }: ActorContext) =>
    respond({ parts, turnState: 'complete' })

async function answered(context: WhatsAppContext, count = 1) {
  await context.standIn.text(anna, 'hello')
  await until(() => context.standIn.of(anna).length >= count)
  return context.standIn.of(anna)
}

describe('an answer', () => {
  test('of any length comes in pieces that WhatsApp takes, cut between words', async () => {
    const context = await whatsAppContext()
    const text = Array.from({ length: 1_300 }, (_, n) => `word${n}`).join(' ')
    await context.start(scriptedReply({ partType: 'response', text }))
    const got = await answered(context, 3)
    expect(got.every((message) => message.text.length <= 4_096)).toBe(true)
    expect(got.map((message) => message.text).join(' ')).toBe(text)
  })

  test('has the marks of WhatsApp for those of Markdown', async () => {
    const context = await whatsAppContext()
    await context.start(
      scriptedReply({ partType: 'response', text: '# Flights\n**BA 2043** is *direct*: [book](https://ba.example/x)' }),
    )
    const [got] = await answered(context)
    expect(got?.text).toBe('*Flights*\n*BA 2043* is _direct_: book (https://ba.example/x)')
  })

  test.each([
    ['three short answers are buttons', ['Gatwick', 'Heathrow', 'Luton'], 'button'],
    ['four are a list', ['Gatwick', 'Heathrow', 'Luton', 'Stansted'], 'list'],
    [
      'a long one makes it a list',
      ['Gatwick', 'London City Airport, by the river and near the centre of it all'],
      'list',
    ],
  ])('%s, and what is tapped is what was said', async (_, options, type) => {
    const context = await whatsAppContext()
    const gathered: string[] = []
    await context.start(async ({ text, respond }) => {
      gathered.push(text.trim())
      if (gathered.length > 1)
        return respond({ parts: [{ partType: 'response', text: 'Thanks.' }], turnState: 'complete' })
      const question = { partType: 'clarify', text: 'From where?', metadata: { options } }
      return respond({ parts: [question], turnState: 'clarifying' })
    })
    const [question] = await answered(context)
    expect(question?.content.interactive?.type).toBe(type)
    const rows = question?.content.interactive?.action.sections?.[0]?.rows
    const buttons = question?.content.interactive?.action.buttons?.map(({ reply }) => reply)
    const last = (rows ?? buttons)?.at(-1)
    if (question !== undefined) await context.standIn.tap(anna, question, last?.title ?? '')
    await until(() => context.standIn.of(anna).length === 2)
    expect(gathered[1]).toBe(options.at(-1))
  })

  test('goes on in the conversation of the message that it replies to', async () => {
    const context = await whatsAppContext()
    const process = await context.start(echo)
    const [first] = await answered(context)
    context.clock.aheadMs += 2 * dayMs
    await context.standIn.text(anna, 'something else')
    await until(() => context.standIn.of(anna).length === 2)
    await context.standIn.text(anna, 'about the first', { replyTo: first?.id ?? '' })
    await until(() => context.standIn.of(anna).length === 3)
    const { items } = await process.beach.sessions.list({}, operator)
    const said = await Promise.all(items.map(({ sessionId }) => process.beach.sessions.view(sessionId, operator)))
    expect(items.length).toBe(2)
    expect(said.length).toBe(2)
    const reader = { id: 'x', transport: 'sse', deliveryClass: 'streaming', principal: operator } as const
    const texts = await Promise.all(
      items.map(async ({ sessionId }) => {
        const frames = await Array.fromAsync(process.beach.sessions.history(sessionId, reader))
        return frames.flatMap((frame) => (frame.kind === 'part' && frame.role === 'user' ? [frame.part.text] : []))
      }),
    )
    expect(texts).toContainEqual(['hello', 'about the first'])
  })
})

describe('files', () => {
  test('that come in are artifacts of the session, with what was written under them', async () => {
    const context = await whatsAppContext()
    const got: Part[] = []
    await context.start(async ({ messages, respond }) => {
      got.push(...messages.flatMap(({ parts }) => parts))
      await respond({ parts: [{ partType: 'response', text: 'Nice.' }], turnState: 'complete' })
    })
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
    await context.standIn.file(anna, 'image', { bytes: png, mimeType: 'image/png', caption: 'my cat' })
    await until(() => context.standIn.of(anna).length === 1)
    expect(got[0]).toMatchObject({ text: 'my cat' })
    const { artifactId } = (got[1] ?? { data: {} }).data as { artifactId: string }
    const stored = await context.files.artifacts.get(artifactId, 'default')
    expect(stored?.artifact).toMatchObject({ mimeType: 'image/png', sizeBytes: 16, name: 'image.png' })
    expect(Buffer.from(await new Response(stored?.open()).arrayBuffer())).toEqual(png)
  })

  test.each([
    ['larger than is taken', { maxMediaBytes: 10 }, {}, 'too large'],
    ['sent where none are kept', { artifacts: undefined }, { data: { artifacts: undefined } }, 'cannot accept files'],
  ])('that are %s are refused, and the sender is told', async (_, more, beach, notice) => {
    const context = await whatsAppContext()
    const process = await context.start(echo, more, beach)
    await context.standIn.file(anna, 'document', {
      bytes: Buffer.alloc(500, 'x'),
      mimeType: 'text/plain',
      filename: 'a.txt',
    })
    await until(() => context.standIn.of(anna).some(({ text }) => text.includes(notice)))
    expect((await process.beach.sessions.list({}, operator)).items.length).toBe(0)
  })

  test('that go out are sent as such where WhatsApp takes them, and otherwise by a link', async () => {
    const context = await whatsAppContext()
    const put = (name: string, mimeType: string) =>
      context.files.artifacts.put(Buffer.from('%PDF-1.4 the itinerary'), { name, mimeType, tenant: 'default' })
    const [pdf, csv] = [await put('trip.pdf', 'application/pdf'), await put('trip.csv', 'text/csv')]
    const part = ({ artifactId, mimeType, sizeBytes, name }: typeof pdf) => ({
      partType: 'artifact',
      data: { artifactId, mimeType, sizeBytes, name },
    })
    await context.start(scriptedReply({ partType: 'response', text: 'Here.' }, part(pdf), part(csv)))
    const [, document, link] = await answered(context, 3)
    expect(document?.content.document?.filename).toBe('trip.pdf')
    const uploaded = context.standIn.media.get(document?.content.document?.id ?? '')
    expect(uploaded).toEqual({ bytes: Buffer.from('%PDF-1.4 the itinerary'), mimeType: 'application/pdf' })
    expect(link?.text).toMatch(/^trip\.csv: https:\/\/agent\.example\/artifacts\/\S+token=/)
  })

  test('that go out have names in which nothing is unseen', async () => {
    const context = await whatsAppContext()
    const put = (mimeType: string) =>
      context.files.artifacts.put(Buffer.from('%PDF-1.4 x'), { name: 'x.pdf', mimeType, tenant: 'default' })
    const parts = [await put('application/pdf'), await put('text/csv')].map(({ artifactId, mimeType, sizeBytes }) => ({
      partType: 'artifact',
      data: { artifactId, mimeType, sizeBytes, name: 'invoice\u202Efdp.exe' },
    }))
    await context.start(scriptedReply(...parts))
    const [document, link] = await answered(context, 2)
    expect(document?.content.document?.filename).toBe('invoice\\u{202e}fdp.exe')
    expect(link?.text).toMatch(/^invoice\\u\{202e\}fdp\.exe: https:/)
  })
})

describe('when WhatsApp is not well', () => {
  test.each([
    ['too many requests', { status: 429, headers: { 'retry-after': '1' } }],
    ['too much throughput', { status: 400, body: { error: { code: 130_429, message: 'Rate limit hit' } } }],
    ['too much to one person', { status: 400, body: { error: { code: 131_056, message: 'Pair rate limit hit' } } }],
    ['something of its own', { status: 500, body: 'oops' }],
    ['a token that is being renewed', { status: 401, body: { error: { code: 190, message: 'Expired' } } }],
  ])('with %s, the answer is sent later, once', async (_, fault) => {
    const context = await whatsAppContext()
    await context.start(echo)
    const begun = context.clock.now()
    context.standIn.server.failNext({ kind: 'answer', ...fault })
    await answered(context)
    expect(context.standIn.attempts.length).toBe(2)
    expect(context.standIn.of(anna).length).toBe(1)
    if ('headers' in fault) expect(context.clock.now() - begun).toBeGreaterThanOrEqual(1_000)
  })

  test('and its answer is lost, nothing is sent twice: it says itself that it was sent', async () => {
    const context = await whatsAppContext()
    await context.start(echo)
    context.standIn.server.failNext({ kind: 'lost' })
    await answered(context)
    await context.standIn.text({ phone: '4915199999999' }, 'marker')
    await until(() => context.standIn.of({ phone: '4915199999999' }).length === 1)
    expect(context.standIn.of(anna).length).toBe(1)
    expect(new Set(context.standIn.attempts).size).toBe(context.standIn.attempts.length)
  })

  test('and says late that it has sent something, that is waited for', async () => {
    const context = await whatsAppContext()
    const { beach } = await context.start(echo)
    context.standIn.tellsSent = false
    context.standIn.server.failNext({ kind: 'lost' })
    const [message] = await answered(context)
    const [known] = await context.store.list('correspondent:whatsapp:default:user:')
    const tries = async () => {
      const events = await context.store.read(`person:whatsapp:default:${known?.value}`, 0)
      return events.filter(({ data }) => (data as { type: string }).type === 'trying').length
    }
    await until(async () => (await tries()) === 2)
    if (message !== undefined) await context.standIn.status(message, 'sent')
    const { items } = await beach.sessions.list({}, operator)
    const session = items[0]?.sessionId ?? ''
    await until(async () => (await beach.sessions.view(session, operator)).inFlight.length === 0)
    expect([context.standIn.of(anna).length, context.standIn.attempts.length]).toEqual([1, 1])
  })

  test('in the middle of a long answer, what was sent is not sent again', async () => {
    const context = await whatsAppContext()
    const text = Array.from({ length: 1_300 }, (_, n) => `word${n}`).join(' ')
    const process = await context.start(scriptedReply({ partType: 'response', text }))
    context.standIn.server.saw = () => {
      if (context.standIn.received.length === 1) context.standIn.server.lasting = { kind: 'answer', status: 500 }
    }
    await answered(context)
    await process.stop()
    context.standIn.server.saw = () => {}
    context.standIn.server.lasting = undefined
    await context.start(echo)
    await until(() => context.standIn.of(anna).length === 3)
    expect(
      context.standIn
        .of(anna)
        .map((message) => message.text)
        .join(' '),
    ).toBe(text)
  })
})

describe('the 24 hours', () => {
  /** An agent that answers when it is told to. */
  function later() {
    const gate = Promise.withResolvers<void>()
    return {
      gate,
      actor: async ({ text, respond }: ActorContext) => {
        await gate.promise
        await respond({ parts: [{ partType: 'response', text: `At last:\n${text.trim()}` }], turnState: 'complete' })
      },
    }
  }

  test('are kept: an answer after them is a template', async () => {
    const context = await whatsAppContext()
    context.standIn.templates.set('notice:en', 0)
    const { gate, actor } = later()
    await context.start(actor, { templates: { notice: { name: 'notice', language: 'en' } } })
    await context.standIn.text(anna, 'hello')
    context.clock.aheadMs += dayMs + 1
    gate.resolve()
    await until(() => context.standIn.of(anna).length === 1)
    expect(context.standIn.of(anna)[0]).toMatchObject({ type: 'template', text: 'At last: hello' })
    expect(context.standIn.attempts.length).toBe(1)
  })

  test('a template has dots for line breaks, and no lines that only divide', async () => {
    const context = await whatsAppContext()
    context.standIn.templates.set('notice:en', 0)
    const { gate, actor } = later()
    await context.start(actor, { templates: { notice: { name: 'notice', language: 'en' } } })
    await context.standIn.text(anna, 'a basket\n\nBA 2043\n---\nTotal £374.00')
    context.clock.aheadMs += dayMs + 1
    gate.resolve()
    await until(() => context.standIn.of(anna).length === 1)
    expect(context.standIn.of(anna)[0]?.text).toBe('At last: a basket · BA 2043 · Total £374.00')
  })

  test('what has gone as a template does not go again as text when the person writes before that is known', async () => {
    const context = await whatsAppContext()
    context.standIn.templates.set('notice:en', 0)
    const { gate, actor } = later()
    await context.start(actor, { templates: { notice: { name: 'notice', language: 'en' } } })
    await context.standIn.text(anna, 'hello')
    context.clock.aheadMs += dayMs + 1
    context.standIn.server.failNext({ kind: 'lost' })
    gate.resolve()
    await until(() => context.standIn.of(anna).length === 1)
    await context.standIn.text(anna, 'again')
    const [template] = context.standIn.of(anna)
    if (template === undefined) throw new Error('Nothing came.')
    await context.standIn.status(template, 'sent')
    await until(() => context.standIn.of(anna).length > 1)
    await context.standIn.text(anna, 'and again')
    await until(() => context.standIn.of(anna).some(({ text }) => text.includes('and again')))
    expect(context.standIn.of(anna).map(({ type, text }) => [type, text])).toEqual([
      ['template', 'At last: hello'],
      ['text', 'At last:\nagain'],
      ['text', 'At last:\nand again'],
    ])
  })

  test('are kept by WhatsApp: when it says that they are over, a template is sent', async () => {
    const context = await whatsAppContext()
    context.standIn.templates.set('notice:en', 0)
    await context.start(echo, { templates: { notice: { name: 'notice', language: 'en' } } })
    context.standIn.server.failNext({
      kind: 'answer',
      status: 400,
      body: { error: { code: 131_047, message: 'Re-engage' } },
    })
    await answered(context)
    expect(context.standIn.of(anna)[0]).toMatchObject({ type: 'template', text: 'You said: hello' })
  })

  test('a long answer after them is a template with a link to all of it', async () => {
    const context = await whatsAppContext()
    context.standIn.templates.set('notice:en', 0)
    const text = Array.from({ length: 500 }, (_, n) => `word${n}`).join(' ')
    const process = await context.start(scriptedReply({ partType: 'response', text }), {
      templates: { notice: { name: 'notice', language: 'en' } },
    })
    context.standIn.server.failNext({
      kind: 'answer',
      status: 400,
      body: { error: { code: 131_047, message: 'Re-engage' } },
    })
    const [got] = await answered(context)
    const link = /All of it: https:\/\/agent\.example(\S+)$/.exec(got?.text ?? '')?.[1]
    expect(await (await fetch(process.url + link)).text()).toBe(text)
  })
})

describe('what WhatsApp says of our messages', () => {
  test('is known, in whichever order it comes, and told', async () => {
    const context = await whatsAppContext()
    const reported: MessageState[] = []
    const { channel } = await context.start(echo, { onStatus: (state) => reported.push(state) })
    const [message] = await answered(context)
    if (message === undefined) throw new Error('Nothing came.')
    for (const status of ['read', 'delivered', 'sent'])
      expect((await context.standIn.status(message, status)).status).toBe(200)
    const principal = { kind: 'user', id: 'x', tenant: 'default' } as const
    const states = await channel.states(whatsAppOriginator({ ...anna, principal }))
    expect(states).toMatchObject([{ messageId: message.id, status: 'read' }])
    await context.standIn.status(message, 'failed', 131_026)
    expect(reported.at(-1)).toMatchObject({ messageId: message.id, status: 'failed', code: '131026' })
  })
})

test('no secret is in what is logged, whatever goes wrong', async () => {
  const lines: string[] = []
  const logger = createLogger({ level: 'debug', write: (line) => lines.push(line) })
  const { runtime } = movableClock(systemRuntime({ logger }))
  const context = await whatsAppContext()
  await context.start(echo, {
    runtime,
    fetch: async () => {
      throw new Error('connect ECONNREFUSED')
    },
    push: { attempts: 2, firstDelayMs: 1 },
  })
  await context.standIn.text(anna, 'hello')
  await until(() => lines.length > 0)
  await context.standIn.deliver('{}', { 'x-hub-signature-256': 'sha256=00' })
  const all = lines.join('\n')
  expect(all).toContain('WhatsApp was not reached')
  for (const word of [
    context.standIn.accessToken,
    context.standIn.appSecret,
    context.standIn.verifyToken,
    anna.phone,
  ]) {
    expect(all).not.toContain(word)
  }
})
