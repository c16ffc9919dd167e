import type { Beach } from '@cool-ai/beach'
import { cronChannel, standardWebhooks } from '@cool-ai/beach-hooks'
import { MemoryIdentityStore, MemoryMissiveStore, type Missive } from '@cool-ai/beach-missives'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { expect, test } from 'vitest'
import { anna as annaBySms, smsContext } from '../sms/sms-context.ts'
import { echo, operator, until } from '../support/phone-context.ts'
import { post, startAgent, textParts, whsec } from '../webhook/webhook-context.ts'
import { anna as annaOnWhatsApp, whatsAppContext } from '../whatsapp/whatsapp-context.ts'
import { kept as keptBy, simulated, startAgent as startKeeper } from './test-context.ts'

const missives = () => ({ store: new MemoryMissiveStore(), identities: new MemoryIdentityStore() })

/** All that is kept once there are so many that are over, oldest first. */
async function kept({ missives: keeper }: Beach, count: number): Promise<readonly Missive[]> {
  let found: readonly Missive[] = []
  await until(async () => {
    await keeper?.caughtUp()
    found = (await keeper?.find({}, operator))?.items.toReversed() ?? []
    return found.length === count && found.every(({ delivery }) => delivery.state !== 'queued')
  })
  return found
}

const said = ({ parts }: Missive) => parts.map(({ text }) => text).join(' ')

test('what goes in and out by SMS is kept, with the ids that Twilio gave it', async () => {
  const context = await smsContext()
  const { beach } = await context.start(echo, {}, { data: { missives: missives() } })
  await context.twilio.write(annaBySms, 'hello')
  const [came, went] = await kept(beach, 2)
  expect(came).toMatchObject({ direction: 'in', channel: 'sms', delivery: { state: 'received' } })
  expect(came?.correspondent.addresses).toContain(`phone:${annaBySms}`)
  const [{ sid } = { sid: '' }] = context.twilio.of(annaBySms)
  expect(went).toMatchObject({ direction: 'out', channel: 'sms', delivery: { state: 'sent', externalId: sid } })
  expect([came, went].map((missive) => missive && said(missive))).toEqual(['hello', 'You said: hello'])
  expect(went?.threadId).toBe(came?.threadId)
})

test('what goes in and out on WhatsApp is kept, with the ids that WhatsApp gave it', async () => {
  const context = await whatsAppContext()
  const { beach } = await context.start(echo, {}, { data: { missives: missives() } })
  await context.standIn.text(annaOnWhatsApp, 'hello')
  const [came, went] = await kept(beach, 2)
  const [{ id } = { id: '' }] = context.standIn.of(annaOnWhatsApp)
  expect(came).toMatchObject({ direction: 'in', channel: 'whatsapp', delivery: { state: 'received' } })
  expect(came?.correspondent.addresses).toEqual(
    expect.arrayContaining([`phone:+${annaOnWhatsApp.phone}`, `whatsapp:${annaOnWhatsApp.userId}`]),
  )
  expect(went).toMatchObject({ direction: 'out', channel: 'whatsapp', delivery: { state: 'sent', externalId: id } })
})

test('what programs send to hooks is kept', async () => {
  const hooks = { notes: { verify: standardWebhooks({ secrets: [whsec(1)] }), parts: textParts } }
  const { url, beach } = await startAgent({ hooks, beach: { data: { missives: missives() } } })
  await post(`${url}/webhooks/notes`, { text: 'hello' })
  expect((await kept(beach, 2)).map(({ direction, channel }) => [direction, channel])).toEqual([
    ['in', 'webhook'],
    ['out', 'webhook'],
  ])
})

test('what jobs say is kept', async () => {
  const runtime = simulated()
  const store = new MemoryStore({ runtime })
  const parts = [{ partType: 'message', text: 'Write the report.' }]
  const cron = cronChannel({ store, runtime, jobs: { report: { cron: '* * * * *', session: 'new', parts } } })
  const agent = await startKeeper({ runtime, data: { store }, channels: [cron] })
  await runtime.clock.advance(60_000)
  const [first] = await keptBy(agent)
  expect(first).toMatchObject({ direction: 'in', channel: 'cron', parts: [{ text: 'Write the report.' }] })
})
