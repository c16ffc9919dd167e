import { channelContract } from '@cool-ai/beach-testing/contracts'
import { describe, test } from 'vitest'
import { slackAttacks, slackHarness } from './slack-harness.ts'

describe('Slack, as a channel', () => {
  const traits = { threads: true, pushes: true, approvals: true, attacks: slackAttacks }
  test.each(channelContract(traits).map((promise) => [promise.name, promise] as const))('%s', async (_, promise) => {
    await promise.run(await slackHarness())
  })
})
