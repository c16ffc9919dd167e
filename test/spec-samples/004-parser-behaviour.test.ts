import { partTypes, turnStates, type LiveText } from '@cool-ai/beach-core'
import { RespondParser, type RespondEvent } from '@cool-ai/beach-llm'
import '@cool-ai/beach-protocol'
import { describe, expect, test } from 'vitest'

// Document 004, "Parser behaviour" and "Common shapes". Dispatch, envelopes and suspension are the session's and the
// actor loop's; here it is what the parser makes of a call.

function parse(call: unknown): { events: RespondEvent[]; texts: LiveText[] } {
  const events: RespondEvent[] = []
  const texts: LiveText[] = []
  const parser = new RespondParser({
    partTypes,
    turnStates,
    onText: (text) => texts.push(text),
    onEvent: (event) => events.push(event),
  })
  const json = JSON.stringify(call)
  for (let at = 0; at < json.length; at += 7) parser.push(json.slice(at, at + 7))
  parser.end()
  return { events, texts }
}

const shapes = {
  'simple response, one call': {
    parts: [{ text: 'Your tasks for today: T12, T15, T18.', metadata: { partType: 'response' } }],
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
      { data: { version: 'v0.9', createSurface: { surfaceId: 'flights' } }, metadata: { partType: 'a2ui-surface' } },
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

describe.each(Object.entries(shapes))('%s', (_name, call) => {
  test('each part becomes a partReceived with the part, its type and the turn state', () => {
    const { events } = parse(call)
    expect(events.slice(0, -1)).toEqual(
      call.parts.map((part, index) => ({
        type: 'partReceived',
        // The spec README, "A2UI data object": a surface goes on as a list of single messages.
        part: part.metadata.partType === 'a2ui-surface' && 'data' in part ? { ...part, data: [part.data] } : part,
        partType: part.metadata.partType,
        turnState: call.turnState,
        index,
      })),
    )
  })

  test('the turn state is emitted separately', () => {
    const { events } = parse(call)
    expect(events.filter(({ type }) => type === 'turnStateChanged')).toEqual([
      { type: 'turnStateChanged', turnState: call.turnState },
    ])
  })

  test('the text of responses flows, although the document’s samples put it before what it depends on', () => {
    const responses = call.parts.filter((part) => part.metadata.partType === 'response')
    const said = parse(call).texts.map(({ delta }) => delta)
    expect(said.join('')).toBe(responses.map((part) => part.text).join(''))
  })
})
