import type { Frame } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { EnvelopeStream } from './stream.ts'

const at = 1
const odd: readonly unknown[] = [
  null,
  'part',
  [],
  {},
  { kind: 'toString' },
  { kind: 'shout', text: 'x' },
  { kind: 'part', partId: '1.1.0', role: 'agent', at, part: null },
  { kind: 'part', partId: '1.1.0', role: 'agent', at, part: { text: 'x', metadata: null } },
  { kind: 'part', role: 'agent', at, part: { text: 'x', metadata: { partType: 'response' } } },
  { kind: 'delta', turnId: '1', partId: '1.1.0', partType: 'response', offset: 0, epoch: 1, text: null },
  { kind: 'delta', turnId: '1', partId: null, partType: 'response', offset: 0, epoch: 1, text: 'x' },
  { kind: 'retract', turnId: '1', epoch: 1, partIds: 'all' },
  { kind: 'turn', turnId: null },
  { kind: 'settled' },
  { kind: 'decision', turnId: '1', approvalId: {}, outcome: 'granted' },
  { kind: 'state', seq: 5, coordinates: null },
]

test.each(odd.map((frame) => [JSON.stringify(frame), frame]))('%s says nothing', (_, frame) => {
  const stream = new EnvelopeStream()
  let changes = 0
  stream.on('change', () => changes++)
  stream.apply(frame as Frame)
  expect([changes, stream.parts, stream.turns, stream.state]).toEqual([0, [], [], {}])
})
