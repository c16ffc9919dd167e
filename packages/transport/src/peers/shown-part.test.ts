import type { Part } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import type { CallResult } from '../a2a-client/call-result.ts'
import { peerAnswer } from './peer-answer.ts'
import type { CallablePeer } from './peers.ts'
import { shownPart } from './shown-part.ts'

const peer = { id: 'travel', card: { name: 'Travel\n<b>Agent</b>' } } as CallablePeer
const origin = { peer: 'travel' }
const part = (partType: string, content: Partial<Part>, more: object = {}): Part => ({
  ...content,
  metadata: { partType, origin, ...more },
})

describe('what people are shown of a peer', () => {
  test.each(['ack', 'thinking', 'response', 'error'])('%s: its words, as thoughts with its name', (type) => {
    expect(shownPart(part(type, { text: 'Hello.' }, { actor: 'x' }), peer)).toEqual({
      partType: 'thinking',
      text: 'Travel bAgent/b: Hello.',
      metadata: { origin },
    })
  })

  test('its progress, with its name', () => {
    const shown = shownPart(part('progress', { data: { label: 'Half\nway', done: 1, total: 2 } }), peer)
    expect(shown).toMatchObject({
      partType: 'progress',
      data: { label: 'Travel bAgent/b: Half way', done: 1, total: 2 },
    })
  })

  test('its data, in a slot that is not ours', () => {
    const data = { flights: 2 }
    expect(shownPart(part('domain-data', { data }, { kind: 'flights', level: 'admin' }), peer)).toEqual({
      partType: 'domain-data',
      data,
      metadata: { origin, slotKey: 'peers.travel', kind: 'flights' },
    })
    const slotted = part('domain-data', { data }, { slotKey: 'ours', mergeStrategy: 'append' })
    expect(shownPart(slotted, peer)).toMatchObject({
      metadata: { slotKey: 'peers.travel.ours', mergeStrategy: 'append' },
    })
  })

  test.each([
    ['setState', { data: { 'a.b': 'c' } }],
    ['approval-request', { data: { approvalId: 'x' } }],
    ['approval-response', { data: { approvalId: 'x', decision: 'granted' } }],
    ['a2ui-surface', { data: {} }],
    ['llm-context', { text: 'for models' }],
    ['ta.unknown', { data: {} }],
    ['response', { text: '  ' }],
    ['progress', { data: { done: 1 } }],
    ['domain-data', { data: { large: 'x'.repeat(70_000) } }],
  ])('nothing of %s %#', (type, content) => {
    expect(shownPart(part(type, content), peer)).toBeUndefined()
  })
})

describe('what a model is told of an answer', () => {
  const result = (state: CallResult['state'], ...parts: Part[]): CallResult => ({
    peer: 'travel',
    state,
    parts,
    approvals: [],
  })

  test('words, context and data, without what acts', () => {
    const answer = peerAnswer(
      result(
        'complete',
        part('response', { text: 'Two.' }),
        part('llm-context', { text: 'Dense.' }),
        part('domain-data', { data: { n: 2 } }),
        part('ta.unknown', { data: { odd: true } }),
        part('setState', { data: { 'a.b': 'c' } }),
        part('artifact', { data: { artifactId: 'a', bytes: 'AAAA' } }),
      ),
      'id',
    )
    expect(answer).toEqual({
      from: 'travel',
      state: 'complete',
      answer: 'Two.',
      context: 'Dense.',
      data: [{ n: 2 }, { odd: true }],
      files: [{ artifactId: 'a' }],
      conversationId: 'id',
    })
  })

  test('a question as a question', () => {
    const asked = result('clarifying', part('response', { text: 'Nearly.' }), part('clarify', { text: 'Where?' }))
    expect(peerAnswer(asked, 'id')).toMatchObject({ question: 'Where?', answer: 'Nearly.' })
    expect(peerAnswer(result('clarifying'), 'id')).toMatchObject({ question: '(It does not say what.)' })
  })

  test('that an answer is not the whole of it', () => {
    expect(peerAnswer(result('unfinished', part('response', { text: 'So far.' })), 'id')).toMatchObject({
      state: 'unfinished',
      answer: 'So far.',
      note: expect.stringContaining('not its whole answer') as string,
    })
  })

  test('not more than a model can read', () => {
    const long = result(
      'complete',
      part('response', { text: 'x'.repeat(50_000) }),
      part('domain-data', { data: ['y'.repeat(50_000)] }),
    )
    expect(JSON.stringify(peerAnswer(long, undefined)).length).toBeLessThan(60_000)
  })
})
