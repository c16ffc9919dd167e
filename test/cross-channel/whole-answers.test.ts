import { createBeach, defineActor, serve } from '@cool-ai/beach'
import { guardedFetch } from '@cool-ai/beach-channel/guarded-fetch'
import { email } from '@cool-ai/beach-email'
import { sms, whatsApp } from '@cool-ai/beach-phones'
import { answerTo, deliver, domains, postOffice, written } from '@cool-ai/beach-testing/mail'
import { TwilioStandIn } from '@cool-ai/beach-testing/sms'
import { WhatsAppStandIn } from '@cool-ai/beach-testing/whatsapp'
import { expect, onTestFinished, test } from 'vitest'
import { says, send, stockClient } from '../a2a/agent.ts'
import { StockAgent } from '../agui/agent.ts'
import { connect } from '../mcp/support.ts'
import { Visitor } from '../previews/preview-context.ts'
import { flightActor, flights, type Received } from '../support/flight-agent.ts'
import { freePort } from '../support/free-port.ts'
import { LastingStore, movableClock, phoneFiles, quickPush, secret, until } from '../support/phone-context.ts'
import { readEvents } from '../support/server-events.ts'

// One answer with flights, through every channel: what does its reader lose? Nothing that the next question needs.

const anna = { address: 'anna@people.example', whatsApp: { phone: '4915100000001' }, sms: '+4915100000001' }
const address = 'agent@corp.example'

/** An agent with all channels, each with a stock client, a real server or a stand-in on its other side. */
async function everyChannel() {
  const clock = movableClock()
  const { runtime } = clock
  const whatsAppService = new WhatsAppStandIn(clock.now)
  const twilio = new TwilioStandIn(clock.now)
  const [office, port] = await Promise.all([
    postOffice(),
    freePort(),
    whatsAppService.server.listen(),
    twilio.server.listen(),
  ])
  const url = `http://127.0.0.1:${port}`
  const known = domains()
  known.add('people.example')
  const guarded = guardedFetch({ allow: [whatsAppService.server.origin, twilio.server.origin] })
  const phone = { fetch: (to: string, init: RequestInit) => guarded(to, init), push: quickPush }
  const mail = email({
    address,
    outbound: office.outbound,
    smtp: { host: '127.0.0.1', port: 0 },
    dns: known.dns,
    push: quickPush,
  })
  const received: Received[] = []
  const description = 'Finds flights.'
  const beach = await createBeach({
    agent: {
      schemaVersion: '1.0',
      id: 'sally',
      name: 'Sally',
      description,
      version: '1.0.0',
      capabilities: [{ id: 'flights', description }],
    },
    actors: { main: defineActor(flightActor(received)) },
    data: { store: new LastingStore({ runtime }), secret, artifacts: phoneFiles(clock, url).artifacts },
    runtime,
    publicUrl: url,
    channels: [
      mail,
      whatsApp({ ...phone, ...whatsAppService.account }),
      sms({ ...phone, ...twilio.account, publicUrl: twilio.publicUrl, countries: 'all' }),
    ],
  })
  const serving = await serve(beach, { port })
  whatsAppService.webhook = `${url}/channels/whatsapp`
  twilio.agent = url
  onTestFinished(async () => {
    await serving.close()
    await guarded.close()
    await Promise.all([office.close(), whatsAppService.close(), twilio.server.close()])
  })
  return { url, received, mail, office, known, whatsAppService, twilio }
}

type Every = Awaited<ReturnType<typeof everyChannel>>

/** A conversation: says something, and gives all that its reader gets of the answer. */
type Talk = (text: string) => Promise<string>

async function growing<Item>(list: () => readonly Item[], act: () => Promise<unknown>): Promise<readonly Item[]> {
  const before = list().length
  await act()
  await until(() => list().length > before)
  return list().slice(before)
}

const talks: Readonly<Record<string, (every: Every) => Promise<Talk>>> = {
  'server-sent events': async ({ url }) => {
    const visitor = await Visitor.open(url)
    const events = readEvents(`${url}/sessions/${visitor.session}/events`, visitor.headers)
    return async (text) => {
      await visitor.say(text)
      const got: string[] = []
      for (let next = await events.next(); next.done !== true; next = await events.next()) {
        got.push(JSON.stringify(next.value.data))
        if (next.value.event === 'settled') break
      }
      return got.join('\n')
    }
  },
  mail: async ({ mail, office, known }) => {
    let count = 0
    return async (text) => {
      const last = office.inbox(anna.address).at(-1)
      const head = { from: anna.address, to: address, messageId: `<${++count}@people.example>` }
      const raw = await written({ ...head, ...(last === undefined ? { text } : answerTo(last, text)) })
      const signed = await known.sign(raw, 'people.example')
      const to = last?.email.replyTo?.[0]?.address ?? address
      const post = () => deliver(mail.smtpPort() ?? 0, signed, { from: anna.address, to: [to] })
      const [answer] = await growing(() => office.inbox(anna.address), post)
      return `${answer?.email.text}`
    }
  },
  'mail as HTML': async (every) => {
    const talk = await talks.mail?.(every)
    return async (text) => {
      await talk?.(text)
      return `${every.office.inbox(anna.address).at(-1)?.email.html}`.replaceAll(/<[^>]+>/g, ' ')
    }
  },
  WhatsApp: async ({ whatsAppService: service }) => {
    return async (text) => {
      const got = await growing(
        () => service.of(anna.whatsApp),
        () => service.text(anna.whatsApp, text),
      )
      return got.map((message) => message.text).join('\n')
    }
  },
  SMS: async ({ twilio }) => {
    return async (text) => {
      const got = await growing(
        () => twilio.of(anna.sms),
        () => twilio.write(anna.sms, text),
      )
      return got.map(({ body }) => body).join('\n')
    }
  },
  A2A: async ({ url }) => {
    const client = await stockClient(url, 'JSONRPC 1.0', (await Visitor.open(url)).token)
    let contextId = ''
    return async (text) => {
      const task = await send(client, says(text, { contextId }))
      contextId = task.contextId
      return JSON.stringify(task.artifacts)
    }
  },
  'AG-UI': async ({ url }) => {
    const client = new StockAgent({ url, token: (await Visitor.open(url)).token })
    return async (text) => JSON.stringify((await client.say(text)).events)
  },
  MCP: async ({ url }) => {
    const client = await connect(new URL('/mcp', url), 'modern', { token: (await Visitor.open(url)).token })
    let conversationId: string | undefined
    return async (message) => {
      const given = { message, ...(conversationId !== undefined && { conversationId }) }
      const result = await client.callTool({ name: 'ask_sally', arguments: given })
      conversationId = (result.structuredContent as { conversationId: string }).conversationId
      return JSON.stringify(result.content)
    }
  },
}

const people = ['mail', 'WhatsApp', 'SMS']

test.each(Object.keys(talks))('by %s the answer has the number, time and price of each flight', async (channel) => {
  const talk = await talks[channel]?.(await everyChannel())
  const answer = (await talk?.('flights')) ?? ''
  for (const { flightNumber, departs, price, airline } of flights) {
    for (const fact of [flightNumber, departs, price, airline]) expect(answer).toContain(fact)
  }
})

test.each(people.flatMap((channel) => ['2', 'the second'].map((words) => [channel, words] as const)))(
  'by %s the reply “%s” chooses',
  async (channel, words) => {
    const every = await everyChannel()
    const talk = await talks[channel]?.(every)
    await talk?.('flights')
    expect(await talk?.(words)).toContain('easyJet U2 8021')
    expect(every.received.at(-1)?.parts.at(-1)).toMatchObject({
      metadata: { partType: 'choice' },
      data: { actions: [{ name: 'add_flight', context: { flightNumber: 'U2 8021', passengers: 2 } }, {}] },
    })
  },
)

test.each(['A2A', 'MCP'])('by %s, where the data itself comes, the reply names what is chosen', async (channel) => {
  const every = await everyChannel()
  const talk = await talks[channel]?.(every)
  const answer = await talk?.('flights')
  const [, second = ''] = [...(answer ?? '').matchAll(/flightNumber\\*": ?\\*"([A-Z0-9 ]+)/g)].map(([, found]) => found)
  await talk?.(`Add ${second}`)
  expect(every.received.at(-1)?.text).toBe('Add U2 8021')
})
