import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { silentLogger, systemRuntime } from '@cool-ai/beach-core'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { expect, onTestFinished, test } from 'vitest'
import { MailServer } from './mail-server.ts'

/** A server that counts who connects, and how many are there at once. */
async function countingServer(onRcptTo?: SMTPServerOptions['onRcptTo']) {
  const seen = { connections: 0, open: 0, max: 0, mails: 0 }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 100,
    ...(onRcptTo && { onRcptTo }),
    onConnect(_, callback) {
      seen.connections++
      seen.max = Math.max(seen.max, ++seen.open)
      callback()
    },
    onClose: () => void seen.open--,
    onData(stream, _, callback) {
      stream.resume()
      stream.on('end', () => {
        seen.mails++
        callback()
      })
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return { port, seen }
}

test('mails share a few connections, which stay open between them', async () => {
  const { port, seen } = await countingServer()
  const mails = new MailServer({ host: '127.0.0.1', port, connections: 2 }, systemRuntime({ logger: silentLogger }))
  onTestFinished(() => mails.close())
  const mail = (n: number) => ({ from: 'a@b.example', to: 'c@d.example', subject: String(n), text: 'hello' })
  const outcomes = await Promise.all(Array.from({ length: 30 }, (_, n) => mails.send(mail(n))))
  outcomes.push(await mails.send(mail(30)))
  expect(outcomes.map(({ status }) => status)).toEqual(Array.from({ length: 31 }, () => 'sent'))
  expect(seen).toMatchObject({ connections: 2, max: 2, mails: 31 })
})

test('the log says why a server refuses a mail, without the address that the server repeats', async () => {
  const { port } = await countingServer(({ address }, _, callback) => {
    callback(Object.assign(new Error(`5.1.1 <${address}>: ${address} is unknown`), { responseCode: 550 }))
  })
  const lines: unknown[] = []
  const runtime = systemRuntime({ logger: { log: (...line) => void lines.push(line) } })
  const mails = new MailServer({ host: '127.0.0.1', port }, runtime)
  onTestFinished(() => mails.close())
  const mail = { messageId: '<1@b.example>', from: 'a@b.example', to: 'anna.c@d.example', text: 'hello' }
  expect(await mails.send(mail)).toEqual({ status: 'refused', reason: 'The mail server answered 550.' })
  expect(JSON.stringify(lines)).toContain('5.1.1 <…>: … is unknown')
  expect(JSON.stringify(lines)).not.toContain('anna')
})
