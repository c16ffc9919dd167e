import { expect, test } from 'vitest'
import { sessionKeys } from './key-retention.ts'

const recordsMs = 90 * 24 * 60 * 60 * 1_000
const activity = async (session: string) => (session === 'sess_1' ? { pendingApprovals: ['approval_1'] } : undefined)

function rule(prefix: string) {
  const found = sessionKeys({ recordsMs } as Parameters<typeof sessionKeys>[0]).find((one) => one.prefix === prefix)
  const isNeeded = (key: string, value: string) =>
    found?.isNeeded?.({ key, value, at: 0 }, { activity } as unknown as Parameters<typeof found.isNeeded>[1])
  return { keepMs: found?.keepMs, isNeeded }
}

test('the key of an approval is needed while it waits for its decision', async () => {
  const { keepMs, isNeeded } = rule('approval:')
  expect(keepMs).toBe(recordsMs)
  expect(await isNeeded('approval:approval_1', 'sess_1')).toBe(true)
  expect(await isNeeded('approval:approval_2', 'sess_1')).toBe(false)
  expect(await isNeeded('approval:approval_1', 'sess_2')).toBe(false)
})

test('the key that a session was opened with is needed for as long as the session is there, and for a day', async () => {
  const { keepMs, isNeeded } = rule('ext:')
  expect(keepMs).toBe(86_400_000)
  expect(await isNeeded('ext:t:thread', 'sess_1')).toBe(true)
  expect(await isNeeded('ext:t:thread', 'sess_2')).toBe(false)
})
