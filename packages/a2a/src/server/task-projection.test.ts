import { TaskState } from '@a2a-js/sdk'
import type { Frame, Part, TurnState } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import { TaskProjection, type TaskChange } from './task-projection.ts'

const place = { session: 'sess_a', seq: 7 }
const taskId = 'sess_a.7'

function received(messageId: string, text: string, mark: object = {}, cursor?: string): Frame {
  const part = { text, metadata: { partType: 'message', a2a: { messageId: `a-${messageId}`, ...mark } } }
  return { kind: 'part', role: 'user', partId: `${messageId}.0`, part, at: 1, ...(cursor !== undefined && { cursor }) }
}

function said(turnId: string, index: number, part: Part, cursor = '20'): Frame {
  return {
    kind: 'part',
    role: 'agent',
    partId: `${turnId}.0.${index}`,
    turnId,
    turnState: 'awaiting',
    part,
    at: 2,
    cursor,
  }
}

function turn(turnId: string, turnState: string, more: object = {}): Frame {
  return { kind: 'turn', turnId, epoch: 1, turnState: turnState as TurnState, ...more }
}

function settled(turnId: string, turnState: string, finalizedBy = turnState): Frame {
  return { kind: 'settled', turnId, turnState: turnState as TurnState, finalizedBy, at: 9, cursor: '30' }
}

const message = (text: string): Part => ({ text, metadata: { partType: 'message' } })
const response: Part = { text: 'Yes.', metadata: { partType: 'response' } }
const clarify: Part = { text: 'Where?', metadata: { partType: 'clarify' } }

function folded(frames: readonly Frame[]): { task: TaskProjection; changes: (TaskChange | undefined)[] } {
  const task = new TaskProjection(place)
  return { task, changes: frames.map((frame) => task.apply(frame)) }
}

const movedState: Frame = { kind: 'state', seq: 6, coordinates: { 'trip.stage': 'idea' } }

test('where coordinates stand, and what was decided, are no part of a task', () => {
  const decision: Frame = { kind: 'decision', turnId: 't1', approvalId: 'a1', outcome: 'granted', at: 5, cursor: '21' }
  const { task, changes } = folded([movedState, ...begun, decision])
  expect(changes.at(0)).toBeUndefined()
  expect(changes.at(-1)).toBeUndefined()
  expect(TaskState[task.state]).toBe('TASK_STATE_WORKING')
  expect(task.cursor).toBe('21')
})

test('a task that was asked for a decision and has it does not rest, although its turn has not gone on yet', () => {
  const decision = (turnId: string, outcome: 'granted' | 'void'): Frame => {
    return { kind: 'decision', turnId, approvalId: 'a1', outcome, at: 5, cursor: '21' }
  }
  const suspended = [...begun, turn('t1', 'suspended')]
  const { task } = folded(suspended)
  expect([task.rests, task.hasDecision('a1')]).toEqual([true, false])
  task.apply(decision('t1', 'granted'))
  expect([task.rests, task.hasDecision('a1')]).toEqual([false, true])
  task.apply(turn('t1', 'suspended'))
  expect([task.rests, task.hasDecision('a1')]).toEqual([true, true])
  expect(folded([...suspended, decision('t1', 'void')]).task.rests).toBe(true)
  expect(folded([...suspended, decision('another', 'granted')]).task.hasDecision('a1')).toBe(false)
})

const begun = [received('m1', 'hi', {}, '7'), turn('t1', 'awaiting', { messageIds: ['m1'] })]

describe('the state of a task', () => {
  test.each([
    ['complete', 'complete', 'TASK_STATE_COMPLETED'],
    ['clarifying', 'clarifying', 'TASK_STATE_INPUT_REQUIRED'],
    ['error', 'error', 'TASK_STATE_FAILED'],
    ['error', 'budget', 'TASK_STATE_FAILED'],
    ['awaiting', 'cancelled', 'TASK_STATE_CANCELED'],
    ['app.archived', 'app.archived', 'TASK_STATE_COMPLETED'],
  ])('of a turn that settles in %s by %s is %s', (turnState, finalizedBy, state) => {
    const { task } = folded([...begun, settled('t1', turnState, finalizedBy)])
    expect(TaskState[task.state]).toBe(state)
    expect(task.rests).toBe(true)
  })

  test.each([
    ['awaiting', 'TASK_STATE_WORKING'],
    ['delegated', 'TASK_STATE_WORKING'],
    ['passed', 'TASK_STATE_WORKING'],
    ['suspended', 'TASK_STATE_INPUT_REQUIRED'],
    ['app.unknown', 'TASK_STATE_WORKING'],
  ])('of a turn in %s is %s', (turnState, state) => {
    const { task } = folded([...begun, turn('t1', turnState, { step: 0 })])
    expect(TaskState[task.state]).toBe(state)
    expect(task.isTerminal).toBe(false)
  })

  test('is SUBMITTED before a turn takes its message, and WORKING again when the turn goes on', () => {
    expect(folded([received('m1', 'hi')]).task.state).toBe(TaskState.TASK_STATE_SUBMITTED)
    const resumed = turn('t1', 'awaiting', { attempt: 0 })
    const { task } = folded([...begun, turn('t1', 'suspended', { step: 0 }), resumed])
    expect(task.state).toBe(TaskState.TASK_STATE_WORKING)
  })
})

describe('what belongs to a task', () => {
  test('are the turns of its own messages; others of the session change nothing', () => {
    const { task, changes } = folded([
      ...begun,
      received('m2', 'other task', {}, '8'),
      turn('t0', 'suspended', { step: 0 }),
      said('t0', 0, response),
      settled('t0', 'complete'),
      said('t1', 0, response),
    ])
    expect(changes.slice(2).map((change) => change?.kind)).toEqual([undefined, undefined, undefined, undefined, 'part'])
    expect([...task.artifacts.keys()]).toEqual(['t1.0.0'])
    expect(task.history).toHaveLength(1)
    expect(task.state).toBe(TaskState.TASK_STATE_WORKING)
  })

  test('is what comes after a question in the same task, with the question as history', () => {
    const { task } = folded([
      ...begun,
      said('t1', 0, clarify),
      settled('t1', 'clarifying'),
      received('m2', 'Corfu', { taskId }, '40'),
      turn('t2', 'awaiting', { messageIds: ['m2'] }),
      said('t2', 0, response, '41'),
      settled('t2', 'complete'),
    ])
    const texts = task.history.map(({ parts }) => parts.map(({ content }) => content?.value as string))
    expect(texts).toEqual([['hi'], ['Where?'], ['Corfu']])
    expect([...task.turns]).toEqual(['t1', 't2'])
    expect(task.artifacts.get('t2.0.0')).toEqual({ part: response, turnId: 't2', seq: 41 })
    const corfu = [message('Corfu')]
    expect([task.hasMessage('a-m2', corfu), task.hasMessage('a-m3', corfu)]).toEqual([true, false])
    expect(task.hasMessage('a-m2', [message('Crete')])).toBe(false)
    expect([task.hasMessageId('a-m2'), task.hasMessageId('a-m3')]).toEqual([true, false])
  })

  test('are all messages of which one turn answers several', () => {
    const { task } = folded([
      received('m1', 'hi'),
      turn('t1', 'awaiting', { messageIds: ['m0', 'm1'] }),
      settled('t1', 'complete'),
    ])
    expect(task.isTerminal).toBe(true)
  })

  test('is not what comes after its end', () => {
    const { task, changes } = folded([...begun, settled('t1', 'complete'), said('t1', 1, response)])
    expect(changes.at(-1)).toBeUndefined()
    expect(task.artifacts.size).toBe(0)
  })
})

describe('a place where no task begins', () => {
  test.each([
    ['something else than a message', [turn('t1', 'awaiting')]],
    ['a message that goes on with a task', [received('m1', 'hi', { taskId })]],
    ['a message that did not come by A2A', [received('m1', 'hi', { messageId: 7 })]],
  ])('is not found: %s', (_, frames) => {
    expect(() => folded(frames)).toThrow(/no such task/)
  })
})

test('a caller’s own name for the context is kept, and what it understands', () => {
  const understands = {
    consumes: ['llm-context', 7],
    catalogs: ['https://catalog.example', null],
    llmContextLanguage: 'de',
  }
  const { task } = folded([received('m1', 'hi', { contextId: 'mine', ...understands })])
  expect(task.contextId).toBe('mine')
  expect(task.understood).toEqual({
    consumes: ['llm-context'],
    catalogs: ['https://catalog.example'],
    llmContextLanguage: 'de',
  })
})
