import { channelContract } from '@cool-ai/beach-testing/contracts'
import { describe, test } from 'vitest'
import { smsAttacks, smsHarness } from './sms-harness.ts'

describe('SMS, as a channel', () => {
  const traits = { threads: false, pushes: true, approvals: true, attacks: smsAttacks }
  test.each(channelContract(traits).map((promise) => [promise.name, promise] as const))('%s', async (_, promise) => {
    await promise.run(await smsHarness())
  })
})
