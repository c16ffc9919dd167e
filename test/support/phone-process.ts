import type { TestContext } from 'vitest'
import { startServer, type ServerProcess } from './server-process.ts'
import { TwilioStandIn } from '@cool-ai/beach-testing/sms'
import { WhatsAppStandIn } from '@cool-ai/beach-testing/whatsapp'

/** An agent in a process of its own, with both stand-ins on its other side. */
export async function phoneServer(
  test: TestContext,
): Promise<{ server: ServerProcess; whatsApp: WhatsAppStandIn; twilio: TwilioStandIn }> {
  const [whatsApp, twilio] = [new WhatsAppStandIn(), new TwilioStandIn()]
  await Promise.all([whatsApp.server.listen(), twilio.server.listen()])
  test.onTestFinished(async () => {
    await whatsApp.close()
    await twilio.server.close()
  })
  const { phoneNumberId, accessToken, appSecret, verifyToken } = whatsApp
  const { accountSid, authToken, number } = twilio
  const settings = { phoneNumberId, accessToken, appSecret, verifyToken, accountSid, authToken, number }
  const variables = { WHATSAPP: whatsApp.graphUrl, TWILIO: twilio.apiUrl, SETTINGS: JSON.stringify(settings) }
  const server = await startServer(test, { program: 'test/support/phone-program.ts', variables })
  whatsApp.webhook = `${server.url}/channels/whatsapp`
  twilio.agent = server.url
  return { server, whatsApp, twilio }
}

/** Ends a process as a crash would, and starts the next one on the same data. */
export async function killed(server: ServerProcess): Promise<void> {
  await server.kill9()
  await server.start()
}
