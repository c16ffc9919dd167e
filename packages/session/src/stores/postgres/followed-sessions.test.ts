import { silentLogger } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { FollowedSessions } from './followed-sessions.ts'

/** A record in a database, whose writes can be held up. */
function record() {
  const rows = new Set<string>()
  let held: Promise<void> = Promise.resolve()
  let begun = () => {}
  const followed = new FollowedSessions({
    async add(sessions) {
      begun()
      await held
      for (const session of sessions) rows.add(session)
    },
    async remove(sessions) {
      begun()
      await held
      for (const session of sessions) rows.delete(session)
    },
    logger: silentLogger,
  })
  const hold = () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { promise: writing, resolve: began } = Promise.withResolvers<void>()
    held = promise
    begun = began
    return { letGo: resolve, writing }
  }
  return { rows, followed, hold }
}

test('a session that was being recorded when the record went is recorded once more', async () => {
  const { rows, followed, hold } = record()
  const { letGo, writing } = hold()
  const following = followed.follow('s')
  await writing
  const again = followed.recordAgain()
  letGo()
  await Promise.all([following, again])
  expect(followed.isRecorded('s')).toBe(true)
  followed.unfollow('s')
  await expect.poll(() => [...rows]).toEqual([])
})

test('a session that was left is taken from the record, also when that is made again meanwhile', async () => {
  const { rows, followed } = record()
  await Promise.all([followed.follow('left'), followed.follow('kept')])
  followed.unfollow('left')
  await followed.recordAgain()
  await expect.poll(() => [...rows]).toEqual(['kept'])
  expect(followed.isRecorded('left')).toBe(false)
})

test('what is asked of a session waits until its follower is on record', async () => {
  const { rows, followed, hold } = record()
  const { letGo, writing } = hold()
  void followed.follow('s')
  const seen = followed.recorded('s').then(() => rows.has('s'))
  await writing
  expect(rows.has('s')).toBe(false)
  letGo()
  expect(await seen).toBe(true)
  await followed.recorded('another')
})
