import { partTypes, turnStates } from '@cool-ai/beach-core'
import { RespondParser, type RespondEvent } from '@cool-ai/beach-llm'
import '@cool-ai/beach-protocol'
import { expect, test } from 'vitest'

// Document 004, "Multi-call pattern": several calls in one turn, each an atomic state update.

const calls = [
  { parts: [{ text: 'Looking up flights.', metadata: { partType: 'ack' } }], turnState: 'awaiting' },
  { parts: [{ text: 'Filtering for direct options.', metadata: { partType: 'thinking' } }], turnState: 'awaiting' },
  {
    parts: [
      { text: 'Two direct options. EasyJet £94pp at 06:15; BA £187pp at 08:45.', metadata: { partType: 'response' } },
    ],
    turnState: 'complete',
  },
]

test('each call of the sample is one update of parts and state', () => {
  const seen = calls.map((call) => {
    const events: RespondEvent[] = []
    const parser = new RespondParser({ partTypes, turnStates, onEvent: (event) => events.push(event) })
    parser.push(JSON.stringify(call))
    expect(events).toEqual([])
    parser.end()
    return events.map((event) => (event.type === 'partReceived' ? event.partType : `-> ${event.turnState}`))
  })
  expect(seen).toEqual([
    ['ack', '-> awaiting'],
    ['thinking', '-> awaiting'],
    ['response', '-> complete'],
  ])
})

test('only the last state of the sample settles the turn', () => {
  expect(calls.map(({ turnState }) => turnStates.get(turnState)?.isTerminal)).toEqual([false, false, true])
})
