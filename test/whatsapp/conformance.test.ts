import { channelContract } from '@cool-ai/beach-testing/contracts'
import { describe, test } from 'vitest'
import { whatsAppAttacks, whatsAppHarness } from './whatsapp-harness.ts'

describe('WhatsApp, as a channel', () => {
  const traits = { threads: false, pushes: true, approvals: true, attacks: whatsAppAttacks }
  test.each(channelContract(traits).map((promise) => [promise.name, promise] as const))('%s', async (_, promise) => {
    await promise.run(await whatsAppHarness())
  })
})
