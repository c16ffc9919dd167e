import type { Frame, TurnState } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { Thread } from './thread.ts'

let seq = 0
const next = () => String(++seq)

function received(messageId: string, agui?: object): Frame {
  const part = { text: 'hi', metadata: { partType: 'message', ...(agui && { agui }) } }
  return { kind: 'part', role: 'user', cursor: next(), partId: `${messageId}.0`, part, at: 1 }
}

function said(turnId: string, index: number, part: Extract<Frame, { kind: 'part' }>['part']): Frame {
  return {
    kind: 'part',
    role: 'agent',
    cursor: next(),
    partId: `${turnId}.0.${index}`,
    turnId,
    turnState: 'awaiting',
    part,
    at: 1,
  }
}

const begun = (turnId: string, ...messageIds: string[]): Frame => ({
  kind: 'turn',
  cursor: next(),
  turnId,
  epoch: 1,
  turnState: 'awaiting',
  messageIds,
})
const inState = (turnId: string, turnState: TurnState): Frame => ({
  kind: 'turn',
  cursor: next(),
  turnId,
  epoch: 1,
  turnState,
  step: 0,
})
const ended = (turnId: string, turnState: TurnState, finalizedBy: string = turnState): Frame => ({
  kind: 'settled',
  cursor: next(),
  turnId,
  turnState,
  finalizedBy,
  at: 1,
})
const decided = (turnId: string, approvalId: string): Frame => ({
  kind: 'decision',
  cursor: next(),
  turnId,
  approvalId,
  outcome: 'granted',
  at: 1,
})

function request(approvalId: string, expiresAt?: string) {
  const data = {
    approvalId,
    toolName: 't',
    toolCallId: 'c',
    args: {},
    handler: 'h',
    turn: 'x',
    session: 's',
    ...(expiresAt && { expiresAt }),
  }
  return { data, metadata: { partType: 'approval-request' } }
}

function folded(...frames: readonly Frame[]): Thread {
  const thread = new Thread('me')
  for (const frame of frames) thread.apply(frame)
  return thread
}

test('a thread knows where each run began, and what waits for a turn', () => {
  const thread = folded(
    received('msg_1', { runId: 'r1', messageId: 'm1' }),
    received('msg_2', { runId: 'r1', messageId: 'm2' }),
  )
  const first = thread.runs.get('r1')
  expect(first).toEqual({ messageId: 'msg_1', after: '0' })
  expect(thread.messages.has('m1') && thread.messages.has('m2')).toBe(true)
  expect([...thread.waiting]).toEqual(['msg_1', 'msg_2'])
  thread.apply(begun('turn_a', 'msg_1', 'msg_2'))
  expect([...thread.waiting]).toEqual([])
  thread.apply(received('msg_3', { runId: 'r2' }))
  expect(thread.runs.get('r2')).toMatchObject({ messageId: 'msg_3', during: 'turn_a' })
})

test('approvals are pending while their turn waits, until they are decided, too old, or the turn is over', () => {
  const thread = folded(
    begun('turn_a'),
    said('turn_a', 0, request('one')),
    said('turn_a', 1, request('two', '2030-01-01T00:00:00Z')),
  )
  const ids = (now = 0) => thread.pendingAt(now).map(({ approvalId }) => approvalId)
  expect(ids()).toEqual([])
  thread.apply(inState('turn_a', 'suspended'))
  expect(ids()).toEqual(['one', 'two'])
  expect(ids(Date.parse('2030-01-01T00:00:00Z'))).toEqual(['one'])
  const decision = decided('turn_a', 'one')
  thread.apply(decision)
  expect(ids()).toEqual(['two'])
  expect(thread.approvals.get('one')).toMatchObject({ decided: decision.cursor })
  thread.apply(ended('turn_a', 'awaiting', 'cancelled'))
  expect(ids()).toEqual([])
  expect(thread.approvals.has('two')).toBe(true)
})

test('calls wait for this client while the turn does, until they are answered or too old', () => {
  const call = (callId: string, more: object = {}): Frame => ({
    kind: 'call',
    cursor: next(),
    turnId: 'turn_a',
    callId,
    name: 'paint',
    at: 1,
    ...more,
  })
  const waits: Frame = { ...inState('turn_a', 'awaiting'), waitsForClient: true } as Frame
  const thread = folded(
    begun('turn_a'),
    call('server'),
    call('other', { client: 'them' }),
    call('mine', { client: 'me' }),
  )
  const open = () => thread.openCalls().map(({ callId }) => callId)
  const awaited = (now = 0) => thread.awaitedCallsAt(now).map(({ callId }) => callId)
  // It can be answered at once, and is not waited for before all else is done.
  expect([open(), awaited(), thread.rests(0)]).toEqual([['mine'], [], false])
  thread.apply(call('late', { client: 'me', expiresAt: 10 }))
  thread.apply(waits)
  expect([awaited(), awaited(10), thread.rests(10)]).toEqual([['mine', 'late'], ['mine'], true])
  const result = { kind: 'result', turnId: 'turn_a', outcome: 'ok', value: 'v', at: 1 } as const
  thread.apply({ ...result, cursor: next(), callId: 'mine', client: 'me' })
  expect([awaited(), thread.rests(10)]).toEqual([['late'], false])
  thread.apply(inState('turn_a', 'awaiting'))
  expect([open(), awaited()]).toEqual([['late'], []])
  thread.apply(ended('turn_a', 'complete'))
  expect(open()).toEqual([])
})

test('a question is open until something comes, or it is withdrawn', () => {
  const clarify = { text: 'Where?', metadata: { partType: 'clarify' } }
  const asking = () => folded(begun('turn_a'), said('turn_a', 0, clarify), ended('turn_a', 'clarifying'))
  expect(asking().question).toMatchObject({ turnId: 'turn_a', parts: [{ part: clarify }] })
  const answered = asking()
  answered.apply(received('msg_1'))
  expect([answered.question, answered.hasAsked('turn_a')]).toEqual([undefined, true])
  const withdrawn = asking()
  withdrawn.apply(ended('turn_a', 'clarifying', 'cancelled'))
  expect(withdrawn.question).toBeUndefined()
  const anew = asking()
  anew.apply(begun('turn_b'))
  expect(anew.question).toBeUndefined()
})

test('frames that come a second time change nothing', () => {
  const frames = [
    received('msg_1', { runId: 'r1' }),
    begun('turn_a', 'msg_1'),
    said('turn_a', 0, request('one')),
    decided('turn_a', 'one'),
  ]
  const thread = folded(...frames)
  const before = [thread.runs.get('r1'), thread.approvals.get('one')]
  for (const frame of frames.slice(2)) thread.apply(frame)
  expect([thread.runs.get('r1'), thread.approvals.get('one')]).toEqual(before)
})

test('what people have said is not forgotten for the tools that were called since', () => {
  const thread = new Thread('me')
  thread.apply(received('m1', { runId: 'r1', messageId: 'first' }))
  for (let n = 0; n < 3_000; n++) {
    const callId = `turn_1.tool0-${n}`
    thread.apply({ kind: 'call', cursor: next(), turnId: 'turn_1', callId, name: 'look', at: 1 })
    thread.apply({ kind: 'result', cursor: next(), turnId: 'turn_1', callId, outcome: 'ok', at: 1 })
  }
  expect(thread.messages.has('first')).toBe(true)
})
