import { expect, test } from 'vitest'
import { journalOf } from '../stand-in/journal.test-helper.ts'
import { TwilioStandIn, type SmsEntry } from './twilio-stand-in.ts'

const now = Date.UTC(2026, 4, 5, 12)

test('after a restart, Twilio still sends nothing to a person who has said STOP', async (context) => {
  const from = '+447700900002'
  const wrote = (text: string): SmsEntry => ({ kind: 'written', sid: `SM${text}`, from, text, at: now })
  const send = async (past: readonly SmsEntry[]) => {
    const twilio = new TwilioStandIn(() => now, journalOf(past))
    await twilio.server.listen()
    context.onTestFinished(() => twilio.server.close())
    const { accountSid, authToken, number } = twilio
    const response = await fetch(`${twilio.apiUrl}/2010-04-01/Accounts/${accountSid}/Messages.json`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}` },
      body: new URLSearchParams({ To: from, From: number, Body: 'Hello' }),
    })
    return ((await response.json()) as { code?: number }).code
  }
  expect(await send([wrote('hello'), wrote('STOP')])).toBe(21_610)
  expect(await send([wrote('STOP'), wrote('START')])).toBeUndefined()
})
