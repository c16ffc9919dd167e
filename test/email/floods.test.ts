import type { ActorContext } from '@cool-ai/beach-session'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { emailTestWorld, until, type EmailTestWorld } from './email-world.ts'
import { Person } from './person.ts'

let world: EmailTestWorld

beforeEach(async () => {
  world = await emailTestWorld()
  world.domains.add('people.example')
})
afterEach(() => world.close())

const echo = async ({ text, respond }: ActorContext) => {
  await respond({ parts: [{ partType: 'response', text: `You said: ${text}` }], turnState: 'complete' })
}

const attack = { subject: 'Buy at evil.example', text: 'Click evil.example', signedBy: false } as const

describe('a sender who is not authenticated', () => {
  test('gets one notice a day, in words of our own, however often somebody writes in its name', async () => {
    const victim = new Person(world, 'victim@unknown.example')
    const first = await world.start(echo)
    for (let n = 0; n < 20; n++) await expect(victim.write(first, attack)).rejects.toThrow('550')
    await first.stop()
    const second = await world.start(echo)
    await expect(victim.write(second, attack)).rejects.toThrow('unauthenticated')
    expect(victim.inbox()).toHaveLength(1)
    const [notice] = victim.inbox()
    expect(JSON.stringify(notice?.email)).not.toMatch(/evil|victim\.1@/)
    expect(notice?.email.subject).toBe('Your mail was not taken')
    expect(notice?.email.headers.find(({ key }) => key === 'auto-submitted')?.value).toBe('auto-generated')
    expect((await second.sessions.list({}, { kind: 'operator', id: 'o', tenant: 'acme' })).items).toEqual([])
    expect(world.log.filter(({ message }) => message === 'a mail was refused')).toHaveLength(21)
  })

  test('is one of a few who get a notice because of one network', async () => {
    const process = await world.start(echo)
    const victims = Array.from({ length: 60 }, (_, n) => new Person(world, `victim${n}@unknown.example`))
    for (const victim of victims) await expect(victim.write(process, attack)).rejects.toThrow('550')
    expect(victims.filter((victim) => victim.inbox().length > 0)).toHaveLength(10)
  })

  test('gets no notice where its domain says that the mail is not from there', async () => {
    world.domains.add('open.example', 'none')
    const process = await world.start(echo)
    const victim = new Person(world, 'victim@open.example')
    await expect(victim.write(process, attack)).rejects.toThrow('unauthenticated')
    expect(victim.inbox()).toEqual([])
  })

  test('gets answers without the subject, where guests are wanted', async () => {
    const process = await world.start(echo, { guests: true })
    const guest = new Person(world, 'guest@unknown.example')
    await guest.write(process, { ...attack, text: 'hello' })
    await until(() => guest.inbox().length === 1)
    expect(guest.inbox()[0]?.email.subject).toBe('A message from Sally')
  })
})

describe('programs that answer each other', () => {
  test('come to rest, though each answer begins a new thread', async () => {
    const process = await world.start(echo)
    const bot = new Person(world, 'bot@people.example')
    let refused = 0
    for (let n = 0; n < 100; n++) {
      await bot.write(process, { subject: `Ticket ${n}`, text: 'Thank you for your mail.' }).catch((error: unknown) => {
        expect(String(error)).toContain('450')
        refused++
      })
    }
    expect(refused).toBe(80)
    await until(() => bot.inbox().length === 20)
  })

  test.each([
    ['X-Auto-Response-Suppress', 'All'],
    ['X-Loop', 'bot@people.example'],
    ['List-Unsubscribe', '<mailto:x@people.example>'],
  ])('are known by %s', async (name, value) => {
    const process = await world.start(echo)
    await new Person(world, 'bot@people.example').write(process, { text: 'x', headers: { [name]: value } })
    expect((await process.sessions.list({}, { kind: 'operator', id: 'o', tenant: 'acme' })).items).toEqual([])
  })
})

test('one address gets no more than its share of mails, over all its conversations', async () => {
  const process = await world.start(echo, { limits: { mailsPerHour: 3 } })
  const anna = new Person(world, 'anna@people.example')
  for (let n = 0; n < 5; n++) await anna.write(process, { subject: `thread ${n}`, text: 'hello' })
  await until(() => anna.inbox().length === 3)
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
  expect(anna.inbox()).toHaveLength(3)
})
