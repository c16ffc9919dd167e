import { smsChannel, smsOriginator, type MessageState } from '@cool-ai/beach-phones'
import { describe, expect, test } from 'vitest'
import { echo, operator, secret, until, type PhoneProcess } from '../support/phone-context.ts'
import { anna, berta, smsContext, type SmsContext } from './sms-context.ts'

async function sessionCount({ beach }: PhoneProcess): Promise<number> {
  return (await beach.sessions.list({ limit: 200 }, operator)).items.length
}

/** Something said and answered later: what was to come before it has come. */
async function marker({ twilio }: SmsContext): Promise<void> {
  const marked = '+4915199999999'
  await twilio.write(marked, 'marker')
  await until(() => twilio.of(marked).length > 0)
}

describe('a form', () => {
  test('that is signed is taken, and answered with TwiML that says nothing', async () => {
    const context = await smsContext()
    await context.start(echo)
    const answer = await context.twilio.write(anna, 'hello <&> "you"')
    expect(answer).toBe('<?xml version="1.0" encoding="UTF-8"?><Response></Response>')
    await until(() => context.twilio.of(anna).some(({ body }) => body === 'You said: hello <&> "you"'))
  })

  test.each([
    ['no signature', () => ''],
    [
      'one of another token',
      (w: SmsContext, f: Record<string, string>) =>
        w.twilio.signature('https://agent.example/channels/sms', f, 'another'),
    ],
    [
      'one for http',
      (w: SmsContext, f: Record<string, string>) => w.twilio.signature('http://agent.example/channels/sms', f),
    ],
    [
      'one for a port',
      (w: SmsContext, f: Record<string, string>) => w.twilio.signature('https://agent.example:8443/channels/sms', f),
    ],
    [
      'one with a query',
      (w: SmsContext, f: Record<string, string>) => w.twilio.signature('https://agent.example/channels/sms?a=b', f),
    ],
    [
      'one for where it really is',
      (w: SmsContext, f: Record<string, string>) => w.twilio.signature(`${w.twilio.agent}/channels/sms`, f),
    ],
  ])('with %s is refused', async (_, sign) => {
    const context = await smsContext()
    const process = await context.start(echo)
    const fields = context.twilio.fields(anna, 'hello')
    const response = await context.twilio.deliver(fields, { signature: sign(context, fields) })
    expect(response.status).toBe(403)
    await marker(context)
    expect(await sessionCount(process)).toBe(1)
  })

  test('that comes to another address than the one that was signed is refused', async () => {
    const context = await smsContext()
    await context.start(echo)
    const fields = context.twilio.fields(anna, 'hello')
    const send = (query: string, signedQuery: string) =>
      fetch(`${context.twilio.agent}/channels/sms${query}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'x-twilio-signature': context.twilio.signature(`https://agent.example/channels/sms${signedQuery}`, fields),
        },
        body: new URLSearchParams(fields).toString(),
      })
    expect((await send('?a=b', '')).status).toBe(403)
    expect((await send('', '?a=b')).status).toBe(403)
    expect((await send('?a=c', '?a=b')).status).toBe(403)
    expect((await send('', '')).status).toBe(200)
  })

  test('is not believed because of what a proxy’s headers say', async () => {
    const context = await smsContext()
    await context.start(echo)
    const fields = context.twilio.fields(anna, 'hello')
    const response = await fetch(`${context.twilio.agent}/channels/sms`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'https',
        'x-twilio-signature': context.twilio.signature('https://evil.example/channels/sms', fields),
      },
      body: new URLSearchParams(fields).toString(),
    })
    expect(response.status).toBe(403)
  })

  test('is taken by either token while one takes the other’s place', async () => {
    const context = await smsContext()
    await context.start(echo, { authTokens: [context.twilio.authToken, 'the-token-that-comes-next'] })
    const fields = context.twilio.fields(anna, 'hello')
    const url = 'https://agent.example/channels/sms'
    const signature = context.twilio.signature(url, fields, 'the-token-that-comes-next')
    expect((await context.twilio.deliver(fields, { signature })).status).toBe(200)
  })

  test.each([
    ['part of a value moved into its name', (f: Record<string, string>) => shifted(f, 'Body', 'BodyApp', 'rove')],
    ['no number', (f: Record<string, string>) => without(f, 'From')],
    ['a number that is none', (f: Record<string, string>) => ({ ...f, From: '+49151<script>' })],
    ['no id', (f: Record<string, string>) => without(f, 'MessageSid')],
    ['a media address that is none', (f: Record<string, string>) => ({ ...f, NumMedia: '1' })],
  ])('that is signed but has %s is refused', async (_, change) => {
    const context = await smsContext()
    const process = await context.start(echo)
    const response = await context.twilio.deliver(change(context.twilio.fields(anna, 'Approve')))
    expect(response.status).toBe(400)
    await marker(context)
    expect(await sessionCount(process)).toBe(1)
  })

  test('of another account, or for another number, is refused', async () => {
    const context = await smsContext()
    await context.start(echo)
    const fields = context.twilio.fields(anna, 'hello')
    expect((await context.twilio.deliver({ ...fields, AccountSid: `AC${'1'.repeat(32)}` })).status).toBe(403)
    expect((await context.twilio.deliver({ ...fields, To: '+15005550099' })).status).toBe(403)
  })

  test('that is too large, or not a form, is refused', async () => {
    const context = await smsContext()
    await context.start(echo)
    expect((await context.twilio.deliver(context.twilio.fields(anna, 'x'.repeat(100_000)))).status).toBe(413)
    const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
    expect((await fetch(`${context.twilio.agent}/channels/sms`, json)).status).toBe(415)
    expect((await fetch(`${context.twilio.agent}/channels/sms`)).status).toBe(405)
  })
})

describe('the words of the carriers', () => {
  test('STOP: nothing is sent any more, until START', async () => {
    const context = await smsContext()
    const { beach } = await context.start(echo)
    await context.twilio.write(anna, 'hello')
    await until(() => context.twilio.of(anna).length === 1)
    await context.twilio.write(anna, 'Stop')
    await context.twilio.write(anna, 'are you there?')
    const { items } = await beach.sessions.list({}, operator)
    const from = { id: 'sse:x', transport: 'sse', deliveryClass: 'streaming', principal: operator } as const
    const parts = [{ text: 'by another way', metadata: { partType: 'message' } }]
    const session = items[0]?.sessionId ?? ''
    await beach.sessions.join(session, smsOriginator({ phone: anna, principal: operator }), operator)
    await beach.sessions.post(session, { parts, from }, operator)
    await until(async () => (await beach.sessions.deadLetters({}, operator)).items.length === 1)
    expect([context.twilio.of(anna).length, context.twilio.attempts.length]).toEqual([1, 1])
    await context.twilio.write(anna, 'START')
    await context.twilio.write(anna, 'again')
    await until(() => context.twilio.of(anna).at(-1)?.body === 'You said: again')
  })

  test('that Twilio alone has heard are heard from its answer', async () => {
    const context = await smsContext()
    const { beach } = await context.start(echo)
    context.twilio.server.failNext({ kind: 'answer', status: 400, body: { code: 21_610, message: 'unsubscribed' } })
    await context.twilio.write(anna, 'hello')
    await until(async () => (await beach.sessions.deadLetters({}, operator)).items.length === 1)
    await context.twilio.write(anna, 'hello?')
    await marker(context)
    expect([context.twilio.attempts.length, context.twilio.of(anna).length]).toEqual([2, 0])
  })

  test('HELP is answered with the text for it, escaped, and is no message', async () => {
    const context = await smsContext()
    const process = await context.start(echo, { help: 'Sally <sally@agent.example> & co.' })
    const answer = await context.twilio.write(anna, 'help')
    expect(answer).toContain('<Message>Sally &lt;sally@agent.example&gt; &amp; co.</Message>')
    await marker(context)
    expect(await sessionCount(process)).toBe(1)
  })
})

describe('what Twilio says of our messages', () => {
  test('is known, in whichever order it comes, and told', async () => {
    const context = await smsContext()
    const reported: MessageState[] = []
    const { channel } = await context.start(echo, { onStatus: (state) => reported.push(state) })
    await context.twilio.write(anna, 'hello')
    await until(() => context.twilio.of(anna).length === 1)
    const [message] = context.twilio.of(anna)
    if (message === undefined) throw new Error('Nothing came.')
    for (const status of ['delivered', 'queued', 'sent']) {
      expect((await context.twilio.status(message, status)).status).toBe(204)
    }
    const to = smsOriginator({ phone: anna, principal: operator })
    expect(await channel.states(to)).toMatchObject([{ messageId: message.sid, status: 'delivered' }])
    await context.twilio.status(message, 'undelivered', '30003')
    expect(reported.at(-1)).toMatchObject({ messageId: message.sid, status: 'failed', code: '30003' })
  })

  test('is refused when it is forged, or is of another message than its address says', async () => {
    const context = await smsContext()
    await context.start(echo)
    const fields = {
      MessageSid: context.twilio.sid(),
      AccountSid: context.twilio.accountSid,
      To: berta,
      MessageStatus: 'sent',
    }
    const path = '/channels/sms/status?mark=a'
    const url = 'https://agent.example/channels/sms/status?mark=b'
    const signature = context.twilio.signature(url, fields)
    expect((await context.twilio.deliver(fields, { path, signature })).status).toBe(403)
  })
})

test('a channel that cannot work is refused with all that is wrong with it', () => {
  const options = {
    accountSid: 'x',
    authTokens: [],
    from: 'me',
    publicUrl: 'nowhere',
    secret,
    store: undefined as never,
  }
  expect(() => smsChannel(options)).toThrow(/accountSid.*authTokens.*from.*publicUrl/)
})

test('a messaging service, whose numbers are not known, is to be told whom it may text', async () => {
  const context = await smsContext()
  const service = { from: `MG${'0'.repeat(32)}`, countries: undefined }
  await expect(context.start(echo, service)).rejects.toThrow('Give `countries`')
  await context.start(echo, { ...service, numbers: ['+4915112345678'] })
})

function without(fields: Record<string, string>, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name))
}

function shifted(fields: Record<string, string>, from: string, to: string, value: string): Record<string, string> {
  return { ...without(fields, from), [to]: value }
}
