import { expect, test } from 'vitest'
import { killed, phoneServer } from '../support/phone-process.ts'
import { until } from '../support/phone-context.ts'
import { codeIn } from './sms-context.ts'

const anna = '+4915100000001'

test(
  'a conversation with an approval goes on however often the process is killed',
  { timeout: 120_000 },
  async (context) => {
    const { server, twilio } = await phoneServer(context)
    await twilio.write(anna, 'book it')
    await killed(server)
    await until(() => twilio.of(anna).length === 1)
    const code = codeIn(twilio.of(anna))
    await killed(server)
    await twilio.write(anna, `yes ${code}`)
    await killed(server)
    await until(() => twilio.of(anna).length === 2)
    await killed(server)
    await twilio.write(anna, `no ${code}`)
    await killed(server)
    await until(() => twilio.of(anna).length === 3)
    expect(twilio.of(anna).map(({ body }) => body)).toEqual([
      expect.stringContaining('Approval needed: Book'),
      'booked: ok',
      expect.stringMatching(/^This has already been decided\. This was approved by SMS, .* UTC\.$/),
    ])
  },
)
