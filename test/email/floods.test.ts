import { connect } from 'node:net'
import { silentLogger, systemClock, systemRuntime } from '@cool-ai/beach-core'
import type { ActorContext } from '@cool-ai/beach-session'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { emailTestContext, until, type EmailTestContext } from './email-context.ts'
import { Person } from './person.ts'

let context: EmailTestContext

beforeEach(async () => {
  context = await emailTestContext()
  context.domains.add('people.example')
})
afterEach(() => context.close())

const echo = async ({ text, respond }: ActorContext) => {
  await respond({ parts: [{ partType: 'response', text: `You said: ${text}` }], turnState: 'complete' })
}

const hour = 60 * 60 * 1_000
const attack = { subject: 'Buy at evil.example', text: 'Click evil.example', signedBy: false } as const

describe('a sender who is not authenticated', () => {
  test('gets one notice a day, in words of our own, however often a stranger writes in its name', async () => {
    const victim = new Person(context, 'victim@unknown.example')
    const first = await context.start(echo)
    for (let n = 0; n < 4; n++) await expect(victim.write(first, attack)).rejects.toThrow('550')
    await first.stop()
    const second = await context.start(echo)
    await expect(victim.write(second, attack)).rejects.toThrow('unauthenticated')
    expect(victim.inbox()).toHaveLength(1)
    const [notice] = victim.inbox()
    expect(JSON.stringify(notice?.email)).not.toMatch(/evil|victim\.1@/)
    expect(notice?.email.subject).toBe('Your mail was not accepted')
    expect(notice?.email.headers.find(({ key }) => key === 'auto-submitted')?.value).toBe('auto-generated')
    expect((await second.sessions.list({}, { kind: 'operator', id: 'o', tenant: 'acme' })).items).toEqual([])
    expect(context.log.filter(({ message }) => message === 'a mail was refused')).toHaveLength(5)
  })

  test('is one of a few who get a notice because of one network', async () => {
    const process = await context.start(echo)
    const victims = Array.from({ length: 13 }, (_, n) => new Person(context, `victim${n}@unknown.example`))
    for (const victim of victims) await expect(victim.write(process, attack)).rejects.toThrow('550')
    expect(victims.filter((victim) => victim.inbox().length > 0)).toHaveLength(10)
  })

  test('gets no notice where its domain says that the mail is not from there', async () => {
    context.domains.add('open.example', 'none')
    const process = await context.start(echo)
    const victim = new Person(context, 'victim@open.example')
    await expect(victim.write(process, attack)).rejects.toThrow('unauthenticated')
    expect(victim.inbox()).toEqual([])
  })

  test('gets answers without the subject, where guests are wanted', async () => {
    const process = await context.start(echo, { guests: true })
    const guest = new Person(context, 'guest@unknown.example')
    await guest.write(process, { ...attack, text: 'hello' })
    await until(() => guest.inbox().length === 1)
    expect(guest.inbox()[0]?.email.subject).toBe('A message from Sally')
  })
})

describe('programs that answer each other', () => {
  test('come to rest, though each answer begins a new thread', async () => {
    const process = await context.start(echo)
    const bot = new Person(context, 'bot@people.example')
    let refused = 0
    for (let n = 0; n < 25; n++) {
      await bot.write(process, { subject: `Ticket ${n}`, text: 'Thank you for your mail.' }).catch((error: unknown) => {
        expect(String(error)).toContain('450')
        refused++
      })
    }
    expect(refused).toBe(5)
    await until(() => bot.inbox().length === 20)
  })

  test.each([
    ['X-Auto-Response-Suppress', 'All'],
    ['X-Loop', 'bot@people.example'],
    ['List-Unsubscribe', '<mailto:x@people.example>'],
  ])('are known by %s', async (name, value) => {
    const process = await context.start(echo)
    await new Person(context, 'bot@people.example').write(process, { text: 'x', headers: { [name]: value } })
    expect((await process.sessions.list({}, { kind: 'operator', id: 'o', tenant: 'acme' })).items).toEqual([])
  })
})

test('a person may begin fewer conversations in a day than the hours would allow', async () => {
  let aheadMs = 24 * hour - (Date.now() % (24 * hour))
  const clock = { ...systemClock, now: () => Date.now() + aheadMs }
  const moved = await emailTestContext({ runtime: { ...systemRuntime({ logger: silentLogger }), clock } })
  onTestFinished(() => moved.close())
  moved.domains.add('people.example')
  const process = await moved.start(echo, { limits: { conversationsPerHour: 1 } })
  const bot = new Person(moved, 'bot@people.example')
  const write = (n: number) => bot.write(process, { subject: `Ticket ${n}`, text: 'Thank you for your mail.' })
  for (let n = 0; n < 5; n++) {
    await write(n)
    aheadMs += hour
  }
  await expect(write(5)).rejects.toThrow('450')
  aheadMs += 19 * hour
  await write(6)
})

test.each([
  ['of one domain', ['anna@people.example', 'berta@people.example', 'carla@people.example'], { domainPerHour: 2 }],
  ['who are guests, by one network', ['a@one.example', 'b@two.example', 'c@three.example'], { senderPerHour: 2 }],
])('senders %s write no more together than they may', async (_, addresses, limits) => {
  const process = await context.start(echo, { guests: true, limits })
  const [first, second, third] = addresses.map((address) => new Person(context, address))
  const mail = { text: 'hello', ...(addresses[0]?.endsWith('people.example') ? {} : { signedBy: false as const }) }
  await first?.write(process, mail)
  await second?.write(process, mail)
  await expect(third?.write(process, mail)).rejects.toThrow('450')
})

const one = Array.from({ length: 5 }, () => 'anna@people.example')
const five = ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}@people.example`)

test.each([
  ['one address gets no more than its share of mails in an hour', one, { mailsPerHour: 3 }],
  ['one address gets no more than its share of mails in a day', one, { mailsPerDay: 3 }],
  ['all together get no more mails than the agent may send', five, { totalPerHour: 3 }],
])('%s, over all conversations', async (_, addresses, limits) => {
  const process = await context.start(echo, { limits })
  const people = new Map(addresses.map((address) => [address, new Person(context, address)]))
  const got = () => [...people.values()].flatMap((person) => person.inbox()).length
  for (const [n, address] of addresses.entries()) {
    await people.get(address)?.write(process, { subject: `thread ${n}`, text: 'hello' })
  }
  await until(() => got() === 3)
  const items = async () => (await process.sessions.list({}, { kind: 'operator', id: 'o', tenant: 'acme' })).items
  const held = async () => {
    const views = await Promise.all(
      (await items()).map(({ sessionId }) =>
        process.sessions.view(sessionId, { kind: 'operator', id: 'o', tenant: 'acme' }),
      ),
    )
    return views.filter(({ inFlight }) => inFlight.some(({ kind }) => kind === 'delivery')).length
  }
  await until(async () => (await held()) === 2)
  expect(got()).toBe(3)
})

/** A client of the receiver that sends what it wants, when it wants. */
async function client(port: number) {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  let received = ''
  socket.on('data', (data) => (received += data.toString()))
  const answered = (code: string) => until(() => new RegExp(`^${code} `, 'm').test(received))
  return {
    answered,
    received: () => received,
    async say(line: string, code: string) {
      received = ''
      socket.write(`${line}\r\n`)
      await answered(code)
    },
    send: (text: string) => new Promise<void>((resolve) => void socket.write(text, () => resolve())),
    /** Up to the point where a mail's content is expected. */
    async begin() {
      await answered('220')
      await this.say('EHLO evil.example', '250')
      await this.say('MAIL FROM:<eve@evil.example>', '250')
      await this.say('RCPT TO:<agent@corp.example>', '250')
      await this.say('DATA', '354')
    },
  }
}

describe('mails that do not end', () => {
  const line = `${'x'.repeat(998)}\r\n`

  test('hold no more than is allowed for all of them, and are told to come again', async () => {
    const maxHeldBytes = 1_000_000
    const smtp = { host: '127.0.0.1', port: 0, maxHeldBytes }
    const { channel } = await context.start(echo, { smtp, limits: { mailBytes: 400_000 } })
    const clients = await Promise.all(Array.from({ length: 10 }, () => client(channel.smtpPort() ?? 0)))
    await Promise.all(clients.map((each) => each.begin()))
    const [first, ...others] = clients
    await first?.send(line.repeat(300))
    await until(() => channel.smtpLoad().bytes > 299_000)
    // One network may have half of what all may have.
    for (const each of others) {
      await each.send(`${line.repeat(300)}.\r\n`)
      await each.answered('452')
    }
    expect(channel.smtpLoad().bytes).toBeLessThanOrEqual(300_000)
    expect(channel.smtpLoad().connections).toBe(10)
  })

  test('are not begun when they say that they do not fit', async () => {
    const smtp = { host: '127.0.0.1', port: 0, maxHeldBytes: 1_000 }
    const { channel } = await context.start(echo, { smtp, limits: { mailBytes: 1_000_000 } })
    const [first, second] = await Promise.all([client(channel.smtpPort() ?? 0), client(channel.smtpPort() ?? 0)])
    await first.begin()
    await first.send(line.repeat(800))
    await until(() => channel.smtpLoad().bytes > 700_000)
    await second.answered('220')
    await second.say('EHLO evil.example', '250')
    await second.say('MAIL FROM:<eve@evil.example> SIZE=900000', '452')
  })

  test('end with their time, and so does what they hold', async () => {
    const smtp = { host: '127.0.0.1', port: 0, dataTimeoutMs: 200 }
    const { channel } = await context.start(echo, { smtp })
    const slow = await client(channel.smtpPort() ?? 0)
    await slow.begin()
    await slow.send(line.repeat(100))
    await slow.answered('421')
    await until(() => channel.smtpLoad().bytes === 0)
  })

  test('are of a network that has only so many connections', async () => {
    const smtp = { host: '127.0.0.1', port: 0, maxNetworkConnections: 2 }
    const { channel } = await context.start(echo, { smtp })
    const port = channel.smtpPort() ?? 0
    await Promise.all([client(port), client(port)].map(async (each) => (await each).answered('220')))
    await (await client(port)).answered('421')
    expect(channel.smtpLoad().connections).toBe(2)
  })
})
