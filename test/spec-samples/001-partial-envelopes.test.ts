import type { AuthoredPart } from '@cool-ai/beach-core'
import { buildEnvelope, type EnvelopeInput } from '@cool-ai/beach-protocol'
import { expect, test } from 'vitest'

// Document 001, "Partial envelopes": the six cases in their order.

const build = (input: Partial<EnvelopeInput>) =>
  buildEnvelope({ sessionId: 'sess_1', turnId: 'turn_1', parts: [], ...input })
const types = (input: Partial<EnvelopeInput>) => build(input).parts.map((part) => part.metadata.partType)

const response: AuthoredPart = { partType: 'response', text: 'Yes.' }
const data: AuthoredPart = { partType: 'domain-data', data: { flights: [] }, metadata: { kind: 'without-template' } }

test('a conversational turn with no data is just a response part', () => {
  expect(types({ turnState: 'complete', parts: [response] })).toEqual(['response'])
})

test('a clarification is a clarify part, and no envelope is built from the mailbox', () => {
  const clarify: AuthoredPart = { partType: 'clarify', text: 'Gatwick or Heathrow?' }
  expect(types({ turnState: 'clarifying', mailbox: [data], parts: [clarify] })).toEqual(['clarify'])
})

test('data without a UI surface is domain-data and llm-context only', () => {
  expect(types({ turnState: 'complete', parts: [data], llmContext: 'No flights.' })).toEqual([
    'domain-data',
    'llm-context',
  ])
})

test('a local-UI-only turn has no llm-context', () => {
  expect(types({ turnState: 'complete', parts: [response, data] })).toEqual(['response', 'domain-data'])
})

test('a suspended turn pauses at its approval-request part, without a settlement', () => {
  const request: AuthoredPart = {
    partType: 'approval-request',
    data: {
      approvalId: 'abc123',
      toolName: 'book',
      toolCallId: 'toolu_01',
      args: {},
      handler: 'sally',
      turn: 'turn_1',
      session: 'sess_1',
    },
  }
  const paused = build({ turnState: 'suspended', mailbox: [data], parts: [request] })
  // The surface next to it is the built-in one of document 000.
  expect(paused.parts.map((part) => part.metadata.partType)).toEqual(['approval-request', 'a2ui-surface'])
  expect(paused.meta).not.toHaveProperty('finalizedBy')

  const answer: AuthoredPart = {
    partType: 'approval-response',
    data: { approvalId: 'abc123', decision: 'granted', decidedAt: '2026-04-20T09:50:00Z' },
  }
  const settled = build({ turnState: 'complete', mailbox: [data, request, answer], parts: [response] })
  expect(settled.parts.map((part) => part.metadata.partType)).toEqual(['domain-data', 'response'])
  expect(settled.meta.finalizedBy).toBe('complete')
})

test('a progress-only turn never produces domain-data', () => {
  const progress: AuthoredPart = {
    partType: 'progress',
    data: { label: 'Research', done: 1, total: 4, unit: 'sections' },
  }
  expect(types({ turnState: 'awaiting', parts: [progress] })).toEqual(['progress'])
  expect(types({ turnState: 'complete', mailbox: [progress], parts: [progress] })).toEqual(['progress', 'progress'])
})
