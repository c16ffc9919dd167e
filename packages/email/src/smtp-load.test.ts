import { expect, test } from 'vitest'
import { MailBuffer, SmtpLoadMeter } from './smtp-load.ts'

test('mails of many networks hold no more together than all may hold', () => {
  const meter = new SmtpLoadMeter({ maxNetworkConnections: 2, maxHeldBytes: 100, maxNetworkBytes: 50 })
  const mailOf = (network: string) => {
    const mail = new MailBuffer(meter, network, 1_000)
    mail.add(Buffer.alloc(40))
    return mail
  }
  const [first, second, third] = ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map(mailOf)
  expect([first, second, third].map((mail) => mail?.dropped)).toEqual([undefined, undefined, 'full'])
  expect(meter.load.bytes).toBe(80)
  first?.release()
  expect(mailOf('192.0.2.3').dropped).toBeUndefined()
})
