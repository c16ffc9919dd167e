import { channelContract } from '@cool-ai/beach-testing/contracts'
import { describe, test } from 'vitest'
import { webhookAttacks, webhookHarness } from './webhook-harness.ts'

describe('webhooks, as a channel', () => {
  const traits = { threads: true, pushes: true, approvals: false, attacks: webhookAttacks }
  test.each(channelContract(traits).map((promise) => [promise.name, promise] as const))('%s', async (_, promise) => {
    await promise.run(await webhookHarness())
  })
})
