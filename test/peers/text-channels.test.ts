import { email } from '@cool-ai/beach-email'
import { deliver, domains, postOffice, written } from '@cool-ai/beach-testing/mail'
import { expect, onTestFinished, test } from 'vitest'
import { connect, textsOf } from '../mcp/support.ts'
import { anna as annaOnSms, smsContext } from '../sms/sms-context.ts'
import { until } from '../support/phone-context.ts'
import { anna as annaOnWhatsApp, whatsAppContext } from '../whatsapp/whatsapp-context.ts'
import { baxterOptions, startBaxter, startSally } from './two-agents.ts'

// Document 000, "Delivery rules per transport class", `a2ui-surface` on buffered transports: "Final state rendered". Of a
// peer's surface its text form is all that people on text channels have.

const unused = async () => {}
const inWords = 'From Sally:\n> British Airways BA 2043\n> [Choose]'
const numbered = inWords.replace('[Choose]', '[1] Choose')

test('by SMS a peer’s surface is text under its name, next to what the agent says itself', async () => {
  const sally = await startSally()
  const { start, twilio } = await smsContext()
  await start(unused, {}, { ...baxterOptions(sally), agent: { id: 'baxter', name: 'Baxter' } })
  await twilio.write(annaOnSms, 'Flights, please.')
  await until(() => twilio.of(annaOnSms).length > 0)
  expect(twilio.of(annaOnSms).map(({ body }) => body)).toEqual([
    `${numbered}\n\nSally: One flight.\n\nReply with a number to choose.`,
  ])
})

test('by WhatsApp too', async () => {
  const sally = await startSally()
  const { start, standIn } = await whatsAppContext()
  await start(unused, {}, { ...baxterOptions(sally), agent: { id: 'baxter', name: 'Baxter' } })
  await standIn.text(annaOnWhatsApp, 'Flights, please.')
  await until(() => standIn.of(annaOnWhatsApp).length > 0)
  expect(JSON.stringify(standIn.of(annaOnWhatsApp))).toContain(JSON.stringify(numbered).slice(1, -1))
})

test('by mail it is text and HTML under its name', async () => {
  const sally = await startSally()
  const office = await postOffice()
  onTestFinished(() => office.close())
  const known = domains()
  known.add('people.example')
  const address = 'baxter@corp.example'
  const smtp = { host: '127.0.0.1', port: 0 }
  const mail = email({ address, name: 'Baxter', outbound: office.outbound, smtp, dns: known.dns })
  await startBaxter(sally, { channels: [mail] })
  const from = 'anna@people.example'
  const letter = await written({ from, to: address, messageId: '<1@mail.example>', text: 'Flights, please.' })
  await deliver(mail.smtpPort() ?? 0, await known.sign(letter, 'people.example'), { from, to: [address] })
  await until(() => office.inbox(from).length > 0)
  const [answer] = office.inbox(from)
  expect(answer?.email.text).toContain(numbered)
  expect(answer?.email.html).toMatch(/<p[^>]*>From Sally:<\/p>[\s\S]*British Airways BA 2043/)
})

test('by MCP a client that shows no surfaces has its text', async () => {
  const sally = await startSally()
  const { url } = await startBaxter(sally)
  const client = await connect(new URL('/mcp', url), 'modern')
  const result = await client.callTool({ name: 'ask_baxter', arguments: { message: 'Flights, please.' } })
  expect(textsOf(result).map(({ text }) => text)).toContain(inWords)
  expect(JSON.stringify(result.structuredContent)).not.toContain('a2ui-surface')
})
