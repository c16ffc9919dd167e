import { channelContract } from '@cool-ai/beach-testing/contracts'
import { describe, test } from 'vitest'
import { platforms } from './platforms/index.ts'
import { workChatHarness } from './work-chat-harness.ts'

describe.each(platforms)('$platform, as a channel', (platform) => {
  const attacks = [...platform.odd, ...platform.forged]
  const traits = { threads: platform.hasThreads, pushes: true, approvals: true, attacks }
  test.each(channelContract(traits).map((promise) => [promise.name, promise] as const))('%s', async (_, promise) => {
    await promise.run(await workChatHarness(platform))
  })
})
