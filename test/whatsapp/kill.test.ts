import { expect, test } from 'vitest'
import { killed, phoneServer } from '../support/phone-process.ts'
import { until } from '../support/phone-context.ts'

const anna = { phone: '4915100000001', userId: 'DE.1001' }

test(
  'a conversation with an approval goes on however often the process is killed',
  { timeout: 120_000 },
  async (context) => {
    const { server, whatsApp } = await phoneServer(context)
    await whatsApp.text(anna, 'book it')
    await killed(server)
    await until(() => whatsApp.of(anna).length === 1)
    const [question] = whatsApp.of(anna)
    if (question === undefined) throw new Error('No question has come.')
    await killed(server)
    await whatsApp.tap(anna, question, 'Approve')
    await killed(server)
    await until(() => whatsApp.of(anna).length === 2)
    await killed(server)
    await whatsApp.tap(anna, question, 'Deny')
    await killed(server)
    await until(() => whatsApp.of(anna).length === 3)
    expect(whatsApp.of(anna).map(({ text }) => text)).toEqual([
      expect.stringContaining('Approval needed: Book'),
      'booked: ok',
      expect.stringMatching(/^This has already been decided\. This was approved on WhatsApp, .* UTC\.$/),
    ])
  },
)
