import { PartTypeRegistry, TurnStateRegistry, type LiveText } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import type { StreamPart } from '../models/model.ts'
import { RespondParser } from '../respond/respond-parser.ts'
import { StepReader } from './model-step.ts'

const partTypes = PartTypeRegistry.canonical()
const turnStates = TurnStateRegistry.canonical()
const finish: StreamPart = {
  type: 'finish',
  usage: {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  },
  finishReason: { unified: 'tool-calls', raw: undefined },
}
const say = (...texts: string[]) =>
  JSON.stringify({ turnState: 'complete', parts: texts.map((text) => ({ metadata: { partType: 'response' }, text })) })
const start = (id: string): StreamPart => ({ type: 'tool-input-start', id, toolName: 'respond' })
const piece = (id: string, delta: string): StreamPart => ({ type: 'tool-input-delta', id, delta })
const call = (toolCallId: string, input: string, toolName = 'respond'): StreamPart => ({
  type: 'tool-call',
  toolCallId,
  toolName,
  input,
})

/** Reads the parts, delivers each call as soon as it is ready, and tells what was shown of which step after each part. */
function read(...parts: StreamPart[]) {
  const steps: string[][] = [[]]
  const contents: unknown[] = []
  const onText = ({ index, delta }: LiveText) => {
    const step = steps.at(-1) ?? []
    step[index] = (step[index] ?? '') + delta
  }
  const reader = new StepReader((report) => new RespondParser({ partTypes, turnStates, onText: report }), onText)
  const shown = parts.map((part) => {
    reader.read(part)
    for (let ready = reader.ready(); ready !== undefined; ready = reader.ready()) {
      contents.push(ready.content)
      steps.push([])
      reader.delivered(ready)
    }
    return steps.filter((step) => step.length > 0).map((step) => [...step])
  })
  return { shown, contents, step: () => reader.end() }
}

describe('text of respond()', () => {
  test('belongs to the step of its own call, whether the provider says the end of the call before it or not', () => {
    const late = read(
      start('1'),
      piece('1', say('a', 'b')),
      start('2'),
      piece('2', say('c')),
      call('1', say('a', 'b')),
      call('2', say('c')),
      finish,
    )
    expect(late.shown[3]).toEqual([['a', 'b'], ['c']])
    expect(late.contents).toMatchObject([
      [{ type: 'tool-call', toolCallId: '1', input: JSON.parse(say('a', 'b')) as object }],
      [{ type: 'tool-call', toolCallId: '2' }],
    ])
    expect(late.step()).toMatchObject({ content: [], responds: [] })
    const early = read(start('1'), piece('1', say('a')), call('1', say('a')), start('2'), piece('2', say('b')))
    expect(early.shown.at(-1)).toEqual([['a'], ['b']])
  })

  test('is held while an earlier call still grows, though the later one has ended', () => {
    const first = say('a', 'b')
    const { shown, contents } = read(
      start('1'),
      piece('1', first.slice(0, 40)),
      start('2'),
      piece('2', say('c')),
      call('2', say('c')),
      piece('1', first.slice(40)),
      call('1', first),
    )
    expect(shown[4]).toEqual([])
    expect(shown[5]).toEqual([['a', 'b']])
    expect(shown[6]).toEqual([['a', 'b'], ['c']])
    expect(contents).toMatchObject([[{ toolCallId: '1' }], [{ toolCallId: '2' }]])
  })

  test('is shown from the whole call where a provider does not stream it', () => {
    expect(read(call('1', say('a')), call('2', say('b'))).shown).toEqual([[['a']], [['a'], ['b']]])
    expect(read(start('1'), call('1', say('a'))).shown.at(-1)).toEqual([['a']])
  })

  test('is complete with its call when the next tool begins', () => {
    const { shown, contents, step } = read(
      start('1'),
      piece('1', say('a')),
      { type: 'tool-input-start', id: '2', toolName: 'search' },
      call('1', say('a')),
      call('2', '{}', 'search'),
      finish,
    )
    expect(shown[2]).toEqual([['a']])
    expect(contents).toHaveLength(1)
    expect(step()).toMatchObject({ content: [{ toolCallId: '2', toolName: 'search' }], tools: [{ toolCallId: '2' }] })
  })

  test('after a call that is wrong is not shown, and that call is a problem', () => {
    const { shown, step } = read(
      call('1', '{"turnState":"comp'),
      start('2'),
      piece('2', say('b')),
      call('2', say('b')),
      finish,
    )
    expect(shown.at(-1)).toEqual([])
    expect([...step().problems.keys()]).toEqual(['1'])
    expect(step().responds).toHaveLength(1)
  })
})

describe('what goes back to the model', () => {
  test('has the metadata of a block, whichever piece of it brought that', () => {
    const { step } = read(
      { type: 'reasoning-start', id: '0', providerMetadata: { p: { a: 1 } } },
      { type: 'reasoning-delta', id: '0', delta: 'Hm', providerMetadata: { q: { b: 2 } } },
      { type: 'reasoning-delta', id: '0', delta: '.', providerMetadata: { p: { c: 3 } } },
      { type: 'reasoning-end', id: '0', providerMetadata: { p: { a: 4 } } },
      finish,
    )
    const providerOptions = { p: { a: 4, c: 3 }, q: { b: 2 } }
    expect(step().content).toEqual([{ type: 'reasoning', text: 'Hm.', providerOptions }])
    expect(step().reasoning).toBe('Hm.')
  })

  test('has each block once, though they share an id', () => {
    const block = (delta: string): StreamPart[] => [
      { type: 'text-start', id: '0' },
      { type: 'text-delta', id: '0', delta },
      { type: 'text-end', id: '0' },
    ]
    const { step } = read(...block('one'), ...block('two'), finish)
    expect(step().content).toEqual([
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ])
  })

  test('has no empty blocks, but those that are nothing but a signature', () => {
    const { step } = read(
      { type: 'text-start', id: '0' },
      { type: 'text-delta', id: '0', delta: ' \n' },
      { type: 'text-end', id: '0' },
      { type: 'reasoning-start', id: '1' },
      { type: 'reasoning-end', id: '1' },
      { type: 'reasoning-start', id: '2' },
      { type: 'reasoning-end', id: '2', providerMetadata: { p: { signature: 's' } } },
      finish,
    )
    expect(step().content).toEqual([{ type: 'reasoning', text: '', providerOptions: { p: { signature: 's' } } }])
    expect(step().freeText).toBe('')
  })

  test.each(['[1]', '"x"', '7', 'null', '{"half'])('has an object as the input of every call: %s', (input) => {
    const { step } = read(call('1', input, 'search'), finish)
    expect(step().content).toMatchObject([{ type: 'tool-call', input: {} }])
    expect(step().tools[0]?.input).toEqual(input === '{"half' ? undefined : JSON.parse(input))
  })
})

test('a stream that has not finished is no step', () => {
  expect(() => read(call('1', say('a'))).step()).toThrow('The stream ended before it was complete.')
})
