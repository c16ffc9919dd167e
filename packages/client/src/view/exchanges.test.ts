import type { StreamTurn } from '@cool-ai/beach-protocol/stream'
import type { Pending } from '../pending-messages.ts'
import { describe, expect, test } from 'vitest'
import { answerBlocks } from './answer-blocks.ts'
import { exchangeFold } from './exchanges.ts'
import { message, said } from './parts.test-helper.ts'

const turn: StreamTurn = { turnId: 'turn_a', epoch: 1, turnState: 'awaiting', settled: false, actor: 'sally' }
const pending = (key: string, text: string): Pending => ({
  key,
  parts: [{ text }],
  state: 'sending',
  retry: () => Promise.reject(new Error('not here')),
  discard: () => {},
})

describe('exchanges', () => {
  test('what a turn says stands together, also when a user speaks meanwhile', () => {
    const parts = [message('one'), said('ack', { text: 'a' }), message('two'), said('response', { text: 'b' })]
    const exchanges = exchangeFold()({ parts, turns: [turn], pending: [] })
    expect(exchanges.map((one) => (one.kind === 'message' ? one.text : one.parts.map(({ text }) => text)))).toEqual([
      'one',
      ['a', 'b'],
      'two',
    ])
    expect(exchanges[1]).toMatchObject({ turn, last: false })
  })

  test('a message has one key on its way and when it has arrived', () => {
    const fold = exchangeFold()
    const before = fold({ parts: [], turns: [], pending: [pending('k', 'hello')] })
    const after = fold({ parts: [message('hello', 'k')], turns: [], pending: [] })
    expect([before[0]?.key, after[0]?.key]).toEqual(['k', 'k'])
    expect(before[0]).toMatchObject({ text: 'hello', pending: { state: 'sending' } })
  })

  test('what has not changed is the same object', () => {
    const fold = exchangeFold()
    const parts = [message('one'), said('response', { text: 'a' })]
    const first = fold({ parts, turns: [turn], pending: [] })
    const second = fold({ parts: [...parts, message('two')], turns: [turn], pending: [] })
    expect(second[0]).toBe(first[0])
    expect(second[1], 'it is no longer the last').not.toBe(first[1])
    const third = fold({ parts: [...parts, message('two')], turns: [turn], pending: [pending('k', 'x')] })
    expect(third[1]).toBe(second[1])
  })

  test('what happens in a flow is no message: flows have a client of their own', () => {
    const { turnId: _, ...moved } = said('intentflow.event', { data: { toState: 'booked' } })
    const parts = [message('one'), said('clarify', { text: 'Which?' }), moved]
    const exchanges = exchangeFold()({ parts, turns: [turn], pending: [] })
    expect(exchanges).toMatchObject([{ kind: 'message' }, { kind: 'answer', last: true }])
  })

  test('a turn that asks can be replied to while nothing came after it', () => {
    const parts = [message('one'), said('clarify', { text: 'Which?' })]
    const last = (waiting: readonly Pending[]) =>
      exchangeFold()({ parts, turns: [turn], pending: waiting }).find(({ kind }) => kind === 'answer')
    expect(last([])).toMatchObject({ last: true })
    expect(last([pending('k', 'x')])).toMatchObject({ last: false })
  })
})

describe('an answer', () => {
  const progress = (label: string, done: number) => said('progress', { data: { label, done, total: 4 } })
  const surface = (surfaceId: string, slotKey?: string) =>
    said('a2ui-surface', {
      data: [{ version: 'v0.9', createSurface: { surfaceId, catalogId: 'x' } }],
      ...(slotKey !== undefined && { slotKey }),
    })
  const kinds = (...parts: Parameters<typeof answerBlocks>[0]) =>
    answerBlocks(parts, true, { forms: { flights: true } }).map(({ kind }) => kind)

  test('has one bar for each thing under way, as far as it has come, and none when it is over', () => {
    const parts = [progress('Corfu', 0), progress('Rome', 0), progress('Corfu', 2)]
    const bars = answerBlocks(parts, true).map((block) => block.kind === 'progress' && block.part.data)
    expect(bars).toMatchObject([
      { label: 'Corfu', done: 2 },
      { label: 'Rome', done: 0 },
    ])
    expect(answerBlocks(parts, false)).toEqual([])
  })

  test('gathers thoughts and files that follow each other', () => {
    const file = () => said('artifact', { data: { name: 'a' } })
    const thought = () => said('thinking', { text: 'hm' })
    expect(kinds(thought(), thought(), said('response', { text: 'a' }), file(), file(), thought())).toEqual([
      'thinking',
      'text',
      'artifacts',
      'thinking',
    ])
  })

  test('shows citations as notes only, and nothing that is not for people', () => {
    expect(
      kinds(said('citation', { data: {} }), said('llm-context', { text: 'x' }), said('setState', { data: {} })),
    ).toEqual([])
  })

  test('does not show the surface of an approval, in any form of its messages', () => {
    const id = 'approval-1'
    const create = { version: 'v0.9', createSurface: { surfaceId: id, catalogId: 'x' } }
    const update = { version: 'v0.9', updateComponents: { surfaceId: id, components: [] } }
    for (const data of [create, [create], { messages: [create] }, { ...create, ...update }, [update]]) {
      expect(kinds(said('a2ui-surface', { data }))).toEqual([])
    }
    expect(kinds(surface('flights'))).toEqual(['surface'])
  })

  test('shows nothing twice that is both data and a surface', () => {
    const table = said('domain-data', { data: {}, kind: 'stock' })
    expect(kinds(table)).toEqual(['data'])
    expect(kinds(table, surface('stock'))).toEqual(['surface'])
    const flights = said('domain-data', { data: {}, kind: 'flights', slotKey: 's' })
    expect(kinds(flights, surface('flights', 's'))).toEqual(['data'])
    expect(kinds(flights, surface('else', 'other'))).toEqual(['data', 'surface'])
  })
})
