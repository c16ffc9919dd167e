import type { Connection } from '@cool-ai/beach-client'
import { expect, test } from 'vitest'
import { announcementOf, type AnnouncedState } from './announcements.ts'
import type { Exchange } from '@cool-ai/beach-client/view'
import { said } from '@cool-ai/beach-client/view/parts.test-helper'

const silence: AnnouncedState = {
  since: 10,
  running: new Set(),
  over: new Set(),
  asked: new Set(),
  state: 'connecting',
}

function answer(text: string, settled: boolean, at = 0): Exchange {
  const turn = { turnId: 'turn_a', epoch: 1, settled, actor: 'sally' }
  return { kind: 'answer', key: 'turn_a', turn, parts: [said('response', { text, at })], last: true }
}

function scene(state: Connection['state'], exchanges: readonly Exchange[] = [], asked: readonly string[] = []) {
  const approvals = asked.map((approvalId) => ({ approvalId, title: 'Pay' }))
  return { exchanges, approvals, connection: { state } }
}

test('an answer is said once, when it is complete', () => {
  const first = announcementOf(scene('open', [answer('**Two', false)]), silence)
  expect(first.announcement).toBeUndefined()
  const second = announcementOf(scene('open', [answer('**Two** options', true)]), first.now)
  expect(second.announcement).toBe('Sally: Two options')
  expect(announcementOf(scene('open', [answer('**Two** options', true)]), second.now).announcement).toBeUndefined()
})

test('an answer is said that was complete before it was seen to begin', () => {
  const { announcement, now } = announcementOf(scene('open', [answer('Quick', true, 11)]), silence)
  expect(announcement).toBe('Sally: Quick')
  expect(announcementOf(scene('open', [answer('Quick', true, 11)]), now).announcement).toBeUndefined()
})

test('nothing of the past is said', () => {
  expect(announcementOf(scene('open', [answer('Old', true)]), silence).announcement).toBeUndefined()
})

test('a decision that is needed is said once', () => {
  const first = announcementOf(scene('open', [], ['a']), silence)
  expect(first.announcement).toBe('Your decision is needed: Pay?')
  expect(announcementOf(scene('open', [], ['a']), first.now).announcement).toBeUndefined()
})

test('a connection is lost once and back once, however often it is tried in between', () => {
  const states: Connection['state'][] = ['open', 'waiting', 'connecting', 'waiting', 'connecting', 'open']
  let received = silence
  const words = states.flatMap((state) => {
    const { announcement, now } = announcementOf(scene(state), received)
    received = now
    return announcement ?? []
  })
  expect(words).toEqual(['The connection is lost.', 'The connection is back.'])
})
