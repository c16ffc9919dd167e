import { simulatedRuntime } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { reconnectionOn } from './server-address.ts'

test('a stream is taken up again when the server wants it, but not within a second', async () => {
  const { clock } = simulatedRuntime()
  const schedule = reconnectionOn(clock)
  const reconnected: string[] = []
  schedule(() => reconnected.push('at once'), 0, 0)
  schedule(() => reconnected.push('later'), 5_000, 0)
  const cancel = schedule(() => reconnected.push('never'), 0, 0)
  cancel?.()
  await clock.advance(999)
  expect(reconnected).toEqual([])
  await clock.advance(1)
  expect(reconnected).toEqual(['at once'])
  await clock.advance(4_000)
  expect(reconnected).toEqual(['at once', 'later'])
})
