import { channelContract } from '@cool-ai/beach-testing/contracts'
import { describe, test } from 'vitest'
import { emailAttacks, emailHarness, type Way } from './email-harness.ts'

const ways: readonly Way[] = ['smtp', 'imap']

describe.each(ways)('email by %s, as a channel', (way) => {
  const traits = { threads: true, pushes: true, approvals: true, attacks: way === 'smtp' ? emailAttacks : [] }
  test.concurrent.each(channelContract(traits).map((promise) => [promise.name, promise] as const))(
    '%s',
    async (_, promise) => {
      const harness = await emailHarness(way)
      try {
        await promise.run(harness)
      } finally {
        await harness.close()
      }
    },
  )
})
