import { MemoryIdentityStore, MemoryMissiveStore } from '@cool-ai/beach-missives'
import { smsOriginator } from '@cool-ai/beach-phones'
import { expect, test } from 'vitest'
import { booker, echo, operator, until, type PhoneProcess } from '../support/phone-context.ts'
import { anna, berta, codeIn, smsContext, type SmsContext } from './sms-context.ts'

const missives = () => ({ store: new MemoryMissiveStore(), identities: new MemoryIdentityStore() })
const originator = (phone: string) => smsOriginator({ phone, principal: { kind: 'user', id: 'x', tenant: 'default' } })

async function sessionsOf({ beach }: PhoneProcess): Promise<string[]> {
  return (await beach.sessions.list({ limit: 200 }, operator)).items.map(({ sessionId }) => sessionId)
}

/** Who is known, by the names that their logs have. */
async function known({ store }: SmsContext): Promise<string[]> {
  return (await store.list('correspondent:sms:')).map(({ value }) => value)
}

async function remembered({ store }: SmsContext, person: string): Promise<string> {
  return JSON.stringify([
    await store.read(`person:sms:default:${person}`, 0),
    await store.loadSnapshot(`person:sms:default:${person}`),
  ])
}

test('a person whose data is erased is forgotten: nothing is left, and an old code decides nothing', async () => {
  const context = await smsContext()
  const ran: string[] = []
  const process = await context.start(booker(ran), {}, { data: { missives: missives() } })
  const { twilio } = context
  await twilio.write(anna, 'book it')
  await until(() => twilio.of(anna).length === 1)
  const [person = ''] = await known(context)
  const code = codeIn(twilio.of(anna))
  const [hers = ''] = await sessionsOf(process)
  await twilio.write(berta, 'book it')
  await until(() => twilio.of(berta).length === 1)
  const before = await sessionsOf(process)
  expect(await remembered(context, person)).toContain('approval')

  await process.beach.missives?.erase({ person: `phone:${anna}` }, operator)

  expect(await known(context)).toHaveLength(1)
  expect(await known(context)).not.toContain(person)
  const left = await remembered(context, person)
  for (const word of ['approval', 'sess_', 'SM', '"at"']) expect(left).not.toContain(word)

  await twilio.write(anna, `yes ${code}`)
  await until(() => twilio.of(anna).length === 2)
  expect(ran).toEqual([])
  expect(twilio.of(anna)[1]?.body).toContain('Approval needed')
  const now = await sessionsOf(process)
  expect(now).not.toContain(hers)
  expect(now.filter((session) => !before.includes(session))).toHaveLength(1)
  await twilio.write(berta, `yes ${codeIn(twilio.of(berta))}`)
  await until(() => ran.length === 1)
})

test('a person without a session is forgotten too, with their waiting messages', async () => {
  const context = await smsContext()
  const process = await context.start(echo, {}, { data: { missives: missives() } })
  await context.twilio.write(anna, 'STOP')
  const { id, item } = { id: 'SM1', item: { message: { from: anna, text: 'what was put aside' }, at: 1 } }
  await context.store.bind(`inbox-dead:sms:default:${id}`, JSON.stringify({ id, lane: anna, at: 1, item }))
  await until(async () => (await known(context)).length === 1)
  const [person = ''] = await known(context)
  await until(async () => (await remembered(context, person)).includes('"done"'))
  await process.beach.missives?.erase({ person: `phone:${anna}` }, operator)
  expect(await known(context)).toEqual([])
  expect(await context.store.list('inbox')).toEqual([])
  expect(await remembered(context, person)).not.toContain('stopped')
})

test('another process that knew them forgets them with the first', async () => {
  const context = await smsContext()
  const first = await context.start(echo)
  await context.twilio.write(anna, 'hello')
  await until(() => context.twilio.of(anna).length === 1)
  const second = await context.start(echo)
  await context.twilio.write(anna, 'hello again')
  await until(() => context.twilio.of(anna).length === 2)
  const [person = ''] = await known(context)
  const [session = ''] = await sessionsOf(second)
  await first.channel.forget?.(originator(anna))
  expect(await known(context)).toEqual([])
  // The second one still had all of it in its memory.
  await context.twilio.write(anna, 'who am I?')
  await until(() => context.twilio.of(anna).length === 3)
  expect(await sessionsOf(second)).toHaveLength(2)
  expect(await remembered(context, person)).not.toContain(session)
})
