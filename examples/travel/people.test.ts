import type { Originator, Principal, SessionView, Sessions } from '@cool-ai/beach-core'
import type { JoinOptions } from '@cool-ai/beach-core/ports'
import { describe, expect, test } from 'vitest'
import { Desk, deskPrincipal } from './desk.ts'
import { booked, withItems } from './domain/basket.ts'
import { MemoryBasketStore } from './domain/memory-basket-store.ts'
import { packageOf } from './domain/package.ts'
import { namesPeople, people } from './people.ts'

const mail = {
  TRAVEL_MAIL_ADDRESS: 'sally@travel.example',
  TRAVEL_MAIL_SMTP: 'smtps://sally:p%40ss@smtp.travel.example',
  TRAVEL_MAIL_IMAP: 'imaps://sally:p%40ss@imap.travel.example',
}
const whatsApp = {
  TRAVEL_WHATSAPP_NUMBER_ID: '106540352242922',
  TRAVEL_WHATSAPP_TOKEN: 'a-token',
  TRAVEL_WHATSAPP_APP_SECRET: 'a-secret-of-the-app',
  TRAVEL_WHATSAPP_VERIFY_TOKEN: 'a-word-agreed-on',
}

const sms = {
  TRAVEL_SMS_NUMBER: '+15005550006',
  TRAVEL_SMS_ACCOUNT: `AC${'0a'.repeat(16)}`,
  TRAVEL_SMS_TOKEN: 'the-token-of-the-account',
  TRAVEL_PUBLIC_URL: 'https://travel.example',
}

async function peopleOf(environment: Record<string, string>) {
  return people(environment)
}

const transports = async (environment: Record<string, string>) =>
  (await peopleOf(environment)).channels.map(({ transport }) => transport)

describe('the ways for people', () => {
  test('are there only where the environment asks for them', async () => {
    expect(await transports({})).toEqual([])
    expect(await transports(mail)).toEqual(['smtp'])
    expect(await transports({ ...mail, ...whatsApp })).toEqual(['smtp', 'whatsapp'])
    expect(await transports({ ...whatsApp, ...sms })).toEqual(['whatsapp', 'sms'])
    for (const way of [whatsApp, sms]) {
      const withDesk = { ...way, TRAVEL_DESK_PHONE: '+491700000001' }
      expect(await transports(withDesk)).toEqual([way === sms ? 'sms' : 'whatsapp'])
    }
  })

  test('let a desk approve only where there is one', async () => {
    expect((await peopleOf(mail)).approvers).toEqual(['owner', 'operator'])
    expect((await peopleOf({ ...mail, TRAVEL_DESK_MAIL: 'desk@office.example' })).approvers).toEqual([
      'owner',
      'operator',
      { kind: 'user', id: 'booking-desk' },
    ])
  })

  test('are reached by the public address', async () => {
    expect((await peopleOf({})).place).toEqual({})
    expect((await peopleOf({ TRAVEL_PUBLIC_URL: 'https://travel.example/' })).place).toEqual({
      publicUrl: 'https://travel.example/',
    })
  })

  test('are those of this machine where the environment says nothing of them', () => {
    expect(namesPeople({ PATH: '/bin', TRAVEL_HOOK_SECRET: 'whsec_x', TRAVEL_MAIL_ADDRESS: '' })).toBe(false)
    for (const settings of [mail, whatsApp, sms, { TRAVEL_DESK_MAIL: 'x' }, { TRAVEL_PUBLIC_URL: 'x' }]) {
      expect(namesPeople(settings)).toBe(true)
    }
  })

  test.each([
    [{ TRAVEL_MAIL_ADDRESS: 'sally@travel.example' }, 'TRAVEL_MAIL_SMTP is missing'],
    [{ ...mail, TRAVEL_MAIL_SMTP: 'smtp.travel.example' }, 'TRAVEL_MAIL_SMTP is not an address'],
    [{ ...mail, TRAVEL_MAIL_IMAP: 'https://imap.travel.example' }, "'https:' cannot be used here"],
    [{ ...mail, TRAVEL_MAIL_IMAP: 'imaps://imap.travel.example' }, 'TRAVEL_MAIL_IMAP needs a user and a password'],
    [{ TRAVEL_WHATSAPP_NUMBER_ID: '1' }, 'TRAVEL_WHATSAPP_TOKEN is missing'],
    [{ ...whatsApp, TRAVEL_WHATSAPP_ASK_TEMPLATE: 'question' }, "'question' is not a template"],
    [{ TRAVEL_DESK_MAIL: 'desk@office.example' }, 'TRAVEL_DESK_MAIL needs TRAVEL_MAIL_ADDRESS'],
    [{ ...mail, TRAVEL_DESK_PHONE: '+491700000001' }, 'needs TRAVEL_WHATSAPP_NUMBER_ID or TRAVEL_SMS_NUMBER'],
    [{ TRAVEL_SMS_NUMBER: '+15005550006' }, 'TRAVEL_SMS_ACCOUNT is missing'],
    [{ ...sms, TRAVEL_SMS_TOKEN: '' }, 'TRAVEL_SMS_TOKEN is missing'],
    [{ ...sms, TRAVEL_PUBLIC_URL: '' }, 'TRAVEL_PUBLIC_URL is missing'],
    [{ ...sms, TRAVEL_SMS_ACCOUNT: 'mine' }, '`accountSid` begins with AC'],
    [{ ...sms, TRAVEL_SMS_URL: 'twilio' }, 'TRAVEL_SMS_URL is not an address'],
    [{ ...mail, TRAVEL_DESK_MAIL: 'the desk' }, 'is not an address that mail can be sent to'],
  ])('say what is wrong with %j', async (environment, problem) => {
    await expect(peopleOf(environment)).rejects.toThrow(problem)
  })
})

describe('the desk', () => {
  const reached: Originator = {
    id: 'smtp:desk@office.example',
    transport: 'smtp',
    deliveryClass: 'buffered',
    principal: deskPrincipal,
  }

  /** A desk, and a session in which the traveller speaks through the given transport. */
  async function desk(transport: string) {
    const joined: string[] = []
    const sessions = {
      view: async () => ({ originators: [{ transport }] }) as unknown as SessionView,
      join: async (session: string, { id }: Originator, by: Principal, options?: JoinOptions) =>
        void joined.push(`${id} joins ${session} by ${by.kind} for ${options?.hears}`),
    } as unknown as Sessions
    const made = new Desk([reached])
    made.start(sessions)
    return { baskets: made.watched(new MemoryBasketStore()), joined }
  }

  test.each(['sse', 'websocket'])('joins a conversation by %s before its basket changes', async (transport) => {
    const { baskets, joined } = await desk(transport)
    await baskets.load('sess_1')
    expect(joined).toEqual([])
    await baskets.update('sess_1', (basket) => {
      expect(joined).toEqual(['smtp:desk@office.example joins sess_1 by operator for approvals'])
      return basket
    })
  })

  test('hears of everything once something is booked', async () => {
    const { baskets, joined } = await desk('sse')
    const items = [{ type: 'flight', flightNumber: 'BA 2043', date: '2027-08-14', passengers: 2 } as const]
    const { items: chosen } = await baskets.update('sess_1', (basket) => withItems(basket, items))
    const { packageId, total } = packageOf(chosen)
    await baskets.update('sess_1', (basket) => booked(basket, { key: 'call_1', packageId, total }))
    await baskets.update('sess_1', (basket) => basket)
    expect(joined.map((line) => line.split(' ').at(-1))).toEqual([
      'approvals',
      'approvals',
      'everything',
      'everything',
      'everything',
    ])
  })

  test.each(['smtp', 'whatsapp', 'a2a'])('the desk does not join a conversation by %s', async (transport) => {
    const { baskets, joined } = await desk(transport)
    await baskets.update('sess_1', (basket) => basket)
    expect(joined).toEqual([])
  })
})
