import { silentLogger, systemClock, systemRuntime } from '@cool-ai/beach-core'
import type { Delivered } from '@cool-ai/beach-testing/mail'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { flightActor, type Received } from '../support/flight-agent.ts'
import { emailTestContext, until, type EmailProcess, type EmailTestContext } from './email-context.ts'
import { Person } from './person.ts'

let context: EmailTestContext
let alice: Person
let received: Received[]
let aheadMs: number

beforeEach(async () => {
  aheadMs = 0
  const clock = { ...systemClock, now: () => Date.now() + aheadMs }
  context = await emailTestContext({ runtime: { ...systemRuntime({ logger: silentLogger }), clock } })
  for (const domain of ['corp.example', 'people.example']) context.domains.add(domain)
  alice = new Person(context, 'alice@people.example')
  received = []
})
afterEach(() => context.close())

const publicUrl = 'https://agent.example'

async function next(act: () => Promise<unknown>): Promise<Delivered> {
  const before = alice.inbox().length
  await act()
  await until(() => alice.inbox().length > before)
  const last = alice.inbox().at(-1)
  if (last === undefined) throw new Error('Nothing has come.')
  return last
}

async function listed(text = 'flights', options: { publicUrl?: string } = { publicUrl }) {
  const process = await context.start(flightActor(received), options)
  const mail = await next(() => alice.write(process, { text }))
  return { process, mail }
}

const linksIn = ({ email }: Delivered) =>
  new Map(
    [...(email.html ?? '').matchAll(/<a href="([^"]+)"[^>]*>([^<]+)<\/a>/g)].map(([, url = '', label = ''], index) => {
      return [`${index} ${label}`, url] as const
    }),
  )

const open = (process: EmailProcess, url: string) => process.channel.fetch?.(new Request(url)) ?? Promise.reject()

async function confirm(process: EmailProcess, url: string, page?: string): Promise<Response> {
  const html = page ?? (await (await open(process, url)).text())
  const form = /name="form" value="([^"]+)"/.exec(html)?.[1] ?? ''
  const body = new URLSearchParams({ form })
  return process.channel.fetch?.(new Request(url, { method: 'POST', body })) ?? Promise.reject()
}

describe('a list in a mail', () => {
  test('has in its text all that it has in its HTML, each thing with its number', async () => {
    const { mail } = await listed()
    const { text = '', html = '' } = mail.email
    expect(text).toContain('2. easyJet U2 8021: at 11:40, £94')
    expect(text).toContain('[4] Cheapest')
    expect(text).toContain('Reply with a number to choose.')
    for (const word of ['2.', 'easyJet', 'U2 8021', 'at 11:40', '£94', 'Reply with a number to choose.']) {
      expect(html).toContain(word)
    }
    expect(text).not.toContain('Departs')
  })

  test('of data without a surface is there, too', async () => {
    const { mail } = await listed('data')
    expect(mail.email.text).toContain('2. U2 8021: Airline: easyJet, Departs: 11:40, Price: £94')
    expect(mail.email.html).toContain('Departs: 11:40')
  })

  test('has links for its buttons only where there is a page behind them', async () => {
    const { mail } = await listed('flights', {})
    expect(mail.email.html).not.toMatch(/<a |>Add<|>Book</)
    expect(mail.email.html).toContain('[4] Cheapest')
  })
})

describe('an answer to a mail', () => {
  test.each(['2', 'the second', '2\n\nThanks,\nAlice'])('chooses: %j', async (words) => {
    const { process, mail } = await listed()
    await next(() => alice.answer(process, mail, words))
    expect(received.at(-1)?.text).toBe(`${words}\neasyJet U2 8021: at 11:40, £94`)
  })

  test('with the number of a button presses it', async () => {
    const { process, mail } = await listed()
    await next(() => alice.answer(process, mail, '4'))
    expect(received.at(-1)?.parts).toMatchObject([{ data: { action: { name: 'sort', context: { by: 'price' } } } }])
  })

  test('with a number of a button that is gone does nothing, and says so', async () => {
    const { process, mail } = await listed()
    await next(() => alice.write(process, { text: 'gone', inReplyTo: mail.email.messageId }))
    const answer = await next(() => alice.answer(process, mail, '4'))
    expect(answer.email.text).toContain('Nothing was done.')
    expect(received.length).toBe(2)
  })

  test('chooses from the mail that it answers, not from a later one', async () => {
    const { process, mail } = await listed()
    await next(() => alice.answer(process, mail, 'fewer'))
    await next(() => alice.answer(process, mail, '1'))
    expect(received.at(-1)?.text).toContain('BA 2043')
  })

  test('of another person chooses nothing', async () => {
    const { process, mail } = await listed()
    const bob = new Person(context, 'bob@people.example')
    await bob.answer(process, mail, '2')
    await until(() => bob.inbox().length === 1)
    expect(received.at(-1)?.parts.length).toBeGreaterThan(0)
    expect(received.at(-1)?.parts.every(({ metadata }) => metadata.partType === 'message')).toBe(true)
  })
})

describe('the link of a button', () => {
  async function ready() {
    const { process, mail } = await listed()
    const links = linksIn(mail)
    const url = [...links].find(([label]) => label.endsWith('Add'))?.[1] ?? ''
    return { process, mail, links, url }
  }

  test('shows what would be done, and does nothing before it is confirmed', async () => {
    const { process, url, links } = await ready()
    expect([...links.keys()].map((label) => label.replace(/^\d+ /, ''))).toEqual([
      'Cheapest',
      'Earliest',
      'Add',
      'Book',
      'Add',
      'Book',
      'Add',
      'Book',
    ])
    const page = await (await open(process, url)).text()
    expect(page).toContain('<h1>Add: BA 2043?</h1>')
    expect(page).toContain('British Airways BA 2043: at 06:15, £187')
    await open(process, url)
    expect(received.length).toBe(1)
  })

  test('acts once, says so afterwards, and the answer comes in the same thread', async () => {
    const { process, mail, url } = await ready()
    const page = await (await open(process, url)).text()
    const answer = await next(async () => {
      const done = await confirm(process, url, page)
      expect([done.status, await done.text()]).toEqual([200, expect.stringContaining('“Add: BA 2043” was passed on.')])
    })
    expect(answer.email.references).toContain(mail.email.inReplyTo)
    const [part] = received.at(-1)?.parts ?? []
    expect(part).toMatchObject({
      metadata: { partType: 'a2ui-action', label: 'Add: BA 2043' },
      data: { action: { name: 'add_flight', context: { flightNumber: 'BA 2043', passengers: 2 } } },
    })
    const again = await (await confirm(process, url, page)).text()
    expect(again).toMatch(/<h1>Done already<\/h1>.*“Add: BA 2043” was confirmed on \d+ \w+ \d{4}/)
    expect(await (await open(process, url)).text()).not.toContain('<form')
    expect(received.length).toBe(2)
  })

  test('acts once when it is confirmed twice at the same time, and by another process', async () => {
    const { process, url } = await ready()
    const page = await (await open(process, url)).text()
    await next(() => Promise.all([confirm(process, url, page), confirm(process, url, page)]))
    await process.stop()
    const later = await context.start(flightActor(received), { publicUrl })
    expect(await (await open(later, url)).text()).toContain('Done already')
    expect(received.length).toBe(2)
  })

  test('expires after a week', async () => {
    const { process, url } = await ready()
    aheadMs = 6 * 24 * 60 * 60 * 1_000
    const page = await open(process, url)
    expect(page.status).toBe(200)
    aheadMs = 7 * 24 * 60 * 60 * 1_000 + 1
    expect((await confirm(process, url, await page.text())).status).toBe(410)
    expect(received.length).toBe(1)
  })

  test('does nothing when the surface is gone, and says so', async () => {
    const { process, mail, url } = await ready()
    await next(() => alice.answer(process, mail, 'gone'))
    const done = await confirm(process, url)
    expect([done.status, await done.text()]).toEqual([409, expect.stringContaining('is not offered any more')])
    expect(received.length).toBe(2)
  })

  test('is good for its own button, of its own mail only', async () => {
    const { process, url } = await ready()
    const [token = '', number = ''] = url.split('/').slice(-2)
    const wrong = [
      url.replace(/\/\d+$/, `/${Number(number) + 1}`),
      url.replace(/\/\d+$/, '/99'),
      url.replace(/\/\d+$/, '/x'),
      url.replace(token, `${token.slice(0, 26)}${'a'.repeat(16)}`),
      url.replace(token, `${'b'.repeat(26)}${token.slice(26)}`),
      url.replace(token, 'x'),
    ]
    for (const address of wrong) expect((await open(process, address)).status).toBe(404)
  })

  test('takes the form of its own page only', async () => {
    const { process, url, links } = await ready()
    const other = [...links].find(([label]) => label.endsWith('Book'))?.[1] ?? ''
    const page = await (await open(process, other)).text()
    expect((await confirm(process, url, page)).status).toBe(403)
    expect((await confirm(process, url, '')).status).toBe(403)
    const put = await process.channel.fetch?.(new Request(url, { method: 'PUT' }))
    expect(put?.status).toBe(405)
    expect(received.length).toBe(1)
  })

  test('is gone when the person is forgotten', async () => {
    const { process, url } = await ready()
    await confirm(process, url)
    const principal = { kind: 'user', id: 'email:alice@people.example', tenant: 'acme' } as const
    await process.channel.forget?.({
      id: 'x',
      transport: 'smtp',
      deliveryClass: 'buffered',
      principal,
      address: alice.address,
    })
    expect((await open(process, url)).status).toBe(404)
  })
})
