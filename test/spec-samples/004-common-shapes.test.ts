import { turnStates } from '@cool-ai/beach-core'
import { parsePart } from '@cool-ai/beach-protocol'
import { expect, test } from 'vitest'

// Document 004, "passTo", "Multi-call pattern" and "Common shapes": the arguments of respond(). The tool itself belongs
// to beach-llm; here their parts and states are checked. Ellipses are filled in.

const shapes = {
  'passTo: handoff': {
    parts: [{ text: 'Handing off to the drafter.', metadata: { partType: 'thinking' } }],
    turnState: 'passed',
    passTo: 'drafter',
  },
  'multi-call, turn 1': {
    parts: [{ text: 'Looking up flights.', metadata: { partType: 'ack' } }],
    turnState: 'awaiting',
  },
  'multi-call, turn 2': {
    parts: [{ text: 'Filtering for direct options.', metadata: { partType: 'thinking' } }],
    turnState: 'awaiting',
  },
  'multi-call, turn 3': {
    parts: [
      { text: 'Two direct options. EasyJet £94pp at 06:15; BA £187pp at 08:45.', metadata: { partType: 'response' } },
    ],
    turnState: 'complete',
  },
  'simple response, one call': {
    parts: [{ text: 'Your tasks for today: T12, T15, T18.', metadata: { partType: 'response' } }],
    turnState: 'complete',
  },
  'progressive response, 1': {
    parts: [{ text: 'Searching flights.', metadata: { partType: 'ack' } }],
    turnState: 'awaiting',
  },
  'progressive response, 2': {
    parts: [{ text: 'Filtering direct options.', metadata: { partType: 'thinking' } }],
    turnState: 'awaiting',
  },
  'progressive response, 3': {
    parts: [{ text: 'Two direct options found.', metadata: { partType: 'response' } }],
    turnState: 'complete',
  },
  clarification: {
    parts: [{ text: 'Did you mean the flight from Gatwick or Heathrow?', metadata: { partType: 'clarify' } }],
    turnState: 'clarifying',
  },
  'peer-agent response with envelope': {
    parts: [
      { text: 'Found 2 direct flights.', metadata: { partType: 'response' } },
      { data: { flights: ['EJ4521', 'BA2043'] }, metadata: { partType: 'domain-data' } },
      {
        text: 'EasyJet EJ4521 is half the price but departs at 06:15 — the user may prefer BA at 08:45 for comfort.',
        metadata: { partType: 'llm-context' },
      },
      {
        data: { version: 'v0.9', createSurface: { surfaceId: 'flights' } },
        metadata: { partType: 'a2ui-surface' },
      },
    ],
    turnState: 'complete',
  },
  error: {
    parts: [
      {
        text: 'The flight search service is unreachable. I cannot find options right now.',
        metadata: { partType: 'error' },
      },
    ],
    turnState: 'error',
  },
}

test.each(Object.entries(shapes))('%s', (_name, { parts, turnState }) => {
  expect(turnStates.has(turnState)).toBe(true)
  for (const part of parts) {
    // The spec README, "A2UI data object": a surface goes on as a list of single messages.
    const isSurface = part.metadata.partType === 'a2ui-surface' && 'data' in part
    expect(parsePart(part)).toEqual(isSurface ? { ...part, data: [part.data] } : part)
  }
})
