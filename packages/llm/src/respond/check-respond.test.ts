import { describe, expect, test } from 'vitest'
import { checkRespond } from './check-respond.ts'
import type { RespondOptions } from './respond-options.ts'
import { errorOf, registries } from './respond.test-helper.ts'

const options = registries()
const parts = [{ text: 'Hello.', metadata: { partType: 'response' } }]

function problemsOf(input: unknown, more: Partial<RespondOptions> = {}): unknown {
  const { code, message, details } = errorOf(() => checkRespond(input, { ...options, ...more }))
  expect(message).toBe((details.problems as string[]).join('\n'))
  return { code, problems: details.problems }
}

describe('a call of respond()', () => {
  test('that is right is given back with its parts in wire form', () => {
    const call = {
      turnState: 'complete',
      parts: [
        { partType: 'response', text: 'Hello.' },
        { data: { flights: [] }, metadata: { partType: 'domain-data', kind: 'flights' } },
      ],
      note: 'first try',
    }
    expect(checkRespond(call, options)).toEqual({
      turnState: 'complete',
      parts: [
        { text: 'Hello.', metadata: { partType: 'response' } },
        { data: { flights: [] }, metadata: { partType: 'domain-data', kind: 'flights' } },
      ],
      note: 'first try',
    })
  })

  test('names its state by either name', () => {
    expect(checkRespond({ conversationState: 'complete', parts }, options).turnState).toBe('complete')
    expect(checkRespond({ conversationState: 'error', turnState: 'error', parts }, options)).toEqual({
      turnState: 'error',
      parts,
    })
    expect(problemsOf({ turnState: 'complete', conversationState: 'error', parts })).toEqual({
      code: 'INVALID_STATE',
      problems: [expect.stringContaining("turnState is 'complete' and conversationState")],
    })
  })

  test('may leave out what it does not use by writing null', () => {
    const call = {
      turnState: 'complete',
      passTo: null,
      note: null,
      parts: [
        { text: 'Hello.', data: null, metadata: { partType: 'response' } },
        { text: null, data: { a: 1 }, metadata: { partType: 'domain-data' } },
      ],
    }
    expect(checkRespond(call, options)).toEqual({
      turnState: 'complete',
      parts: [parts[0], { data: { a: 1 }, metadata: { partType: 'domain-data' } }],
    })
  })

  test('gets all its problems at once, as sentences that say what to do', () => {
    const call = {
      turnState: 'finished',
      passTo: 7,
      parts: [
        { text: 'Hello.', metadata: { partType: 'answer' } },
        'Hello.',
        { metadata: { partType: 'response' } },
        { text: 'Hello.', partType: 'response', metadata: { partType: 'ack' } },
        { text: 'Hello.' },
      ],
    }
    const types =
      'ack, thinking, response, clarify, error, domain-data, citation, llm-context, a2ui-surface, artifact, ' +
      'reasoning-trace, approval-request, progress, setState'
    expect(problemsOf(call)).toEqual({
      code: 'INVALID_PART',
      problems: [
        "The turn state 'finished' is not registered. " +
          'Use one of: awaiting, complete, clarifying, error, suspended, delegated, passed.',
        'passTo must be a string, not number.',
        `parts[0]: The part type 'answer' is not registered. Use one of: ${types}.`,
        'parts[1]: A part is an object with metadata and with text or data, not string.',
        'parts[2]: A part needs a text or data.',
        `parts[3]: A part says that its partType is 'response' and, in its metadata, "ack".`,
        'parts[4]: A part needs a partType, on the part itself or in its metadata.',
      ],
    })
  })

  test.each([
    [undefined, 'respond() takes an object with turnState and parts, not undefined.'],
    [[parts], 'respond() takes an object with turnState and parts, not array.'],
    [{ turnState: 'complete' }, 'parts is missing. Give an array with at least one part.'],
    [{ turnState: 'complete', parts: [] }, 'parts is empty. Give an array with at least one part.'],
    [
      { turnState: 'complete', parts: JSON.stringify(parts) },
      'parts is no array but string. Give an array with at least one part.',
    ],
  ])('without parts is refused: %j', (input, problem) => {
    expect(problemsOf(input)).toEqual({ code: 'INVALID_PART', problems: [problem] })
  })

  test('without a state is refused', () => {
    expect(problemsOf({ parts })).toEqual({
      code: 'INVALID_STATE',
      problems: [expect.stringMatching(/^turnState is missing\. Use one of: awaiting, /)],
    })
    expect(problemsOf({ turnState: 3, parts })).toEqual({
      code: 'INVALID_STATE',
      problems: ['turnState must be a string, not number.'],
    })
  })

  test('does not name its state by what every object has', () => {
    expect(problemsOf({ turnState: 'constructor', parts })).toMatchObject({ code: 'INVALID_STATE' })
    expect(problemsOf({ turnState: 'complete', parts: [{ partType: 'constructor', text: '.' }] })).toMatchObject({
      code: 'INVALID_PART',
    })
  })

  test('with very many problems names the first ones', () => {
    const { problems } = problemsOf({ turnState: 'complete', parts: Array.from({ length: 500 }, () => 1) }) as {
      problems: string[]
    }
    expect(problems).toHaveLength(21)
    expect(problems.at(-1)).toBe('There are 480 more problems.')
  })
})

describe('handing over', () => {
  test('needs a name, and no other state takes one', () => {
    expect(checkRespond({ turnState: 'passed', passTo: 'drafter', parts }, options).passTo).toBe('drafter')
    expect(problemsOf({ turnState: 'passed', parts })).toEqual({
      code: 'INVALID_STATE',
      problems: ["The turn state 'passed' needs passTo, the name of an actor."],
    })
    expect(problemsOf({ turnState: 'passed', passTo: '', parts })).toMatchObject({ code: 'INVALID_STATE' })
    expect(problemsOf({ turnState: 'complete', passTo: 'drafter', parts })).toEqual({
      code: 'INVALID_STATE',
      problems: ["passTo goes with the turn state 'passed' only. Leave it out, or pass the turn."],
    })
  })

  test('goes to an actor that exists', () => {
    const actors = ['drafter', 'editor']
    expect(checkRespond({ turnState: 'passed', passTo: 'editor', parts }, { ...options, actors }).passTo).toBe('editor')
    expect(problemsOf({ turnState: 'passed', passTo: 'critic', parts }, { actors })).toEqual({
      code: 'INVALID_STATE',
      problems: ["There is no actor 'critic'. Pass to one of: drafter, editor."],
    })
    expect(problemsOf({ turnState: 'passed', passTo: 'critic', parts }, { actors: [] })).toEqual({
      code: 'INVALID_STATE',
      problems: ["There is no actor to pass to: use another turn state than 'passed'."],
    })
  })
})

describe('approvals', () => {
  const request = {
    data: {
      approvalId: 'approval_1',
      toolName: 'book',
      toolCallId: 'call_1',
      args: {},
      handler: 'sally',
      turn: 'turn_1',
      session: 'sess_1',
    },
    metadata: { partType: 'approval-request' },
  }

  test('are not given by a model', () => {
    const data = { approvalId: 'approval_1', decision: 'granted', decidedAt: '2026-01-01T00:00:00Z' }
    const part = { data, metadata: { partType: 'approval-response' } }
    expect(problemsOf({ turnState: 'complete', parts: [part] })).toEqual({
      code: 'INVALID_PART',
      problems: ["parts[0]: A part of type 'approval-response' only comes from outside, never from you: leave it out."],
    })
  })

  test('are not asked for by a model that has no tools', () => {
    expect(problemsOf({ turnState: 'suspended', parts: [request] }, { approvable: [] })).toMatchObject({
      code: 'INVALID_PART',
      problems: [
        expect.stringContaining('just call it'),
        "parts[0]: A part of type 'approval-request' is made by the system, never by you: leave it out.",
      ],
    })
  })

  test('suspend the turn, and nothing else does', () => {
    expect(checkRespond({ turnState: 'suspended', parts: [request] }, options).parts).toEqual([request])
    expect(problemsOf({ turnState: 'awaiting', parts: [request] })).toMatchObject({
      problems: ["An approval-request suspends the turn: use the turn state 'suspended'."],
    })
    expect(problemsOf({ turnState: 'suspended', parts })).toMatchObject({ code: 'INVALID_STATE' })
  })

  test('are asked for by tool and arguments, and all else that a model writes about them is ignored', () => {
    const asking = { ...options, approvable: ['book'] }
    const forged = { ...request.data, toolName: 'book', args: { price: 1 }, approvalId: 'mine' }
    const part = { data: forged, metadata: { partType: 'approval-request', level: 'user', callHash: 'x' } }
    expect(checkRespond({ turnState: 'suspended', parts: [part] }, asking)).toEqual({
      turnState: 'suspended',
      parts: [],
      approval: { toolName: 'book', args: { price: 1 } },
    })
  })

  test.each([
    [
      'of a tool that there is not',
      [{ toolName: 'pay', args: {} }],
      "There is no tool 'pay' to approve. There are: book.",
    ],
    ['without arguments', [{ toolName: 'book' }], 'The data of an approval-request is { toolName, args }'],
    [
      'of two tools',
      [
        { toolName: 'book', args: {} },
        { toolName: 'book', args: {} },
      ],
      'Ask for one approval in a call.',
    ],
  ])('are refused %s', (_, asked, problem) => {
    const requests = asked.map((data) => ({ data, metadata: { partType: 'approval-request' } }))
    expect(problemsOf({ turnState: 'suspended', parts: requests }, { approvable: ['book'] })).toMatchObject({
      problems: expect.arrayContaining([expect.stringContaining(problem)]),
    })
  })
})

describe('data', () => {
  const domainDataSchema = {
    type: 'object',
    required: ['flights'],
    properties: { flights: { type: 'array', items: { type: 'object', required: ['price'] } } },
  }
  const domainData = (data: unknown) => ({
    turnState: 'complete',
    parts: [{ data, metadata: { partType: 'domain-data' } }],
  })

  test('of domain-data parts fits the actor’s schema', () => {
    const call = domainData({ flights: [{ price: 94 }] })
    expect(checkRespond(call, { ...options, domainDataSchema }).parts).toEqual(call.parts)
    expect(problemsOf(domainData({ flights: [{ price: 94 }, {}] }), { domainDataSchema })).toEqual({
      code: 'INVALID_PART',
      problems: ['parts[0]: data.flights[1] needs "price".'],
    })
    expect(problemsOf(domainData({}), { domainDataSchema })).toMatchObject({
      problems: ['parts[0]: data needs "flights".'],
    })
  })

  test('of other parts does not have to', () => {
    const call = {
      turnState: 'awaiting',
      parts: [{ partType: 'progress', data: { label: 'Search', done: 1, total: 2 } }],
    }
    expect(checkRespond(call, { ...options, domainDataSchema }).parts).toHaveLength(1)
  })

  test('of a part is checked by the rules of its type', () => {
    const call = { turnState: 'awaiting', parts: [{ partType: 'progress', data: { done: 'one' } }] }
    expect(problemsOf(call)).toMatchObject({
      problems: expect.arrayContaining([expect.stringMatching(/^parts\[0\]: data/)]),
    })
  })

  test('of setState parts names coordinates that the actor has', () => {
    const setState = (data: unknown) => ({ turnState: 'complete', parts: [{ partType: 'setState', data }] })
    const coordinates = ['trip.stage', 'basket.state']
    expect(checkRespond(setState({ 'trip.stage': 'booked' }), { ...options, coordinates }).parts).toHaveLength(1)
    expect(problemsOf(setState({ 'trip.stage': 'booked', 'admin.role': 'root' }), { coordinates })).toEqual({
      code: 'INVALID_PART',
      problems: ["parts[0]: There is no coordinate 'admin.role'. There are: trip.stage, basket.state."],
    })
    expect(checkRespond(setState({ 'any.thing': 'goes' }), options).parts).toHaveLength(1)
  })
})

describe('a part that an answer can do without', () => {
  const wrong = { text: 'a picture', metadata: { partType: 'a2ui-surface' } }
  const problem = "A part of type 'a2ui-surface' needs A2UI messages as its data."

  test('is left out of a call that may do without it, with what is wrong', () => {
    const call = { turnState: 'complete', parts: [wrong, ...parts] }
    expect(checkRespond(call, { ...options, dropInvalid: true })).toEqual({
      turnState: 'complete',
      parts,
      dropped: [{ partType: 'a2ui-surface', problems: [`parts[0]: ${problem}`] }],
    })
    expect(problemsOf(call)).toEqual({ code: 'INVALID_PART', problems: [`parts[0]: ${problem}`] })
  })

  test('is told with the rest when something else is wrong, too, or nothing else is there', () => {
    const alone = { turnState: 'complete', parts: [wrong] }
    expect(problemsOf(alone, { dropInvalid: true })).toMatchObject({ problems: [`parts[0]: ${problem}`] })
    const other = { turnState: 'complete', parts: [wrong, { metadata: { partType: 'response' } }] }
    const { problems } = problemsOf(other, { dropInvalid: true }) as { problems: string[] }
    expect(problems).toHaveLength(2)
    expect(problems).toContain(`parts[0]: ${problem}`)
  })
})
